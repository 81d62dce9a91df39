// slow: the weights of red, green and blue are doubles.
// fast: the weights are floats.

extern "C" __global__ void slow(float* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 0.299 * in[i] + 0.587 * in[n + i] + 0.114 * in[2 * n + i];
}
extern "C" __global__ void fast(float* out, const unsigned char* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 0.299F * in[i] + 0.587F * in[n + i] + 0.114F * in[2 * n + i];
}
