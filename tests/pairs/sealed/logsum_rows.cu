// slow: a block reads a row twice: for the maximum, and for the sum of exponentials.
// fast: a block reads it once; a sum is scaled anew where a greater value comes.

extern "C" __global__ void slow(float* out, const float* in, int width) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  const float* row = &in[blockIdx.x * width];
  float most = -1e30F;
  for (int x = t; x < width; x += 256) most = fmaxf(most, 8 * row[x]);
  part[t] = most;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float sum = 0;
  for (int x = t; x < width; x += 256) sum += __expf(8 * row[x] - most);
  part[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = most + logf(part[0]);
}
extern "C" __global__ void fast(float* out, const float* in, int width) {
  __shared__ float mosts[256];
  __shared__ float sums[256];
  const int t = threadIdx.x;
  const float* row = &in[blockIdx.x * width];
  float most = -1e30F;
  float sum = 0;
  for (int x = t; x < width; x += 256) {
    const float value = 8 * row[x];
    if (value > most) {
      sum *= __expf(most - value);
      most = value;
    }
    sum += __expf(value - most);
  }
  mosts[t] = most;
  sums[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      const float both = fmaxf(mosts[t], mosts[t + half]);
      sums[t] = sums[t] * __expf(mosts[t] - both) + sums[t + half] * __expf(mosts[t + half] - both);
      mosts[t] = both;
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = mosts[0] + logf(sums[0]);
}
