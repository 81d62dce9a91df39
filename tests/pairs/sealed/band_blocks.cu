// slow: each tile of a banded matrix has a block; those outside of the band end at once.
// fast: blocks are launched for the tiles of the band.

__device__ void tile(float* out, const float* features, int n, int across, int down) {
  const int column = across * 8 + threadIdx.x;
  const int row = down * 8 + threadIdx.y;
  float distance = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const float d = features[k * n + row] - features[k * n + column];
    distance += d * d;
  }
  out[row * n + column] = expf(-distance);
}
extern "C" __global__ void slow(float* out, const float* features, int n) {
  const int across = blockIdx.x;
  const int down = blockIdx.y;
  if (abs(across - down) > 8) return;
  tile(out, features, n, across, down);
}
extern "C" __global__ void fast(float* out, const float* features, int n) {
  const int down = blockIdx.y;
  const int across = down + static_cast<int>(blockIdx.x) - 8;
  if (across < 0 || across >= static_cast<int>(gridDim.y)) return;
  tile(out, features, n, across, down);
}
