// slow: a thread reads its element and stores it at the place of reversed bits.
// fast: a thread reads the element at the place of reversed bits and stores it at its own.

extern "C" __global__ void slow(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> 10] = in[i];
}
extern "C" __global__ void fast(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[__brev(i) >> 10];
}
