// slow: 512 threads compute 512 prefix sums in nine steps, each with 512 threads at work.
// fast: 256 threads go up and down a tree, with about two additions for each value.

extern "C" __global__ void slow(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[2][512];
  const int t = threadIdx.x;
  const unsigned value = in[blockIdx.x * 512 + t];
  int side = 0;
  sums[0][t] = value;
  __syncthreads();
  for (int offset = 1; offset < 512; offset *= 2) {
    sums[1 - side][t] = sums[side][t] + (t >= offset ? sums[side][t - offset] : 0);
    side = 1 - side;
    __syncthreads();
  }
  out[blockIdx.x * 512 + t] = sums[side][t] - value;
}
extern "C" __global__ void fast(unsigned* out, const unsigned* in) {
  __shared__ unsigned sums[512];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 512 + t];
  sums[t + 256] = in[blockIdx.x * 512 + t + 256];
  int stride = 1;
  for (int active = 256; active > 0; active /= 2) {
    __syncthreads();
    if (t < active) sums[stride * (2 * t + 2) - 1] += sums[stride * (2 * t + 1) - 1];
    stride *= 2;
  }
  if (t == 0) sums[511] = 0;
  for (int active = 1; active < 512; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (t < active) {
      const int left = stride * (2 * t + 1) - 1;
      const int right = stride * (2 * t + 2) - 1;
      const unsigned value = sums[left];
      sums[left] = sums[right];
      sums[right] += value;
    }
  }
  __syncthreads();
  out[blockIdx.x * 512 + t] = sums[t];
  out[blockIdx.x * 512 + t + 256] = sums[t + 256];
}
