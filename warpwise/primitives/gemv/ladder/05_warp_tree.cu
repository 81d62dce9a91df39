// Idea: shuffles first: every warp sums its own lanes. Only the warps' sums go through shared
//   memory to the first warp, which adds them.
// Expected: one barrier a row instead of one for each halving of the block, and a word of shared
//   memory for each warp.
// Next limit: the block still waits at a barrier for each row, and warps that arrive early idle.
#include "problem.hpp"

using warpwise::ladders::GemvProblem;

__device__ float x_at(const GemvProblem& p, long long column) {
  return tex1Dfetch<float>(p.x_texture, p.x_first + static_cast<int>(column));
}

__device__ float sum_of_warp(float sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  }
  return sum;
}

extern "C" __global__ void gemv(GemvProblem p) {
  constexpr int warps = BLOCK_X / 32;
  static_assert(BLOCK_X % 32 == 0 && warps <= 32, "one warp sums what the warps have summed");
  // Two arrays, used alternately: other warps write the next row's sums while the first warp reads.
  __shared__ float warp_sum[2][warps];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  int turn = 0;
  for (long long row = blockIdx.x; row < p.rows; row += gridDim.x) {
    const float* const a = p.a + row * p.pitch;
    float sum = 0;
    for (long long column = thread; column < p.columns; column += BLOCK_X) {
      sum += a[column] * x_at(p, column);
    }
    sum = sum_of_warp(sum);
    if (lane == 0) warp_sum[turn][warp] = sum;
    __syncthreads();
    if (warp == 0) {
      sum = sum_of_warp(lane < warps ? warp_sum[turn][lane] : 0);
      if (lane == 0) p.y[row] = sum;
    }
    turn ^= 1;
  }
}
