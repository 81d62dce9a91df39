// slow: every thread adds to one float.
// fast: a block adds its own sum.

extern "C" __global__ void slow(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, 1 + in[i] * in[i]);
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  __shared__ float sums[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = i < n ? 1 + in[i] * in[i] : 0;
  for (int distance = 128; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
  }
  if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}
