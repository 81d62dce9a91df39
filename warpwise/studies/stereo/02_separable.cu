// Idea: the sums over a block's height are made once for each column and displacement, and kept in
//   memory; both directions add up a block's width of them. With SLIDE a thread moves down SLIDE
//   rows, a difference in and one out.
// Expected: twice a block's side of additions in place of its area, and one direction's differences
// in
//   place of two. In exchange 2 bytes for each pixel and displacement are written once and read
//   twice a block's width times, mostly from the caches.
// Next limit: these reads; without SLIDE the differences, a block's height of them for each sum.
#include "stereo.cuh"

using namespace warpwise::studies;

/// Sums of columns −half … width + half − 1, for each row, for each displacement.
__device__ unsigned short* columns_of(const Stereo& p, void* scratch) {
  return static_cast<unsigned short*>(scratch) + p.width * p.height;
}
__device__ long long column_at(const Stereo& p, int x, int y, int d) {
  return (static_cast<long long>(d) * p.height + y) * (p.width + 2 * p.half) + x + p.half;
}

extern "C" __global__ void columns(const unsigned char* left, const unsigned char* right, short*,
                                   void* scratch, int width, int height, int half, int count) {
  const Stereo p{left, right, width, height, half, count};
  const int across = width + 2 * half;
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  const int x = static_cast<int>(i % across) - half;
  const int strips = (height + SLIDE - 1) / SLIDE;
  const int top = static_cast<int>(i / across % strips) * SLIDE;
  const int d = static_cast<int>(i / across / strips);
  if (d >= count) return;
  unsigned short* sums = columns_of(p, scratch);
  unsigned sum = 0;
  for (int j = -half; j <= half; ++j) sum += p.difference<true>(x, top + j, d);
  const int end = min(top + SLIDE, height);
  for (int y = top; y < end; ++y) {
    sums[column_at(p, x, y, d)] = static_cast<unsigned short>(sum);
    if (y + 1 < end)
      sum += p.difference<true>(x, y + 1 + half, d) - p.difference<true>(x, y - half, d);
  }
}

template <bool from_left>
__device__ void match(const Stereo& p, void* scratch, short* best_of) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= p.width * p.height) return;
  const int x = i % p.width;
  const int y = i / p.width;
  const unsigned short* sums = columns_of(p, scratch);
  Best best;
  for (int d = 0; d < p.count && p.exists<from_left>(x, d); ++d) {
    const unsigned short* row = sums + column_at(p, from_left ? x : x + d, y, d);
    unsigned sum = 0;
    for (int k = -p.half; k <= p.half; ++k) sum += row[k];
    best.offer(sum, d);
  }
  best_of[i] = static_cast<short>(best.displacement);
}

extern "C" __global__ void from_left(const unsigned char* left, const unsigned char* right,
                                     short* out, void* scratch, int width, int height, int half,
                                     int count) {
  match<true>({left, right, width, height, half, count}, scratch, out);
}

extern "C" __global__ void from_right(const unsigned char* left, const unsigned char* right, short*,
                                      void* scratch, int width, int height, int half, int count) {
  match<false>({left, right, width, height, half, count}, scratch, static_cast<short*>(scratch));
}
