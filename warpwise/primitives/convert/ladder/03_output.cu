// Idea: one thread for each pixel of the output. 48 of 64 threads load the 48 words of 64 pixels.
//   With READ_TWICE, all 64 threads load a word. These words hold 85 pixels, 21 of which the next
//   thread block loads as well.
// Expected: two rounds (load, compute) of 64 threads instead of three of 48. 16 threads idle in the
//   first. With READ_TWICE none idles, but a quarter of the loads are repeats.
// Next limit: as in 02_input.cu, idle threads and the barrier.
#include "pixels.cuh"

static_assert(BLOCK_X % 4 == 0, "whole words");
constexpr int row_words = BLOCK_X / 4 * 3;

extern "C" __global__ void convert(warpwise::ladders::ConvertProblem p) {
  __shared__ unsigned words[BLOCK_Y][BLOCK_X];
  const int t = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * BLOCK_X;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(words[threadIdx.y]);

  for (int top = static_cast<int>(blockIdx.y) * BLOCK_Y; top < p.height;
       top += static_cast<int>(gridDim.y) * BLOCK_Y) {
    const int y = top + static_cast<int>(threadIdx.y);
    if (y < p.height && (READ_TWICE || t < row_words)) {
      words[threadIdx.y][t] = warpwise::ladders::load_word(p, 3LL * left + 4 * t, y);
    }
    __syncthreads();
    warpwise::ladders::convert_pixel(p, left + t, y, bytes + 3 * t);
    __syncthreads();  // waits before the next rows overwrite the words
  }
}
