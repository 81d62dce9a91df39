#pragma once

#include "warpwise/primitives/find/best.cuh"
#include "warpwise/primitives/shared/shifted_words.cuh"

// find's kernel for sad. nvcc and NVRTC compile this file; it includes no host headers itself.
namespace warpwise::kernels::find {

// Size of a chunk: the part of the template that is in shared memory at a time. A chunk and the
// part of the image that it is compared with take 11 KiB.
inline constexpr int differences_chunk_words = 8;
inline constexpr int differences_chunk_rows = 32;

struct DifferencesShared {
  alignas(16) unsigned image[differences_tile_rows + differences_chunk_rows - 1]
                            [differences_tile_columns / 4 + differences_chunk_words];
  unsigned templ[differences_chunk_rows][differences_chunk_words];
  FindPlace best[differences_threads];
};

/// Copies into shared memory the chunk of the template from (x, y) on, and the part of the image
/// with which the tile's places compare it. Pixels beyond an edge of either are zeros.
__device__ inline void load_differences(const FindArguments& a, DifferencesShared& s,
                                        int64_t tile_x, int64_t tile_y, int64_t x, int64_t y) {
  constexpr int image_pieces = (differences_tile_columns / 4 + differences_chunk_words) / 4;
  constexpr int image_rows = differences_tile_rows + differences_chunk_rows - 1;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < differences_chunk_rows * differences_chunk_words;
       i += differences_threads) {
    const int row = i / differences_chunk_words, word = i % differences_chunk_words;
    unsigned pixels = 0;
    if (y + row < a.templ_height && x + 4 * word < a.templ_width) {
      pixels = load_word(a.templ + (y + row) * a.templ_pitch, x + 4 * word, a.templ_width);
    }
    s.templ[row][word] = pixels;
  }
#pragma unroll 4
  for (int i = thread; i < image_rows * image_pieces; i += differences_threads) {
    const int row = i / image_pieces, piece = i % image_pieces;
    *reinterpret_cast<uint4*>(&s.image[row][4 * piece]) =
        load_pixels(a, tile_x + x + 16 * piece, tile_y + y + row);
  }
}

/// Returns c + Σ|a − b| over the four bytes of a word: one instruction on most GPUs.
__device__ inline unsigned add_differences(unsigned a, unsigned b, unsigned c) {
  unsigned sum;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}

/// Adds the differences for 8 words of the chunk, in column k and rows y to y + 7, to the sums of
/// this thread's places. Leaves out rows from `rows` on. `window` holds the image's words of 8 rows
/// in registers; each new row overwrites the oldest.
template <bool masked, bool whole>
__device__ inline void add_eight_rows(const DifferencesShared& s, int k, int y, int rows,
                                      unsigned mask, ShiftedWords (&window)[differences_rows],
                                      unsigned (&sums)[differences_rows][differences_columns]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int top = static_cast<int>(threadIdx.x) / 32 * differences_rows;
#pragma unroll
  for (int i = 0; i < differences_rows; ++i) {
    if (!whole && y + i >= rows) break;
    window[(i + differences_rows - 1) % differences_rows] =
        load_shifts<masked>(&s.image[top + y + i + differences_rows - 1][lane + k], mask);
    const unsigned wanted = s.templ[y + i][k];
#pragma unroll
    for (int q = 0; q < differences_rows; ++q) {
#pragma unroll
      for (int p = 0; p < differences_columns; ++p) {
        sums[q][p] = add_differences(window[(i + q) % differences_rows].at[p], wanted, sums[q][p]);
      }
    }
  }
}

/// Adds the differences of column k of the chunk's words to the sums of this thread's places.
template <bool masked>
__device__ inline void add_word_column(const DifferencesShared& s, int k, int rows, unsigned mask,
                                       unsigned (&sums)[differences_rows][differences_columns]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int top = static_cast<int>(threadIdx.x) / 32 * differences_rows;
  ShiftedWords window[differences_rows];
#pragma unroll
  for (int i = 0; i < differences_rows - 1; ++i) {
    window[i] = load_shifts<masked>(&s.image[top + i][lane + k], mask);
  }
  int y = 0;
  // A branch after each row would take 6 % of the time. Complete groups of 8 rows need no branch.
#pragma unroll 1
  for (; y + differences_rows <= rows; y += differences_rows) {
    add_eight_rows<masked, true>(s, k, y, rows, mask, window, sums);
  }
  if (y < rows) add_eight_rows<masked, false>(s, k, y, rows, mask, window, sums);
}

/// Scores all places by sad. Grid: x over tiles of places, y strides over rows of tiles.
__global__ void __launch_bounds__(differences_threads, 768 / differences_threads)
    differences_kernel(FindArguments a) {
  __shared__ DifferencesShared s;
  constexpr int chunk_width = 4 * differences_chunk_words;
  const int64_t tile_x = int64_t{blockIdx.x} * differences_tile_columns;
  const int64_t x = tile_x + static_cast<int>(threadIdx.x) % 32 * differences_columns;
  unsigned least = 0xffffffffU;  // larger than any sum
  int64_t least_x = 0, least_y = 0;
  follow_launch();
  for (int64_t tile_y = int64_t{blockIdx.y} * differences_tile_rows; tile_y < a.rows;
       tile_y += int64_t{gridDim.y} * differences_tile_rows) {
    // The sums fit 32 bits: 255 times max_find_area (11 million pixels) is below 2^32.
    unsigned sums[differences_rows][differences_columns] = {};
    for (int64_t chunk_y = 0; chunk_y < a.templ_height; chunk_y += differences_chunk_rows) {
      for (int64_t chunk_x = 0; chunk_x < a.templ_width; chunk_x += chunk_width) {
        load_differences(a, s, tile_x, tile_y, chunk_x, chunk_y);
        __syncthreads();
        const int rows =
            static_cast<int>(min(a.templ_height - chunk_y, int64_t{differences_chunk_rows}));
        const int width = static_cast<int>(min(a.templ_width - chunk_x, int64_t{chunk_width}));
        for (int k = 0; k < width / 4; ++k) add_word_column<false>(s, k, rows, 0, sums);
        if (width % 4 != 0) {
          add_word_column<true>(s, width / 4, rows, (1U << (8 * (width % 4))) - 1, sums);
        }
        __syncthreads();
      }
    }
    const int64_t y = tile_y + static_cast<int>(threadIdx.x) / 32 * differences_rows;
    const auto columns = static_cast<int>(min(a.columns - x, int64_t{differences_columns}));
    const auto rows = static_cast<int>(min(a.rows - y, int64_t{differences_rows}));
    unsigned tile_least = 0xffffffffU;
    int at = 0;
#pragma unroll
    for (int q = 0; q < differences_rows; ++q) {
#pragma unroll
      for (int p = 0; p < differences_columns; ++p) {
        // Places are visited in raster order, so the first of equal sums stays.
        if (p < columns && q < rows && sums[q][p] < tile_least) {
          tile_least = sums[q][p];
          at = q * differences_columns + p;
        }
      }
    }
    if (tile_least < least) {
      least = tile_least;
      least_x = x + at % differences_columns;
      least_y = y + at / differences_columns;
    }
    if (a.map == nullptr) continue;
#pragma unroll
    for (int q = 0; q < differences_rows; ++q) {
#pragma unroll
      for (int p = 0; p < differences_columns; ++p) {
        if (p < columns && q < rows) store_score(a, x + p, y + q, sums[q][p]);
      }
    }
  }
  FindPlace best{least_x, a.first_row + least_y, detail::find::worst_score(Measure::sad)};
  if (least != 0xffffffffU) best.score = least;
  rank_block(s.best, best, Measure::sad);
  if (threadIdx.x == 0) a.candidates[int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = s.best[0];
}

}  // namespace warpwise::kernels::find
