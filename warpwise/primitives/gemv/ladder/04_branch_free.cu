// Idea: all threads add: each adds the sum of the thread whose index differs in one bit. At the end
//   all of them hold the row's sum. Lanes of one warp exchange their sums by shuffles, without a
//   barrier.
// Expected: no comparison, no divergence, and six barriers fewer for each row. Every warp adds at
//   every step. The additional sums fill time in which the warp would wait for other warps.
// Next limit: barriers: each step between warps still has one for the whole block.
#include "problem.hpp"

using warpwise::ladders::GemvProblem;

__device__ float x_at(const GemvProblem& p, long long column) {
  return tex1Dfetch<float>(p.x_texture, p.x_first + static_cast<int>(column));
}

extern "C" __global__ void gemv(GemvProblem p) {
  static_assert((BLOCK_X & (BLOCK_X - 1)) == 0 && BLOCK_X >= 32, "the tree halves the block");
  // Two arrays, used alternately. In a single array, a thread that is ahead would overwrite sums
  // that another thread has yet to read; here the barrier of the step in between prevents that.
  __shared__ float partial[2][BLOCK_X];
  const int thread = static_cast<int>(threadIdx.x);
  int turn = 0;
  for (long long row = blockIdx.x; row < p.rows; row += gridDim.x) {
    const float* const a = p.a + row * p.pitch;
    float sum = 0;
    for (long long column = thread; column < p.columns; column += BLOCK_X) {
      sum += a[column] * x_at(p, column);
    }
#pragma unroll
    for (int distance = BLOCK_X / 2; distance >= 32; distance /= 2) {
      partial[turn][thread] = sum;
      __syncthreads();
      sum += partial[turn][thread ^ distance];
      turn ^= 1;
    }
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xffffffffU, sum, distance);
    }
    if (thread == 0) p.y[row] = sum;
  }
}
