// Idea: the tree starts with the largest distance: thread t adds the sum of thread t + distance,
//   for distances from half the block down to 1.
// Expected: the lanes of a warp read and write adjacent words, each in its own bank: one pass for
//   each access. Everything else is the same as in the previous rung.
// Next limit: a comparison and a barrier for each step, although ever fewer threads have work.
#include "problem.hpp"

using warpwise::ladders::GemvProblem;

__device__ float x_at(const GemvProblem& p, long long column) {
  return tex1Dfetch<float>(p.x_texture, p.x_first + static_cast<int>(column));
}

extern "C" __global__ void gemv(GemvProblem p) {
  static_assert((BLOCK_X & (BLOCK_X - 1)) == 0, "the tree halves the block");
  __shared__ float partial[BLOCK_X];
  const int thread = static_cast<int>(threadIdx.x);
  for (long long row = blockIdx.x; row < p.rows; row += gridDim.x) {
    const float* const a = p.a + row * p.pitch;
    float sum = 0;
    for (long long column = thread; column < p.columns; column += BLOCK_X) {
      sum += a[column] * x_at(p, column);
    }
    partial[thread] = sum;
    __syncthreads();
    for (int distance = BLOCK_X / 2; distance > 0; distance /= 2) {
      if (thread < distance) partial[thread] += partial[thread + distance];
      __syncthreads();
    }
    // Only thread 0 reads or writes partial[0] until the next barrier.
    if (thread == 0) p.y[row] = partial[0];
  }
}
