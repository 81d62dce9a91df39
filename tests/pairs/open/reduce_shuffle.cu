// slow: a block adds up its values by a tree in shared memory, with a barrier in each step.
// fast: each warp adds up its values by shuffles; the first warp then adds the warps' sums.

extern "C" __global__ void slow(float* out, const float* in) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
  for (int distance = 512; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffff, value, distance);
  }
  return value;
}
extern "C" __global__ void fast(float* out, const float* in) {
  __shared__ float sums[32];
  const float sum = warp_sum(in[blockIdx.x * 1024 + threadIdx.x]);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const float total = warp_sum(sums[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
