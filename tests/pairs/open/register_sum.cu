// slow: a running sum lies in global memory, where each step reads and writes it.
// fast: the running sum is a register.

extern "C" __global__ void slow(float* out, const float* in, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;
  out[i] = 0;
  for (int k = 0; k < rows; ++k) out[i] += in[k * step + i];
}
extern "C" __global__ void fast(float* out, const float* in, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < rows; ++k) sum += in[k * step + i];
  out[i] = sum;
}
