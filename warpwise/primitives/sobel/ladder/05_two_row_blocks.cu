// Idea: document A's method IV, its final use of shared memory. A thread block is two rows high and
//   fills the tile downwards, two rows at a time, with no condition, repetition or division. The
//   columns that a row's last two threads need are not filled, so these threads repeat another
//   thread's work. Their results are dropped, and the next thread block begins at their columns.
//   A tile can be used again further down (PASSES). The steps are those of 01_global.cu.
// Expected: the fewest instructions around the copy. With six tile rows for four rows of results, a
//   pixel costs 1.5 reads and a write of global memory, against nine and one without shared memory.
// Next limit: a barrier between copy and use; nine reads of shared memory and nine conversions to
//   grey for each pixel.
#include "document.cuh"

extern __shared__ unsigned tile[];

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  constexpr int block_rows = 2;
  constexpr int result_rows = TILE_ROWS - 2;
  static_assert(TILE_ROWS % block_rows == 0, "whole blocks fill the tile");
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int pitch = block_width() + 2;
  const int result_columns = block_width() - 2;
  const int left = static_cast<int>(blockIdx.x) * result_columns;
  const int x = left + tx;
  const int column = min(tx, result_columns - 1);  // the columns beyond are not filled

#pragma unroll 1
  for (int pass = 0; pass < PASSES; ++pass) {
    const int top = (static_cast<int>(blockIdx.y) * PASSES + pass) * result_rows;
    // True if the filled part of the tile, block_width() columns from left - 1 on, is inside.
    const bool inside = FEWER_CONDITIONS && left > 0 && left - 1 + block_width() <= p.width &&
                        top > 0 && top - 1 + TILE_ROWS <= p.height;
    if (inside) {
      const unsigned* src = p.src + (top - 1 + ty) * p.src_pitch + x - 1;
#pragma unroll unroll
      for (int row = 0; row < TILE_ROWS; row += block_rows) {
        tile[(row + ty) * pitch + tx] = *src;
        src += block_rows * p.src_pitch;
      }
    } else {
#pragma unroll unroll
      for (int row = 0; row < TILE_ROWS; row += block_rows) {
        tile[(row + ty) * pitch + tx] = pixel_or_border(p, x - 1, top - 1 + row + ty);
      }
    }
    __syncthreads();

#pragma unroll unroll
    for (int row = 0; row < result_rows; row += block_rows) {
      const int y = top + row + ty;
      const unsigned char result = edge_in_tile(p, tile, pitch, column, row + ty);
      if (tx < result_columns && x < p.width && y < p.height) {
        p.dst[y * p.dst_pitch + x] = result;
      }
    }
    if (pass + 1 < PASSES) __syncthreads();  // waits until all threads have read the tile
  }
}
