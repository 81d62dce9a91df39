// slow: a thread finds its number in a sorted table by linear search.
// fast: a thread finds it by binary search.

extern "C" __global__ void slow(unsigned* out, const unsigned* in, const unsigned* table) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned wanted = in[i] & 255;
  unsigned at = 0;
  while (table[at] < wanted) ++at;
  out[i] = at;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in, const unsigned* table) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned wanted = in[i] & 255;
  unsigned at = 0;
#pragma unroll
  for (unsigned step = 128; step > 0; step /= 2) {
    if (table[at + step - 1] < wanted) at += step;
  }
  out[i] = at;
}
