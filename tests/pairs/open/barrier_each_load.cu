// slow: a barrier behind each of eight loads makes every warp wait for the slowest.
// fast: no barrier is needed.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    sum += in[k * n + i];
    __syncthreads();
  }
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += in[k * n + i];
  out[i] = sum;
}
