// slow: a loop takes the lowest bit off until none is left.
// fast: one instruction counts the bits.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned count = 0;
  for (unsigned value = in[i]; value != 0; value &= value - 1) ++count;
  out[i] = count;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __popc(in[i]);
}
