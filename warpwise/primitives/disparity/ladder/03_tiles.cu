// Idea: a block of threads keeps the column sums of a tile in shared memory, for one displacement
//   after the other. Each thread slides along 8 pixels of a row, whose best displacements stay in
//   registers. With AT_ONCE 2 two displacements share a register, 16 bits each.
// Expected: no sum goes through memory, and a displacement of a pixel costs two differences, four
//   additions, and a comparison, whatever the block's side. All of it is done for left pixels and
//   again for right ones. Two displacements in a register halve additions and shared accesses.
// Next limit: instructions, because differences are computed byte by byte with clamped addresses.
#include "pairs.cuh"

using namespace warpwise::ladders;

constexpr int tile_width = 64;
constexpr int tile_height = 32;
constexpr int threads = 256;
constexpr int run = tile_width * tile_height / threads;

extern __shared__ unsigned sums[];

template <bool from_left>
__device__ void match(const DisparityProblem& p) {
  const int across = (p.width + tile_width - 1) / tile_width;
  const int tile_x = static_cast<int>(blockIdx.x) % across * tile_width;
  const int tile_y = static_cast<int>(blockIdx.x) / across * tile_height;
  const int thread = static_cast<int>(threadIdx.x);
  // The pitch is odd, so that a warp's 32 rows are in 32 banks.
  const int pitch = (tile_width + 2 * p.half) | 1;
  const int top = thread / tile_width * run;
  const int row = thread % tile_height;
  const int first = thread / tile_height * run;
  Best best[run];
  for (int d = 0; d < p.count; d += AT_ONCE) {
    for (int c = thread % tile_width; c < tile_width + 2 * p.half; c += tile_width) {
      const auto term = [&](int y) {
        const int x = tile_x + c - p.half;
        const unsigned one = difference<from_left>(p, x, tile_y + y - p.half, d);
        if constexpr (AT_ONCE == 1) return one;
        return one | difference<from_left>(p, x, tile_y + y - p.half, d + 1) << 16;
      };
      unsigned sum = 0;
      for (int j = 0; j <= 2 * p.half; ++j) sum += term(top + j);
      sums[top * pitch + c] = sum;
#pragma unroll
      for (int k = 1; k < run; ++k) {
        sum += term(top + k + 2 * p.half) - term(top + k - 1);
        sums[(top + k) * pitch + c] = sum;
      }
    }
    __syncthreads();
    const unsigned* along = sums + row * pitch + first;
    unsigned sum = 0;
    for (int k = 0; k < 2 * p.half; ++k) sum += along[k];
#pragma unroll
    for (int k = 0; k < run; ++k) {
      sum += along[k + 2 * p.half];
      const int x = tile_x + first + k;
      const unsigned score = AT_ONCE == 1 ? sum : sum & 0xffff;
      if (exists<from_left>(p, x, d)) best[k].offer(score, d);
      if (AT_ONCE == 2 && d + 1 < p.count && exists<from_left>(p, x, d + 1)) {
        best[k].offer(sum >> 16, d + 1);
      }
      sum -= along[k];
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < run; ++k) {
    const int x = tile_x + first + k;
    const int y = tile_y + row;
    if (x < p.width && y < p.height) {
      best_of<from_left>(p)[y * p.width + x] = static_cast<short>(best[k].displacement);
    }
  }
}

extern "C" __global__ void from_left(DisparityProblem p) { match<true>(p); }
extern "C" __global__ void from_right(DisparityProblem p) { match<false>(p); }
