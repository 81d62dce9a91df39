// Idea: a thread matches an image block: it scores all displacements in turn and keeps the best.
// Expected: one thread for each image block, fewer threads than a GPU needs to be busy. Adjacent
//   threads read pixels a block's width apart, so that each byte costs a transaction of its own.
// Next limit: parallelism. A thread has the whole search area to itself.
#include "candidates.cuh"

using namespace warpwise::ladders;

extern "C" __global__ void match(MatchProblem p) {
  const long long number = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (number >= p.columns * p.rows) return;
  const Block block(p, number);
  Best best;
  for (int i = 0; i < p.search; ++i) {
    for (int j = 0; j < p.search; ++j) {
      const int dx = p.first + j;
      const int dy = p.first + i;
      if (!block.stays_inside(p, dx, dy)) continue;
      Sums sums;
      for (int y = 0; y < p.size; ++y) {
        const unsigned char* a = p.reference + (block.y + y) * p.reference_pitch + block.x;
        const unsigned char* b = p.target + (block.y + dy + y) * p.target_pitch + block.x + dx;
#pragma unroll 1
        for (int x = 0; x < p.size; ++x) sums.add(a[x], b[x]);
      }
      best.offer(sums.score(), static_cast<unsigned>(i) * p.search + j);
    }
  }
  best.store(p, number);
}
