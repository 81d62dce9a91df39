// slow: the threads that still add are those of even numbers, then of multiples of 4, and so on.
// fast: the threads that still add are the first ones, so that whole warps have nothing to do.

extern "C" __global__ void slow(float* out, const float* in) {
  __shared__ float sums[256];
  sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  for (int distance = 1; distance < 256; distance *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * distance) == 0) sums[threadIdx.x] += sums[threadIdx.x + distance];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
extern "C" __global__ void fast(float* out, const float* in) {
  __shared__ float sums[256];
  sums[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  for (int distance = 128; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
