#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/find/ranking.hpp"
#include "warpwise/primitives/shared/matching.hpp"
#include "warpwise/primitives/shared/unaligned.cuh"

// The kernels of find. Fit for nvcc and NVRTC: no host headers of their own.
namespace warpwise::kernels::find {

using cuda::std::int64_t;

inline constexpr int find_threads = 256;
// Places that a thread scores: the 4 of a word of pixels, in as many rows, so that a word from
// shared memory serves 16 packed products.
inline constexpr int find_places = 4;
inline constexpr int find_tile_columns = 32 * find_places;
inline constexpr int find_tile_rows = find_threads / 32 * find_places;
// The part of the template that lies in shared memory at a time; with its part of the image 9 KiB.
inline constexpr int find_chunk_words = 8;
inline constexpr int find_chunk_rows = 16;
inline constexpr int find_image_words = find_tile_columns / 4 + find_chunk_words;
inline constexpr int find_image_rows = find_tile_rows + find_chunk_rows - 1;

/// The device's name for Finding.
struct FindPlace {
  int64_t x;
  int64_t y;
  double score;
};

struct FindArguments {
  const unsigned char* templ;
  const unsigned char* image;
  unsigned char* map;     ///< u32 or f32 at any alignment, or null
  FindPlace* candidates;  ///< the best place of each block of threads
  int64_t templ_pitch;
  int64_t templ_width;
  int64_t templ_height;
  int64_t image_pitch;
  int64_t image_width;
  int64_t image_height;
  int64_t map_pitch;
  int64_t columns;  ///< of places
  int64_t rows;
  bool integers;  ///< whether the map is u32
};

struct FindShared {
  unsigned image[find_image_rows][find_image_words];
  unsigned templ[find_chunk_rows][find_chunk_words];
  unsigned long long templ_sum;
  unsigned long long templ_squares;
  FindPlace best[find_threads];
};

/// What a thread sums up for its places.
struct FindSums {
  unsigned long long ab[find_places][find_places];  ///< or the absolute differences; [row][column]
  unsigned long long bb[find_places][find_places];
  unsigned b[find_places][find_places];  ///< 255 · 11 million pixels stay below 2^32
};

/// Brings a chunk of the template from (x, y) on, and what of the image the places at (tile_x,
/// tile_y) compare it with, into shared memory, zeros beyond their edges. Returns this thread's
/// part of the chunk's sum and squares.
__device__ inline uint2 load_chunk(const FindArguments& a, FindShared& s, int64_t tile_x,
                                   int64_t tile_y, int64_t x, int64_t y) {
  uint2 sums{0, 0};
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < find_chunk_rows * find_chunk_words; i += find_threads) {
    const int row = i / find_chunk_words, word = i % find_chunk_words;
    unsigned pixels = 0;
    if (y + row < a.templ_height && x + 4 * word < a.templ_width) {
      pixels = load_word(a.templ + (y + row) * a.templ_pitch, x + 4 * word, a.templ_width);
    }
    s.templ[row][word] = pixels;
    sums.x = __dp4a(pixels, 0x01010101U, sums.x);
    sums.y = __dp4a(pixels, pixels, sums.y);
  }
  for (int i = thread; i < find_image_rows * find_image_words; i += find_threads) {
    const int row = i / find_image_words, word = i % find_image_words;
    const int64_t image_x = tile_x + x + 4 * word, image_y = tile_y + y + row;
    unsigned pixels = 0;
    if (image_y < a.image_height && image_x < a.image_width) {
      pixels = load_word(a.image + image_y * a.image_pitch, image_x, a.image_width);
    }
    s.image[row][word] = pixels;
  }
  return sums;
}

/// Adds the chunk in shared memory, `rows` rows of `width` pixels, to the sums of this thread's
/// places.
template <Measure measure>
__device__ void add_chunk(const FindShared& s, int rows, int width, FindSums& sums) {
  constexpr bool products = measure != Measure::sad;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int top = static_cast<int>(threadIdx.x) / 32 * find_places;
  const int words = (width + 3) / 4;
  const unsigned tail = 0xffffffffU >> (8 * (4 * words - width));
  unsigned acc[find_places][find_places] = {};
  for (int j = 0; j < rows + find_places - 1; ++j) {
    [[maybe_unused]] unsigned row_b[find_places] = {}, row_bb[find_places] = {};
    unsigned word = s.image[top + j][lane];
    for (int k = 0; k < words; ++k) {
      const unsigned next = s.image[top + j][lane + k + 1];
      const unsigned mask = k + 1 == words ? tail : 0xffffffffU;
#pragma unroll
      for (int i = 0; i < find_places; ++i) {
        const unsigned pixels = __funnelshift_r(word, next, 8 * i) & mask;
#pragma unroll
        for (int q = 0; q < find_places; ++q) {
          // Row j of the image meets row j − q of the template at this thread's row q of places.
          if (j < q || j - q >= rows) continue;
          const unsigned wanted = s.templ[j - q][k];
          acc[q][i] =
              products ? __dp4a(pixels, wanted, acc[q][i]) : acc[q][i] + __vsadu4(pixels, wanted);
        }
        if constexpr (products) {
          row_bb[i] = __dp4a(pixels, pixels, row_bb[i]);
          if constexpr (measure == Measure::zncc) row_b[i] = __dp4a(pixels, 0x01010101U, row_b[i]);
        }
      }
      word = next;
    }
    if constexpr (products) {
#pragma unroll
      for (int q = 0; q < find_places; ++q) {
        if (j < q || j - q >= rows) continue;
#pragma unroll
        for (int i = 0; i < find_places; ++i) {
          sums.bb[q][i] += row_bb[i];
          sums.b[q][i] += row_b[i];
        }
      }
    }
  }
#pragma unroll
  for (int q = 0; q < find_places; ++q) {
#pragma unroll
    for (int i = 0; i < find_places; ++i) sums.ab[q][i] += acc[q][i];
  }
}

/// The score from what a place has summed up, a, b and ab as in matching.hpp.
template <Measure measure>
__device__ double find_score(long long n, long long a, long long aa, long long b, long long bb,
                             long long ab) {
  if constexpr (measure == Measure::sad)
    return static_cast<double>(ab);
  else if constexpr (measure == Measure::ssd)
    return static_cast<double>(aa - 2 * ab + bb);
  else if constexpr (measure == Measure::ncc)
    return ncc_score(ab, aa, bb);
  else
    return zncc_score(n, a, b, ab, aa, bb);
}

/// Leaves the best of all threads' places in s.best[0], for all to see. To be called by all
/// threads.
__device__ inline void rank_block(FindPlace (&best)[find_threads], const FindPlace& mine,
                                  Measure measure) {
  const int thread = static_cast<int>(threadIdx.x);
  best[thread] = mine;
  __syncthreads();
  for (int step = find_threads / 2; step > 0; step /= 2) {
    if (thread < step && detail::find::ranks_before(best[thread + step], best[thread], measure)) {
      best[thread] = best[thread + step];
    }
    __syncthreads();
  }
}

/// Sums of the whole template at this thread's places of the tile, chunk by chunk; the template's
/// own sums are added up in shared memory. To be called by all threads.
template <Measure measure>
__device__ void sum_tile(const FindArguments& a, FindShared& s, int64_t tile_x, int64_t tile_y,
                         FindSums& sums) {
  if (threadIdx.x == 0) s.templ_sum = s.templ_squares = 0;
  unsigned long long templ_sum = 0, templ_squares = 0;
  for (int64_t y = 0; y < a.templ_height; y += find_chunk_rows) {
    for (int64_t x = 0; x < a.templ_width; x += 4 * find_chunk_words) {
      const uint2 part = load_chunk(a, s, tile_x, tile_y, x, y);
      templ_sum += part.x;
      templ_squares += part.y;
      __syncthreads();
      add_chunk<measure>(s, static_cast<int>(min(a.templ_height - y, int64_t{find_chunk_rows})),
                         static_cast<int>(min(a.templ_width - x, int64_t{4 * find_chunk_words})),
                         sums);
      __syncthreads();
    }
  }
  atomicAdd(&s.templ_sum, templ_sum);
  atomicAdd(&s.templ_squares, templ_squares);
  __syncthreads();
}

/// Grid: x over tiles of places, y strides over rows of tiles.
template <Measure measure>
__global__ void __launch_bounds__(find_threads) find_kernel(FindArguments a) {
  __shared__ FindShared s;
  const int64_t tile_x = int64_t{blockIdx.x} * find_tile_columns;
  const int64_t x = tile_x + static_cast<int>(threadIdx.x) % 32 * find_places;
  FindPlace best{0, 0, detail::find::worst_score(measure)};
  for (int64_t tile_y = int64_t{blockIdx.y} * find_tile_rows; tile_y < a.rows;
       tile_y += int64_t{gridDim.y} * find_tile_rows) {
    FindSums sums{};
    sum_tile<measure>(a, s, tile_x, tile_y, sums);
    const int64_t y = tile_y + static_cast<int>(threadIdx.x) / 32 * find_places;
    const auto templ_sum = static_cast<long long>(s.templ_sum);
    const auto templ_squares = static_cast<long long>(s.templ_squares);
#pragma unroll
    for (int q = 0; q < find_places; ++q) {
#pragma unroll
      for (int i = 0; i < find_places; ++i) {
        if (x + i >= a.columns || y + q >= a.rows) continue;
        const double score = find_score<measure>(
            a.templ_width * a.templ_height, templ_sum, templ_squares, sums.b[q][i],
            static_cast<long long>(sums.bb[q][i]), static_cast<long long>(sums.ab[q][i]));
        const FindPlace here{x + i, y + q, score};
        if (detail::find::ranks_before(here, best, measure)) best = here;
        if (a.map == nullptr) continue;
        unsigned char* to = a.map + (y + q) * a.map_pitch + 4 * (x + i);
        if (a.integers)
          store_word(to, static_cast<unsigned>(score));
        else
          store_float(to, static_cast<float>(score));
      }
    }
    // The next tile starts its sums of the template anew: not before all have read these.
    __syncthreads();
  }
  rank_block(s.best, best, measure);
  if (threadIdx.x == 0) a.candidates[int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = s.best[0];
}

/// Writes the best of `count` candidates to `to`, at any alignment. One block of threads.
__global__ void __launch_bounds__(find_threads)
    find_best_kernel(const FindPlace* candidates, int64_t count, Measure measure,
                     unsigned char* to) {
  __shared__ FindPlace best[find_threads];
  FindPlace mine{0, 0, detail::find::worst_score(measure)};
  for (int64_t i = threadIdx.x; i < count; i += find_threads) {
    if (detail::find::ranks_before(candidates[i], mine, measure)) mine = candidates[i];
  }
  rank_block(best, mine, measure);
  const auto* bytes = reinterpret_cast<const unsigned char*>(best);
  if (threadIdx.x < sizeof(FindPlace)) to[threadIdx.x] = bytes[threadIdx.x];
}

}  // namespace warpwise::kernels::find
