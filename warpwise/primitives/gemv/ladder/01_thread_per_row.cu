// Idea: a thread for each row. It walks along the row.
// Expected: at every moment the lanes of a warp read from 32 rows. A load of A touches 32 sectors
//   for 4 bytes of each; the other 28 may or may not still be cached when they are needed. x is the
//   same for all lanes: one sector a load.
// Next limit: transactions.
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
