#pragma once

#ifdef __CUDACC_RTC__
#include <cuda/std/cstdint>
#else
#include <cstdint>
#endif

#include "warpwise/base/host_device.hpp"

// Arguments of find's kernels, and how much work a thread block of each kernel has. Compiled by
// g++, nvcc and NVRTC. A place is a position of the template in the image.
namespace warpwise::kernels::find {

#ifdef __CUDACC_RTC__
using cuda::std::int64_t;
#else
using std::int64_t;
#endif

// Threads of a block of products_kernel and find_best_kernel.
inline constexpr int find_threads = 256;

// A warp of products_kernel scores 64 rows of 32 places, so that a matrix loaded from the template
// serves 4 matrix products. In small images it scores 16 rows, so that there are enough thread
// blocks. A thread block has 2 rows of 4 warps.
inline constexpr int products_groups = 4;  // groups of 16 rows of places in a warp
inline constexpr int products_few_groups = 1;
inline constexpr int products_columns = 32;
inline constexpr int products_warps_x = 4;
inline constexpr int products_warps_y = 2;
inline constexpr int products_tile_columns = products_warps_x * products_columns;
WARPWISE_HOST_DEVICE constexpr int products_tile_rows(int groups) {
  return products_warps_y * 16 * groups;
}

inline constexpr int windows_threads = 128;
inline constexpr int windows_columns = 8;  // columns of places per thread
inline constexpr int windows_most_rows = 32;
inline constexpr int windows_tile_columns = windows_threads * windows_columns;

inline constexpr int differences_threads = 128;
// Places that a thread of differences_kernel scores: 4 adjacent ones in each of 8 rows. For each
// word of four template pixels, the thread executes one packed difference a place, 3 loads from
// shared memory and 3 shifts. The image words of the 8 rows stay in registers.
inline constexpr int differences_columns = 4;
inline constexpr int differences_rows = 8;
inline constexpr int differences_tile_columns = 32 * differences_columns;
inline constexpr int differences_tile_rows = differences_threads / 32 * differences_rows;

// Number of complex numbers in shared memory per transform thread block: 64 KiB, CC 7.5's maximum.
inline constexpr int log_transform_points = 12;
inline constexpr int transform_points = 1 << log_transform_points;
inline constexpr int transform_threads = 256;
// log2 of the length of a tile's rows and columns: the minimum for both, the maximum for rows, and
// the maximum for columns.
inline constexpr int log_transform_least = 8;
inline constexpr int log_transform_width = 12;
inline constexpr int log_transform_height = 11;

/// The device's counterpart of Finding.
struct FindPlace {
  int64_t x;
  int64_t y;
  double score;
};

/// Σb and Σb² over up to windows_most_rows pixels b of one column of the image.
struct WindowSegment {
  unsigned sum;
  unsigned square;
};

/// Arguments for a band, a range of rows of places. Rows are counted from the band's first row,
/// where `image` and `map` begin.
struct FindArguments {
  const unsigned char* templ;
  const unsigned char* image;
  unsigned char* map;     ///< u32 or f32 at any alignment, or null
  FindPlace* candidates;  ///< the best place of each block of threads
  // Scratch memory of windows_kernel and products_kernel; scratch_pitch is the pitch in elements.
  unsigned* sums;                ///< Σb of the pixels under the template at each place, for zncc
  void* squares;                 ///< Σb² of these pixels: u32, or u64 if it may exceed 32 bits
  unsigned long long* products;  ///< products_kernel's sums beyond 32 bits; null if not needed
  /// For each group of windows_rows rows of the image: the sums of each column, in segment_pitch
  /// elements. Null: windows_kernel sums all rows itself.
  WindowSegment* segments;
  int64_t segment_pitch;
  int64_t scratch_pitch;
  int64_t templ_pitch;
  int64_t templ_width;
  int64_t templ_height;
  int64_t image_pitch;
  int64_t image_width;
  int64_t image_height;
  int64_t map_pitch;
  int64_t first_row;  ///< first row of the band
  int64_t columns;    ///< columns of places
  int64_t rows;
  int64_t windows_rows;  ///< rows of places of a thread block of windows_kernel
  bool integers;         ///< true if the map is u32
};

struct alignas(16) Complex {
  double re;
  double im;
};

/// Σa and Σa² over pixels a of the template.
struct alignas(16) TemplateSums {
  unsigned long long sum;
  unsigned long long squares;
};

/// Arguments for summing the products of a band's places by transforms. The image's tiles are
/// numbered in raster order. Tiles 2k and 2k + 1 are the real and imaginary part of transform k.
struct FindTransform {
  Complex* roots;  ///< transform_points roots of 1; element k is e^(−2πi k / transform_points)
  Complex* templ;  ///< the template's transform, in the order in which columns_kernel reads it
  Complex* image;  ///< points of each pair of tiles, which the kernels transform step by step
  /// Partial sums over the template's pixels, reduced in two stages. Each warp of
  /// template_rows_kernel writes one of the last part_count elements. Thread block 0 of
  /// template_columns_kernel reduces these to the first 8 elements, one a warp.
  /// transform_scores_kernel adds up the first 8.
  TemplateSums* templ_sums;
  int64_t part_count;
  int64_t tile_columns;  ///< columns of places in a tile
  int64_t tile_rows;     ///< rows of places in a tile
  int64_t tiles_x;
  int64_t tiles;
  int log_width;  ///< log2 of a tile's width in pixels
  int log_height;
};

}  // namespace warpwise::kernels::find
