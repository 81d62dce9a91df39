// slow: the elements are added in a scattered order.
// fast: the elements are added in the order in which they lie.

__device__ void add(float* out, float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, distance);
  }
  __shared__ float sums[8];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < 8; ++warp) value += sums[warp];
  atomicAdd(out, value);
}
extern "C" __global__ void slow(float* out, const float* in, unsigned mask) {
  add(out, in[((blockIdx.x * blockDim.x + threadIdx.x) * 2654435761U) & mask]);
}
extern "C" __global__ void fast(float* out, const float* in, unsigned mask) {
  add(out, in[(blockIdx.x * blockDim.x + threadIdx.x) & mask]);
}
