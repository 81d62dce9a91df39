// slow: one block of 1024 threads adds up a million floats.
// fast: 264 blocks do so, and add their sums by an atomic each.

__device__ float block_sum(const float* in, int n) {
  __shared__ float sums[32];
  float sum = 0;
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) sum += in[i];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffff, sum, lane);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return 0;
  sum = 0;
  for (int warp = 0; warp < blockDim.x / 32; ++warp) sum += sums[warp];
  return sum;
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  const float sum = block_sum(in, n);
  if (threadIdx.x == 0) out[0] = sum;
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  const float sum = block_sum(in, n);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
