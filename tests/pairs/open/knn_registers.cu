// slow: the eight least distances lie in an array that is indexed by data, in local memory.
// fast: a new distance goes through all eight by minima and maxima, so that they stay in registers.

__device__ float squared_distance(float2 a, float2 b) {
  const float x = a.x - b.x;
  const float y = a.y - b.y;
  return fmaf(x, x, __fmul_rn(y, y));
}
extern "C" __global__ void slow(float* out, const float* queries, const float* points, int count) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 query = reinterpret_cast<const float2*>(queries)[i];
  float best[8];
  for (int k = 0; k < 8; ++k) best[k] = 1e30F;
  for (int j = 0; j < count; ++j) {
    const float distance = squared_distance(query, reinterpret_cast<const float2*>(points)[j]);
    if (distance < best[7]) {
      int k = 7;
      while (k > 0 && best[k - 1] > distance) {
        best[k] = best[k - 1];
        --k;
      }
      best[k] = distance;
    }
  }
  for (int k = 0; k < 8; ++k) out[k * threads + i] = best[k];
}
extern "C" __global__ void fast(float* out, const float* queries, const float* points, int count) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 query = reinterpret_cast<const float2*>(queries)[i];
  float best[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) best[k] = 1e30F;
  for (int j = 0; j < count; ++j) {
    float distance = squared_distance(query, reinterpret_cast<const float2*>(points)[j]);
    if (distance < best[7]) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const float less = fminf(best[k], distance);
        distance = fmaxf(best[k], distance);
        best[k] = less;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) out[k * threads + i] = best[k];
}
