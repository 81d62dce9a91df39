#pragma once

#include "warpwise/primitives/find/arguments.hpp"
#include "warpwise/primitives/find/ranking.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/shared/matching.hpp"
#include "warpwise/primitives/shared/unaligned.cuh"

// How find's kernels choose the best place. nvcc and NVRTC compile this file without host headers.
namespace warpwise::kernels::find {

/// Leaves the best of all threads' places in best[0], visible to all threads. All threads must call
/// it.
template <int threads>
__device__ inline void rank_block(FindPlace (&best)[threads], const FindPlace& mine,
                                  Measure measure) {
  const int thread = static_cast<int>(threadIdx.x);
  best[thread] = mine;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (thread < step && detail::find::ranks_before(best[thread + step], best[thread], measure)) {
      best[thread] = best[thread + step];
    }
    __syncthreads();
  }
}

/// Writes the score of the place (x, y) of the band to the map.
__device__ inline void store_score(const FindArguments& a, int64_t x, int64_t y, double score) {
  unsigned char* to = a.map + y * a.map_pitch + 4 * x;
  if (a.integers)
    store_word(to, static_cast<unsigned>(score));
  else
    store_float(to, static_cast<float>(score));
}

/// Loads pixels x to x + 15 of row y of the image. Pixels beyond the image's edges are zero.
__device__ inline uint4 load_pixels(const FindArguments& a, int64_t x, int64_t y) {
  if (y >= a.image_height) return {};
  const unsigned char* row = a.image + y * a.image_pitch;
  if (x + 16 <= a.image_width && (reinterpret_cast<cuda::std::uintptr_t>(row + x) & 15) == 0) {
    return *reinterpret_cast<const uint4*>(row + x);
  }
  unsigned words[4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (x + 4 * i < a.image_width) words[i] = load_word(row, x + 4 * i, a.image_width);
  }
  return {words[0], words[1], words[2], words[3]};
}

/// Writes the best of `count` candidates to `to`, at any alignment. Runs as one block of threads.
__global__ void __launch_bounds__(find_threads)
    find_best_kernel(const FindPlace* candidates, int64_t count, Measure measure,
                     unsigned char* to) {
  __shared__ FindPlace best[find_threads];
  FindPlace mine{0, 0, detail::find::worst_score(measure)};
  follow_launch();
  for (int64_t i = threadIdx.x; i < count; i += find_threads) {
    if (detail::find::ranks_before(candidates[i], mine, measure)) mine = candidates[i];
  }
  rank_block(best, mine, measure);
  const auto* bytes = reinterpret_cast<const unsigned char*>(best);
  if (threadIdx.x < sizeof(FindPlace)) to[threadIdx.x] = bytes[threadIdx.x];
}

}  // namespace warpwise::kernels::find
