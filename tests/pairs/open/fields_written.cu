// slow: a thread writes the eight fields of its structure, which lie side by side.
// fast: each field has an array of its own.

extern "C" __global__ void slow(float* out, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  for (int k = 0; k < 8; ++k) out[8 * i + k] = x * static_cast<float>(k + 1);
}
extern "C" __global__ void fast(float* out, const float* in) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  for (int k = 0; k < 8; ++k) out[k * threads + i] = x * static_cast<float>(k + 1);
}
