// Idea: a first kernel stores, for each pixel and displacement, the sum over a column of a block's
//   height. A score adds as many of these sums as a block is wide. With SLIDE a thread of the first
//   kernel moves down SLIDE rows: it adds the entering difference and subtracts the leaving one.
// Expected: a score takes 2 · side additions instead of side², where side is the block's. The
//   searches for left and for right pixels share the sums, so differences are computed once.
//   Each sum of 2 bytes is written once, and each search reads it side times, mostly from caches.
// Next limit: reads of sums. Without SLIDE also differences, because each sum takes side of them.
#include "pairs.cuh"

using namespace warpwise::ladders;

/// Returns the sums: for each displacement and row, those of columns −half … width + half − 1.
__device__ unsigned short* column_sums(const DisparityProblem& p) {
  return reinterpret_cast<unsigned short*>(right_best(p) + p.width * p.height);
}
__device__ long long column_at(const DisparityProblem& p, int x, int y, int d) {
  return (static_cast<long long>(d) * p.height + y) * (p.width + 2 * p.half) + x + p.half;
}

extern "C" __global__ void columns(DisparityProblem p) {
  const int across = p.width + 2 * p.half;
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const int x = static_cast<int>(i % across) - p.half;
  const int strips = (p.height + SLIDE - 1) / SLIDE;
  const int top = static_cast<int>(i / across % strips) * SLIDE;
  const int d = static_cast<int>(i / across / strips);
  if (d >= p.count) return;
  unsigned short* sums = column_sums(p);
  unsigned sum = 0;
  for (int j = -p.half; j <= p.half; ++j) sum += difference<true>(p, x, top + j, d);
  const int end = min(top + SLIDE, p.height);
  for (int y = top; y < end; ++y) {
    sums[column_at(p, x, y, d)] = static_cast<unsigned short>(sum);
    if (y + 1 < end) {
      sum += difference<true>(p, x, y + 1 + p.half, d) - difference<true>(p, x, y - p.half, d);
    }
  }
}

template <bool from_left>
__device__ void match(const DisparityProblem& p) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= p.width * p.height) return;
  const int x = i % p.width;
  const int y = i / p.width;
  const unsigned short* sums = column_sums(p);
  Best best;
  for (int d = 0; d < p.count && exists<from_left>(p, x, d); ++d) {
    const unsigned short* row = sums + column_at(p, from_left ? x : x + d, y, d);
    unsigned sum = 0;
    for (int k = -p.half; k <= p.half; ++k) sum += row[k];
    best.offer(sum, d);
  }
  best_of<from_left>(p)[i] = static_cast<short>(best.displacement);
}

extern "C" __global__ void from_left(DisparityProblem p) { match<true>(p); }
extern "C" __global__ void from_right(DisparityProblem p) { match<false>(p); }
