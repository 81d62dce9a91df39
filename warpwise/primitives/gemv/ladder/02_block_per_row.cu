// Idea: a block for each row; thread t sums the columns t, t + BLOCK_X, ..., and a tree in shared
//   memory adds the threads' sums. X_IN_TEXTURE and A_IN_TEXTURE select what is read as a texture.
// Expected: the lanes of a warp read adjacent floats: four sectors a load, fully used. x is read
//   again for each row, from a cache; old GPUs cached only textures.
// Next limit: the tree. Adjacent threads add floats two, four, ... apart, which are in ever fewer
//   banks: one access takes up to 32 passes.
#include "problem.hpp"

using warpwise::ladders::GemvProblem;

__device__ float a_at(const GemvProblem& p, long long row, long long column) {
  const long long at = row * p.pitch + column;
  return A_IN_TEXTURE ? tex1Dfetch<float>(p.a_texture, p.a_first + static_cast<int>(at)) : p.a[at];
}

__device__ float x_at(const GemvProblem& p, long long column) {
  return X_IN_TEXTURE ? tex1Dfetch<float>(p.x_texture, p.x_first + static_cast<int>(column))
                      : p.x[column];
}

extern "C" __global__ void gemv(GemvProblem p) {
  static_assert((BLOCK_X & (BLOCK_X - 1)) == 0, "the tree halves the block");
  __shared__ float partial[BLOCK_X];
  const int thread = static_cast<int>(threadIdx.x);
  for (long long row = blockIdx.x; row < p.rows; row += gridDim.x) {
    float sum = 0;
    for (long long column = thread; column < p.columns; column += BLOCK_X) {
      sum += a_at(p, row, column) * x_at(p, column);
    }
    partial[thread] = sum;
    __syncthreads();
    for (int distance = 1; distance < BLOCK_X; distance *= 2) {
      const int at = 2 * distance * thread;
      if (at < BLOCK_X) partial[at] += partial[at + distance];
      __syncthreads();
    }
    // Only thread 0 reads or writes partial[0] until the next barrier.
    if (thread == 0) p.y[row] = partial[0];
  }
}
