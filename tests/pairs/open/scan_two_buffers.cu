// slow: running sums in one buffer need two barriers a step.
// fast: two buffers by turns need one.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[1024];
  const int i = threadIdx.x;
  sums[i] = in[blockIdx.x * 1024 + i];
  for (int distance = 1; distance < 1024; distance *= 2) {
    __syncthreads();
    const unsigned left = i >= distance ? sums[i - distance] : 0;
    __syncthreads();
    sums[i] += left;
  }
  out[blockIdx.x * 1024 + i] = sums[i];
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[2][1024];
  const int i = threadIdx.x;
  int now = 0;
  sums[now][i] = in[blockIdx.x * 1024 + i];
  for (int distance = 1; distance < 1024; distance *= 2) {
    __syncthreads();
    const unsigned left = i >= distance ? sums[now][i - distance] : 0;
    sums[1 - now][i] = sums[now][i] + left;
    now = 1 - now;
  }
  out[blockIdx.x * 1024 + i] = sums[now][i];
}
