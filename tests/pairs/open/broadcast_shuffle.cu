// slow: each point sums a weight of all points; a warp stages 32 points in shared memory.
// fast: each lane keeps one of the 32 points in registers, and shuffles broadcast them.

__device__ float weight(float2 a, float x, float y) {
  const float dx = a.x - x;
  const float dy = a.y - y;
  return __expf(-8 * (dx * dx + dy * dy));
}
extern "C" __global__ void slow(float* out, const float2* points, int n) {
  __shared__ float2 tiles[8][32];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  float2* tile = tiles[threadIdx.x / 32];
  const float2 own = points[i];
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
    __syncwarp();
    tile[lane] = points[first + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) sum += weight(own, tile[k].x, tile[k].y);
  }
  out[i] = sum;
}
extern "C" __global__ void fast(float* out, const float2* points, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const float2 own = points[i];
  float sum = 0;
  for (int first = 0; first < n; first += 32) {
    const float2 point = points[first + lane];
    for (int k = 0; k < 32; ++k) {
      const float x = __shfl_sync(0xffffffff, point.x, k);
      const float y = __shfl_sync(0xffffffff, point.y, k);
      sum += weight(own, x, y);
    }
  }
  out[i] = sum;
}
