// Idea: document A's method I. A thread block copies its pixels and a rim of one pixel to shared
//   memory, so that nine global reads become little more than one. Every thread copies its own
//   pixel. Threads at the block's edges also copy the rim, threads at its corners the corners.
// Expected: few global reads, but eight conditions in every thread. The warps at the edges diverge:
//   a warp executes each copy that any of its lanes makes.
// Next limit: the conditions, and the rim's copies with one active lane each.
#include "document.cuh"

extern __shared__ unsigned tile[];

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int last_x = block_width() - 1;
  const int last_y = block_height() - 1;
  const int pitch = block_width() + 2;
  const int x = static_cast<int>(blockIdx.x) * block_width() + tx;
  const int y = static_cast<int>(blockIdx.y) * block_height() + ty;

  const auto copy = [&](int dx, int dy) {
    tile[(ty + 1 + dy) * pitch + tx + 1 + dx] = pixel_or_border(p, x + dx, y + dy);
  };
  copy(0, 0);
  if (tx == 0) copy(-1, 0);
  if (tx == last_x) copy(1, 0);
  if (ty == 0) copy(0, -1);
  if (ty == last_y) copy(0, 1);
  if (tx == 0 && ty == 0) copy(-1, -1);
  if (tx == last_x && ty == 0) copy(1, -1);
  if (tx == 0 && ty == last_y) copy(-1, 1);
  if (tx == last_x && ty == last_y) copy(1, 1);
  __syncthreads();

  if (x < p.width && y < p.height) {
    p.dst[y * p.dst_pitch + x] = edge_in_tile(p, tile, pitch, tx, ty);
  }
}
