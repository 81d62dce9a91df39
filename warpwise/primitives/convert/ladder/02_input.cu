// Idea: one thread for each word of the input, which it loads into shared memory. 48 threads load
//   the 192 bytes of 64 pixels. They compute 48 pixels in a first round and 16 in a second one.
// Expected: each byte is loaded once, in words; a half-warp's words fill a 64-byte segment. There
//   are three rounds (load, compute, compute) of 48 threads; 32 threads idle in the last.
// Next limit: those idle threads, and the barrier between loads and arithmetic.
#include "pixels.cuh"

// In the source document (docs/sources.md, D) the second round is for threads below 16, as blocks
// are 48 wide. Here the first third of a block's row does the second round, in blocks of any width.
constexpr int row_pixels = BLOCK_X / 3 * 4;
static_assert(BLOCK_X % 3 == 0, "whole pixels");

extern "C" __global__ void convert(warpwise::ladders::ConvertProblem p) {
  __shared__ unsigned words[BLOCK_Y][BLOCK_X];
  const int t = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * row_pixels;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(words[threadIdx.y]);

  for (int top = static_cast<int>(blockIdx.y) * BLOCK_Y; top < p.height;
       top += static_cast<int>(gridDim.y) * BLOCK_Y) {
    const int y = top + static_cast<int>(threadIdx.y);
    if (y < p.height) {
      words[threadIdx.y][t] = warpwise::ladders::load_word(p, 3LL * left + 4 * t, y);
    }
    __syncthreads();
    warpwise::ladders::convert_pixel(p, left + t, y, bytes + 3 * t);
    const int second = BLOCK_X + t;
    if (second < row_pixels) {
      warpwise::ladders::convert_pixel(p, left + second, y, bytes + 3 * second);
    }
    __syncthreads();  // waits before the next rows overwrite the words
  }
}
