// slow: a matrix is multiplied with four vectors, one after the other.
// fast: a warp reads its row once for all four.

__device__ float warp_sum(float value) {
  for (int away = 16; away > 0; away /= 2) value += __shfl_xor_sync(~0U, value, away);
  return value;
}
extern "C" __global__ void slow(float* out, const float* matrix, const float* vectors, int n) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const float* vector = vectors + blockIdx.y * n;
  float sum = 0;
#pragma unroll 4
  for (int k = lane; k < n; k += 32) sum += matrix[row * n + k] * vector[k];
  sum = warp_sum(sum);
  if (lane == 0) out[blockIdx.y * n + row] = sum;
}
extern "C" __global__ void fast(float* out, const float* matrix, const float* vectors, int n) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  float sums[4] = {};
#pragma unroll 4
  for (int k = lane; k < n; k += 32) {
    const float value = matrix[row * n + k];
#pragma unroll
    for (int v = 0; v < 4; ++v) sums[v] += value * vectors[v * n + k];
  }
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    const float sum = warp_sum(sums[v]);
    if (lane == 0) out[v * n + row] = sum;
  }
}
