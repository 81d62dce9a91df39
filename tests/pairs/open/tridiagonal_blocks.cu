// slow: a block of 1024 threads solves eight systems, so that barriers hold up all eight.
// fast: a block of 128 threads solves one system.

template <int threads>
__device__ void solve(float* out, const float* off, const float* right) {
  __shared__ float a[threads];
  __shared__ float b[threads];
  __shared__ float c[threads];
  __shared__ float d[threads];
  const int t = threadIdx.x;
  const int i = blockIdx.x * threads + t;
  const int row = t % 128;
  float lower = row > 0 ? 0.25F * off[i] : 0.0F;
  float upper = row < 127 ? 0.25F * off[i] : 0.0F;
  float middle = 1.0F;
  float value = right[i];
  for (int step = 1; step < 128; step *= 2) {
    a[t] = lower;
    b[t] = middle;
    c[t] = upper;
    d[t] = value;
    __syncthreads();
    float next_lower = 0;
    float next_upper = 0;
    if (row >= step) {
      const float factor = -lower / b[t - step];
      next_lower = factor * a[t - step];
      middle += factor * c[t - step];
      value += factor * d[t - step];
    }
    if (row + step < 128) {
      const float factor = -upper / b[t + step];
      next_upper = factor * c[t + step];
      middle += factor * a[t + step];
      value += factor * d[t + step];
    }
    lower = next_lower;
    upper = next_upper;
    __syncthreads();
  }
  out[i] = value / middle;
}
extern "C" __global__ void slow(float* out, const float* off, const float* right) {
  solve<1024>(out, off, right);
}
extern "C" __global__ void fast(float* out, const float* off, const float* right) {
  solve<128>(out, off, right);
}
