// slow: a block's running sums are made in shared memory, with two barriers in each step.
// fast: each warp makes running sums by shuffles; the first warp then scans the warps' sums.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[1024];
  const int i = blockIdx.x * 1024 + threadIdx.x;
  sums[threadIdx.x] = in[i];
  for (int distance = 1; distance < 1024; distance *= 2) {
    __syncthreads();
    const unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
  }
  out[i] = sums[threadIdx.x];
}
__device__ unsigned warp_scan(unsigned value) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned before = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x % 32 >= distance) value += before;
  }
  return value;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[32];
  const int i = blockIdx.x * 1024 + threadIdx.x;
  const unsigned sum = warp_scan(in[i]);
  if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) sums[threadIdx.x] = warp_scan(sums[threadIdx.x]);
  __syncthreads();
  out[i] = sum + (threadIdx.x < 32 ? 0 : sums[threadIdx.x / 32 - 1]);
}
