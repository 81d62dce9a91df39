// Idea: a thread for each row. The thread walks along its row.
// Expected: the lanes of a warp read from 32 rows at once. A load of A touches 32 sectors and uses
//   4 bytes of each. The other 28 may have left the cache when they are needed. All lanes read the
//   same element of x: one sector a load.
// Next limit: memory transactions, 32 for most loads of A.
#include "problem.hpp"

extern "C" __global__ void gemv(warpwise::ladders::GemvProblem p) {
  const long long stride = static_cast<long long>(gridDim.x) * BLOCK_X;
  for (long long row = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x; row < p.rows;
       row += stride) {
    const float* const a = p.a + row * p.pitch;
    float sum = 0;
    for (long long column = 0; column < p.columns; ++column) sum += a[column] * p.x[column];
    p.y[row] = sum;
  }
}
