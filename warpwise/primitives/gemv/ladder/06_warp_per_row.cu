// Idea: a warp for each row. The warp shares nothing with other warps. X_IN_TEXTURE says whether x
//   is still read as a texture.
// Expected: no barrier and no shared memory. A warp that is done goes on to its next row while
//   others wait for memory. Each lane's loop is longer, and the tree takes five steps a row.
// Next limit: instructions: each product takes a load of A, a load of x and the loop's own.
#include "problem.hpp"

using warpwise::ladders::GemvProblem;

__device__ float x_at(const GemvProblem& p, long long column) {
  return X_IN_TEXTURE ? tex1Dfetch<float>(p.x_texture, p.x_first + static_cast<int>(column))
                      : p.x[column];
}

__device__ float sum_of_warp(float sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  }
  return sum;
}

extern "C" __global__ void gemv(GemvProblem p) {
  static_assert(BLOCK_X % 32 == 0, "whole warps");
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long stride = static_cast<long long>(gridDim.x) * (BLOCK_X / 32);
  for (long long row = static_cast<long long>(blockIdx.x) * (BLOCK_X / 32) + threadIdx.x / 32;
       row < p.rows; row += stride) {
    const float* const a = p.a + row * p.pitch;
    float sum = 0;
    for (long long column = lane; column < p.columns; column += 32) {
      sum += a[column] * x_at(p, column);
    }
    sum = sum_of_warp(sum);
    if (lane == 0) p.y[row] = sum;
  }
}
