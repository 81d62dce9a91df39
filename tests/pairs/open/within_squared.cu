// slow: neighbours are counted by comparing distances, with a square root for each.
// fast: squares of distances are compared.

template <bool root>
__device__ void count(unsigned* out, const float2* points, int n, float radius) {
  __shared__ float2 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float2 own = points[i];
  unsigned found = 0;
  for (int first = 0; first < n; first += 256) {
    tile[threadIdx.x] = points[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; ++k) {
      const float x = tile[k].x - own.x;
      const float y = tile[k].y - own.y;
      const float square = fmaf(x, x, y * y);
      found += root ? sqrtf(square) < radius : square < radius * radius;
    }
    __syncthreads();
  }
  out[i] = found;
}
extern "C" __global__ void slow(unsigned* out, const float2* points, int n, float radius) {
  count<true>(out, points, n, radius);
}
extern "C" __global__ void fast(unsigned* out, const float2* points, int n, float radius) {
  count<false>(out, points, n, radius);
}
