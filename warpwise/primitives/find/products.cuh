#pragma once

#include <cuda/std/type_traits>

#include "warpwise/primitives/find/scores.cuh"
#include "warpwise/primitives/shared/toeplitz.cuh"

// find's kernel for ssd, ncc and zncc: sums of products by integer matrix units, as toeplitz.cuh
// explains. nvcc and NVRTC compile this file; it includes no host headers.
namespace warpwise::kernels::find {

// A chunk is the part of the template in shared memory at a time: up to 32 rows, and up to 2 steps
// of 32 columns k of their Toeplitz matrix. With its part of the image it takes 40 KiB.
inline constexpr int products_chunk_rows = 32;
inline constexpr int products_chunk_steps = 2;
// A row has 16 bytes more than its pixels, so that 8 rows are in different banks.
inline constexpr int products_image_words = 8 * (products_warps_x + products_chunk_steps - 1) + 4;
inline constexpr int products_templ_words = 8 * (products_chunk_steps + 1);
// The sums of 32 chunks fit 32 bits: a chunk has 2048 pixels, and 32 · 2048 · 255² < 2^32.
inline constexpr int products_chunks_in_32_bits = 32;

template <int groups>
struct ProductsShared {
  static constexpr int rows = products_tile_rows(groups) + products_chunk_rows;
  union {
    alignas(16) unsigned image[rows][products_image_words];
    // Rows have 40 words, so that pairs of words in 4 rows are in different banks.
    unsigned exchange[find_threads / 32][16][40];
  };
  ToeplitzRow<products_templ_words> templ[products_chunk_rows];
  unsigned long long templ_sum;
  unsigned long long templ_squares;
  FindPlace best[find_threads];
};

/// A part of the template.
struct ProductsChunk {
  int64_t x;  ///< first column k of the template's Toeplitz matrix
  int64_t y;  ///< first row of the template
  int steps;  ///< number of steps of 32 columns
  int rows;
};

template <int groups>
using ProductsSums = MatrixSums[groups][products_columns / 8];

/// Copies into shared memory a chunk of the template, and the part of the image with which the
/// tile's places compare it. Pixels beyond an edge of either are zeros. Adds the template's pixels
/// that this thread copies, and their squares, to `templ`.
template <int groups>
__device__ void load_chunk(const FindArguments& a, ProductsShared<groups>& s, int64_t tile_x,
                           int64_t tile_y, const ProductsChunk& chunk, ulonglong2& templ) {
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int pieces = products_image_words / 4 - 1;
#pragma unroll 4
  for (int i = thread; i < s.rows * pieces; i += find_threads) {
    const int row = i / pieces, piece = i % pieces;
    *reinterpret_cast<uint4*>(&s.image[row][4 * piece]) =
        load_pixels(a, tile_x + chunk.x + 16 * piece, tile_y + chunk.y + row);
  }
  unsigned sum = 0, squares = 0;
  for (int i = thread; i < products_chunk_rows * products_templ_words; i += find_threads) {
    const int row = i / products_templ_words, word = i % products_templ_words;
    const int64_t x = chunk.x + 4 * (word - 8), y = chunk.y + row;
    unsigned pixels = 0, before = 0;
    if (y < a.templ_height) {
      const unsigned char* from = a.templ + y * a.templ_pitch;
      if (x >= 0 && x < a.templ_width) pixels = load_word(from, x, a.templ_width);
      if (x >= 4 && x - 4 < a.templ_width) before = load_word(from, x - 4, a.templ_width);
    }
    s.templ[row].set(word, before, pixels);
    if (word < 8 || word >= 8 * (chunk.steps + 1)) continue;  // pixels of other chunks
    sum = __dp4a(pixels, 0x01010101U, sum);
    squares = __dp4a(pixels, pixels, squares);
  }
  templ.x += sum;
  templ.y += squares;
}

/// Adds one step's products. `first`, `last`: true for the first or last step of a template's row.
template <bool first, bool last, int groups>
__device__ void add_step(const ProductsShared<groups>& s, int step, int rows,
                         ProductsSums<groups>& sums) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const unsigned* image =
      &s.image[warp / products_warps_x * 16 * groups][8 * (warp % products_warps_x + step)] +
      toeplitz_pixels(products_image_words, 8 * groups);
  for (int offset = 0; offset < min(rows, 8); ++offset) {
    add_toeplitz<first, last, products_chunk_rows>(image + offset * products_image_words,
                                                   products_image_words, s.templ[offset].lane(step),
                                                   4 * products_templ_words, rows - offset, sums);
  }
}

template <int groups>
__device__ void add_chunk(const FindArguments& a, const ProductsShared<groups>& s,
                          const ProductsChunk& chunk, ProductsSums<groups>& sums) {
  for (int step = 0; step < chunk.steps; ++step) {
    const int64_t x = chunk.x + 32 * step;
    if (x == 0)
      add_step<true, false>(s, step, chunk.rows, sums);
    else if (x + 1 >= a.templ_width)
      add_step<false, true>(s, step, chunk.rows, sums);
    else
      add_step<false, false>(s, step, chunk.rows, sums);
  }
}

inline constexpr int products_column = places_together;

/// Calls use(x, y, sums) with the sums of each column of 8 places of this warp, from (x, y) on, and
/// sets the sums to 0. Adjacent lanes have adjacent columns. A warp exchanges its sums through its
/// own part of the shared memory of the image, which it overwrites.
template <int groups, class Use>
__device__ void use_sums(ProductsShared<groups>& s, int64_t tile_x, int64_t tile_y,
                         ProductsSums<groups>& sums, Use use) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t x = tile_x + warp % products_warps_x * products_columns + lane;
  const int64_t top = tile_y + warp / products_warps_x * 16 * groups;
  auto* exchange = s.exchange[warp];
#pragma unroll 1
  for (int m = 0; m < groups; ++m) {
    store_sums<40>(sums[0], &exchange[0][0], 8);
    // The outer loop stays rolled, which keeps the code small. The inner ones are unrolled, because
    // registers need constant indices.
#pragma unroll
    for (int n = 0; n < products_columns / 8; ++n) {
#pragma unroll
      for (int i = 0; i + 1 < groups; ++i) sums[i][n] = sums[i + 1][n];
      sums[groups - 1][n] = {};
    }
    __syncwarp();
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      unsigned column[products_column];
#pragma unroll
      for (int i = 0; i < products_column; ++i) column[i] = exchange[8 * half + i][lane];
      use(x, top + 8 * m + 8 * groups * half, column);
    }
    __syncwarp();
  }
}

/// Sums the products of the whole template at this thread's places, chunk by chunk. Stores the
/// template's own sums in shared memory. If `wide`, moves `sums` to scratch memory every 32 chunks;
/// at the end `sums` holds only those of the remaining chunks. All threads must call it.
template <bool wide, int groups>
__device__ void sum_products(const FindArguments& a, ProductsShared<groups>& s, int64_t tile_x,
                             int64_t tile_y, ProductsSums<groups>& sums) {
  if (threadIdx.x == 0) s.templ_sum = s.templ_squares = 0;
  const int64_t steps = (a.templ_width + products_columns - 1 + 31) / 32;
  ulonglong2 templ{0, 0};
  [[maybe_unused]] int chunks = 0;
  for (int64_t y = 0; y < a.templ_height; y += products_chunk_rows) {
    for (int64_t step = 0; step < steps; step += products_chunk_steps) {
      const ProductsChunk chunk{
          32 * step, y, static_cast<int>(min(steps - step, int64_t{products_chunk_steps})),
          static_cast<int>(min(a.templ_height - y, int64_t{products_chunk_rows}))};
      load_chunk(a, s, tile_x, tile_y, chunk, templ);
      __syncthreads();
      add_chunk(a, s, chunk, sums);
      __syncthreads();
      if constexpr (wide) {
        if (++chunks % products_chunks_in_32_bits != 0) continue;
        const bool begin = chunks == products_chunks_in_32_bits;
        use_sums(s, tile_x, tile_y, sums,
                 [&](int64_t px, int64_t py, const unsigned(&column)[products_column]) {
#pragma unroll
                   for (int i = 0; i < products_column; ++i) {
                     if (px >= a.columns || py + i >= a.rows) continue;
                     unsigned long long& carried = a.products[(py + i) * a.scratch_pitch + px];
                     carried = begin ? column[i] : carried + column[i];
                   }
                 });
        __syncthreads();
      }
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    templ.x += __shfl_xor_sync(0xffffffffU, templ.x, distance);
    templ.y += __shfl_xor_sync(0xffffffffU, templ.y, distance);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&s.templ_sum, templ.x);
    atomicAdd(&s.templ_squares, templ.y);
  }
  __syncthreads();
}

/// Scores a column of places from (x, y) on, for the map and the best place.
template <Measure measure, class Sum>
__device__ inline void score_column(const FindArguments& a, PlaceScores<measure, Sum>& scores,
                                    int64_t x, int64_t y,
                                    const unsigned (&products)[products_column]) {
  Sum sums[products_column];
#pragma unroll
  for (int i = 0; i < products_column; ++i) {
    sums[i] = products[i];
    if constexpr (sizeof(Sum) == 8) {
      sums[i] += a.products[min(y + i, a.rows - 1) * a.scratch_pitch + min(x, a.columns - 1)];
    }
  }
  const int count = x < a.columns ? static_cast<int>(min(a.rows - y, int64_t{products_column})) : 0;
  score_places(a, scores, sums, (1U << max(count, 0)) - 1,
               [&](int i) { return longlong2{x, y + i}; });
}

/// Scores all places by sums of products. Grid: x over tiles of places, y strides over rows of
/// tiles. `wide`: 32 bits cannot hold the template's sums of products.
template <Measure measure, bool wide, int groups>
__global__ void __launch_bounds__(find_threads, 2) products_kernel(FindArguments a) {
  using Sum = cuda::std::conditional_t<wide, unsigned long long, unsigned>;
  __shared__ ProductsShared<groups> s;
  constexpr int tile_rows = products_tile_rows(groups);
  const int64_t tile_x = int64_t{blockIdx.x} * products_tile_columns;
  FindPlace best{0, 0, detail::find::worst_score(measure)};
  follow_launch();
  for (int64_t tile_y = int64_t{blockIdx.y} * tile_rows; tile_y < a.rows;
       tile_y += int64_t{gridDim.y} * tile_rows) {
    ProductsSums<groups> sums{};
    sum_products<wide>(a, s, tile_x, tile_y, sums);
    PlaceScores<measure, Sum> scores{
        {a.templ_width * a.templ_height, s.templ_sum, s.templ_squares}, -2, s.templ_squares, best};
    use_sums(s, tile_x, tile_y, sums,
             [&](int64_t x, int64_t y, const unsigned(&column)[products_column]) {
               score_column(a, scores, x, y, column);
             });
    best = scores.best;
    // The next tile resets the template's sums, which all threads must have read before.
    __syncthreads();
  }
  rank_block(s.best, best, measure);
  if (threadIdx.x == 0) a.candidates[int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = s.best[0];
}

}  // namespace warpwise::kernels::find
