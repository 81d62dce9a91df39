#pragma once

#include <cuda/std/type_traits>

#include "warpwise/primitives/find/best.cuh"
#include "warpwise/primitives/shared/matrix_units.cuh"

// find's kernel for ssd, ncc and zncc: the sums of products by integer matrix units. Fit for nvcc
// and NVRTC: no host headers of their own.
//
// For a row r of the template, 16 rows and 32 columns of places from (x, y) on add up
//
//   ab[m][n] += Σ_k image[y + m + r][x + k] · templ[r][k − n]
//
// which is a product of matrices: the image's pixels as they lie, and a Toeplitz matrix of the
// template's row, 0 where k − n is no column of it. Of w + 31 columns k, rounded up to 32, w meet
// the template at each place.
namespace warpwise::kernels::find {

// A warp has 64 rows of 32 places, so that what it loads of the template serves 4 products; a block
// of threads 2 rows of 4 warps.
inline constexpr int products_rows = 64;
inline constexpr int products_columns = 32;
// Row i of the 8 upper rows of a product is so far above row i of the 8 lower ones: a product of
// the same rows of the image, 8 rows of the template later, is one of other rows of places.
inline constexpr int products_pair = products_rows / 2;
inline constexpr int products_warps_x = 4;
inline constexpr int products_warps_y = 2;
inline constexpr int products_tile_columns = products_warps_x * products_columns;
inline constexpr int products_tile_rows = products_warps_y * products_rows;
// Rows of the template, and 32 columns k, that lie in shared memory at a time; with their part of
// the image 40 KiB.
inline constexpr int products_chunk_rows = 32;
inline constexpr int products_chunk_steps = 2;
inline constexpr int products_image_rows = products_tile_rows + products_chunk_rows;
// One 16 bytes more than the pixels: 8 rows lie in different banks.
inline constexpr int products_image_words = 8 * (products_warps_x + products_chunk_steps - 1) + 4;
// The template's columns from 32 before the chunk's first one on. An odd number of 8 words: the 4
// copies lie in different banks.
inline constexpr int products_templ_words = 8 * (products_chunk_steps + 1);
static_assert(products_templ_words / 8 % 2 == 1);
// 255² · 2048 pixels of a chunk · 32 stays below 2^32.
inline constexpr int products_chunks_in_32_bits = 32;

struct ProductsShared {
  alignas(16) unsigned image[products_image_rows][products_image_words];
  /// Copy i begins i pixels earlier, so that any word of pixels is a word of one of them.
  unsigned templ[products_chunk_rows][4][products_templ_words];
  unsigned long long templ_sum;
  unsigned long long templ_squares;
  FindPlace best[find_threads];
};

/// A part of the template.
struct ProductsChunk {
  int64_t x;  ///< of the template's columns k
  int64_t y;  ///< of the template's rows
  int steps;  ///< of 32 columns
  int rows;
};

using ProductsSums = MatrixSums[products_rows / 16][products_columns / 8];

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

/// Brings a chunk of the template, and what of the image the tile's places compare it with, into
/// shared memory, zeros beyond their edges. Adds this thread's part of the chunk to `templ`.
__device__ inline void load_chunk(const FindArguments& a, ProductsShared& s, int64_t tile_x,
                                  int64_t tile_y, const ProductsChunk& chunk, ulonglong2& templ) {
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int pieces = products_image_words / 4 - 1;
#pragma unroll 4
  for (int i = thread; i < products_image_rows * pieces; i += find_threads) {
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
#pragma unroll
    for (int copy = 0; copy < 4; ++copy) {
      s.templ[row][copy][word] = __funnelshift_l(before, pixels, 8 * copy);
    }
    if (word < 8 || word >= 8 * (chunk.steps + 1)) continue;  // other chunks' pixels
    sum = __dp4a(pixels, 0x01010101U, sum);
    squares = __dp4a(pixels, pixels, squares);
  }
  templ.x += sum;
  templ.y += squares;
}

/// Adds 32 columns k of the chunk. `first` and `last` say that they are the template's first and
/// last ones, for which a half of some of the Toeplitz matrices is zero.
template <bool first, bool last>
__device__ inline void add_step(const ProductsShared& s, int step, int rows, ProductsSums& sums) {
  constexpr int most_rows = products_chunk_rows / 8;
  constexpr int groups = products_rows / 16;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int top = warp / products_warps_x * products_rows;
  const unsigned* image = &s.image[top + lane % 8 + lane / 8 % 2 * products_pair]
                                  [8 * (warp % products_warps_x + step) + lane / 16 * 4];
  const unsigned* templ = &s.templ[0][lane / 4 % 4][8 * step + 2 + lane % 4 - lane / 16];
  for (int offset = 0; offset < min(rows, 8); ++offset) {
    // Rows offset, offset + 8 … of the template meet the same rows of the image, in eights.
    MatrixPair pixels[groups + most_rows - 1];
#pragma unroll
    for (int i = 0; i < groups + most_rows - 1; ++i) {
      pixels[i] = load_pair(image + (offset + 8 * i) * products_image_words);
    }
#pragma unroll
    for (int r = 0; r < most_rows; ++r) {
      if (offset + 8 * r >= rows) break;
      unsigned toeplitz[6];
#pragma unroll
      for (int i = 0; i < 6; ++i) {
        toeplitz[i] = templ[(offset + 8 * r) * 4 * products_templ_words + 2 * i];
      }
#pragma unroll
      for (int m = 0; m < groups; ++m) {
#pragma unroll
        for (int n = 0; n < products_columns / 8; ++n) {
          const unsigned near = toeplitz[3 - n], far = toeplitz[5 - n];
          if (first && n >= 2)
            multiply_add_far(sums[m][n], pixels[m + r], far);
          else if (last && n < 2)
            multiply_add_near(sums[m][n], pixels[m + r], near);
          else
            multiply_add(sums[m][n], pixels[m + r], near, far);
        }
      }
    }
  }
}

__device__ inline void add_chunk(const FindArguments& a, const ProductsShared& s,
                                 const ProductsChunk& chunk, ProductsSums& sums) {
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

/// Calls use(x, y, sum) with each place of this warp that is within the band, neighbouring lanes
/// with neighbouring places, and sets the sums to 0. The image in shared memory is overwritten, by
/// each warp its own part.
template <class Use>
__device__ inline void use_sums(const FindArguments& a, ProductsShared& s, int64_t tile_x,
                                int64_t tile_y, ProductsSums& sums, Use use) {
  constexpr int groups = products_rows / 16;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t x = tile_x + warp % products_warps_x * products_columns + lane;
  const int64_t top = tile_y + warp / products_warps_x * products_rows;
  // Rows of 40 words: 4 rows of pairs lie in different banks.
  auto* exchange = reinterpret_cast<unsigned(*)[40]>(&s.image[0][0]) + 16 * warp;
  static_assert(sizeof(s.image) >= find_threads / 32 * 16 * 40 * 4);
#pragma unroll 1
  for (int m = 0; m < groups; ++m) {
#pragma unroll
    for (int n = 0; n < products_columns / 8; ++n) {
      const unsigned(&at)[4] = sums[0][n].at;
      uint2* const to = reinterpret_cast<uint2*>(&exchange[lane / 4][8 * n + lane % 4 * 2]);
      *to = {at[0], at[1]};
      to[8 * 40 / 2] = {at[2], at[3]};
      // The loop stays rolled, for the size of the code, and registers have no index.
#pragma unroll
      for (int i = 0; i + 1 < groups; ++i) sums[i][n] = sums[i + 1][n];
      sums[groups - 1][n] = {};
    }
    __syncwarp();
#pragma unroll 4
    for (int row = 0; row < 16; ++row) {
      const int64_t y = top + 8 * m + row % 8 + row / 8 * products_pair;
      if (x < a.columns && y < a.rows) use(x, y, exchange[row][lane]);
    }
    __syncwarp();
  }
}

/// The score from what a place has summed up, a, b and ab as in matching.hpp.
template <Measure measure>
__device__ double find_score(long long n, long long a, long long aa, long long b, long long bb,
                             long long ab) {
  if constexpr (measure == Measure::ssd)
    return static_cast<double>(aa - 2 * ab + bb);
  else if constexpr (measure == Measure::ncc)
    return ncc_score(ab, aa, bb);
  else
    return zncc_score(n, a, b, ab, aa, bb);
}

/// Sums the products of the whole template at this thread's places of the tile, chunk by chunk, and
/// in shared memory the template's own sums. What 32 bits cannot hold is carried in scratch memory.
/// To be called by all threads.
template <bool wide>
__device__ inline void sum_products(const FindArguments& a, ProductsShared& s, int64_t tile_x,
                                    int64_t tile_y, ProductsSums& sums) {
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
        use_sums(a, s, tile_x, tile_y, sums, [&](int64_t px, int64_t py, unsigned sum) {
          unsigned long long& carried = a.products[py * a.scratch_pitch + px];
          carried = begin ? sum : carried + sum;
        });
        __syncthreads();
      }
    }
  }
  atomicAdd(&s.templ_sum, templ.x);
  atomicAdd(&s.templ_squares, templ.y);
  __syncthreads();
}

/// Grid: x over tiles of places, y strides over rows of tiles. `wide`: the template has more pixels
/// than 32 bits hold products of.
template <Measure measure, bool wide>
__global__ void __launch_bounds__(find_threads, 2) products_kernel(FindArguments a) {
  using Square = cuda::std::conditional_t<wide, unsigned long long, unsigned>;
  __shared__ ProductsShared s;
  const int64_t tile_x = int64_t{blockIdx.x} * products_tile_columns;
  FindPlace best{0, 0, detail::find::worst_score(measure)};
  for (int64_t tile_y = int64_t{blockIdx.y} * products_tile_rows; tile_y < a.rows;
       tile_y += int64_t{gridDim.y} * products_tile_rows) {
    ProductsSums sums{};
    sum_products<wide>(a, s, tile_x, tile_y, sums);
    const auto templ_sum = static_cast<long long>(s.templ_sum);
    const auto templ_squares = static_cast<long long>(s.templ_squares);
    use_sums(a, s, tile_x, tile_y, sums, [&](int64_t x, int64_t y, unsigned sum) {
      const int64_t at = y * a.scratch_pitch + x;
      unsigned long long ab = sum;
      if constexpr (wide) ab += a.products[at];
      unsigned b = 0;
      if constexpr (measure == Measure::zncc) b = __ldg(a.sums + at);
      const Square bb = __ldg(static_cast<const Square*>(a.squares) + at);
      const double score =
          find_score<measure>(a.templ_width * a.templ_height, templ_sum, templ_squares, b,
                              static_cast<long long>(bb), static_cast<long long>(ab));
      const FindPlace here{x, a.first_row + y, score};
      if (detail::find::ranks_before(here, best, measure)) best = here;
      if (a.map != nullptr) store_score(a, x, y, score);
    });
    // The next tile starts its sums of the template anew: not before all have read these.
    __syncthreads();
  }
  rank_block(s.best, best, measure);
  if (threadIdx.x == 0) a.candidates[int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = s.best[0];
}

}  // namespace warpwise::kernels::find
