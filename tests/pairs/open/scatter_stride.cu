// slow: a thread of a block takes the element 16 further than its neighbour's.
// fast: neighbouring threads take neighbouring elements.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = (thread % (n / 16)) * 16 + thread / (n / 16);
  out[i] = 2 * in[i];
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
