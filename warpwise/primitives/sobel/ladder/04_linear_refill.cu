// Idea: document A's method III. The tile is filled in the order of its memory, whatever the thread
//   block's shape. Thread n copies the pixels n, n + threads, … of the tile, each pixel once.
// Expected: hardly more than one read a thread, divergence only in the last round. The price is a
//   quotient and a remainder by the tile's width for each pixel: dozens of instructions if the
//   width is a variable, a handful if it is a constant.
// Next limit: the index arithmetic.
#include "document.cuh"

extern __shared__ unsigned tile[];

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int pitch = block_width() + 2;
  const int left = static_cast<int>(blockIdx.x) * block_width();
  const int top = static_cast<int>(blockIdx.y) * block_height();

  const int pixels = pitch * (block_height() + 2);
#pragma unroll 1
  for (int n = ty * block_width() + tx; n < pixels; n += block_width() * block_height()) {
    tile[n] = pixel_or_border(p, left - 1 + n % pitch, top - 1 + n / pitch);
  }
  __syncthreads();

  const int x = left + tx;
  const int y = top + ty;
  if (x < p.width && y < p.height) {
    p.dst[y * p.dst_pitch + x] = edge_in_tile(p, tile, pitch, tx, ty);
  }
}
