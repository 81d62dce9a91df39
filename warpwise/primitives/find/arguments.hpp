#pragma once

#ifdef __CUDACC_RTC__
#include <cuda/std/cstdint>
#else
#include <cstdint>
#endif

#include "warpwise/base/host_device.hpp"

// Arguments of find's kernels, and the work of a block of each kernel, for g++, nvcc and NVRTC. A
// place is a position of the template in the image.
namespace warpwise::kernels::find {

#ifdef __CUDACC_RTC__
using cuda::std::int64_t;
#else
using std::int64_t;
#endif

// Threads of a block of products_kernel and find_best_kernel.
inline constexpr int find_threads = 256;

// A warp of products_kernel scores 64 rows of 32 places, so that each load of the template serves 4
// products. In small images it scores 16 rows, so that there are enough blocks. A block of threads
// has 2 rows of 4 warps.
inline constexpr int products_groups = 4;  // groups of 16 rows
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
// Places that a thread of differences_kernel scores: 4 adjacent ones in each of 8 rows. Their 32
// packed differences share 3 loads from shared memory and 3 shifts.
inline constexpr int differences_columns = 4;
inline constexpr int differences_rows = 8;
inline constexpr int differences_tile_columns = 32 * differences_columns;
inline constexpr int differences_tile_rows = differences_threads / 32 * differences_rows;

// Complex numbers in the shared memory of a block of a transform's kernels: 64 KiB, the limit of
// CC 7.5.
inline constexpr int log_transform_points = 12;
inline constexpr int transform_points = 1 << log_transform_points;
inline constexpr int transform_threads = 256;
// log2 of the length of a tile's lines: the least, the most along rows, and the most along columns.
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
  // Scratch memory of windows_kernel and products_kernel, scratch_pitch elements a row of places.
  unsigned* sums;                ///< Σb of the pixels under the template at each place, for zncc
  void* squares;                 ///< Σb² of these pixels: u32, or u64 if it may exceed 32 bits
  unsigned long long* products;  ///< products_kernel's sums beyond 32 bits; null if not needed
  /// Segments of the image, each windows_rows rows high and segment_pitch columns wide; null:
  /// windows_kernel sums all rows itself.
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
  int64_t windows_rows;  ///< rows of a block of windows_kernel
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

/// Arguments for summing the products of a band's places by transforms. Tiles of the image are in
/// raster order; each two of them are the real and the imaginary part of one transform.
struct FindTransform {
  Complex* roots;  ///< transform_points roots of 1: e^(−2πi k / transform_points)
  Complex* templ;  ///< the template's points, in the order in which columns_kernel uses them
  Complex* image;  ///< the rows of each pair of tiles
  /// Partial sums of the template. The last part_count elements come from the warps of
  /// template_rows_kernel. One block of template_columns_kernel adds them and writes the first
  /// elements, one from each of its warps. The score of a place uses the total of these first
  /// elements.
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
