// slow: a block passes over its row twice, for the mean and for the variance.
// fast: one pass sums the values and their squares.

__device__ float block_sum(float value) {
  __shared__ float sums[32];
  for (int away = 16; away > 0; away /= 2) value += __shfl_xor_sync(~0U, value, away);
  __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = sums[threadIdx.x % 32];
  for (int away = 16; away > 0; away /= 2) value += __shfl_xor_sync(~0U, value, away);
  return value;
}
extern "C" __global__ void slow(float* out, const float* in, int n) {
  const float* row = in + static_cast<long long>(blockIdx.x) * n;
  float sum = 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < n; i += 1024) sum += row[i];
  const float mean = block_sum(sum) / static_cast<float>(n);
  float squares = 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < n; i += 1024) squares += (row[i] - mean) * (row[i] - mean);
  squares = block_sum(squares);
  if (threadIdx.x == 0) out[blockIdx.x] = squares / static_cast<float>(n);
}
extern "C" __global__ void fast(float* out, const float* in, int n) {
  const float* row = in + static_cast<long long>(blockIdx.x) * n;
  float sum = 0;
  float squares = 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < n; i += 1024) {
    sum += row[i];
    squares += row[i] * row[i];
  }
  const float mean = block_sum(sum) / static_cast<float>(n);
  squares = block_sum(squares);
  if (threadIdx.x == 0) out[blockIdx.x] = squares / static_cast<float>(n) - mean * mean;
}
