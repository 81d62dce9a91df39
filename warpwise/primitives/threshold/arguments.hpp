#pragma once

// What the kernels of mean and exact_mean take. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::threshold {

/// An image of pixels that may lie at any address.
struct ThresholdSource {
  const unsigned char* data;
  long long pitch;
  long long width;
  long long height;
};

struct ThresholdOutput {
  unsigned char* dst;
  long long dst_pitch;
  unsigned char* mean;  ///< null if nobody asked for it
  long long mean_pitch;
  bool mean_is_float;
  unsigned above;
  unsigned below;
};

struct ColumnArguments {
  ThresholdSource src;
  void* columns;            ///< Sum by row and column: of the window's rows, at each pixel
  long long columns_pitch;  ///< in elements
  void* segments;  ///< Sum by segment and column: of the segment's rows; null for low windows
  long long half;
};

struct RowArguments {
  ThresholdSource src;
  ThresholdOutput out;
  void* columns;
  long long columns_pitch;
  long long half;
  long long area;
  long long bias;
};

/// Of threshold_tiles, for images and sums that fit 32 bits.
struct TileArguments {
  ThresholdSource src;
  ThresholdOutput out;
  int half;
  int area;
  int bias;
  int strip_words;  ///< words of pixels in a row of a block's results: as many for each warp
  int halo_words;   ///< to either side of them: more pixels than half
  int segment_rows;
};

/// A warp's lanes take a row each.
inline constexpr int threshold_tile_rows = 32;
inline constexpr int threshold_tile_threads = 128;
/// Blocks to an SM: more would not leave the registers for the loads in flight, nor fit 228 KB.
inline constexpr int threshold_tile_blocks = 4;
/// Words from row to row of a tile's column sums, two for each thread, and of its pixels: odd, so
/// that lanes at one column meet as many banks.
inline constexpr int threshold_tile_sums_pitch = 2 * threshold_tile_threads + 1;
inline constexpr int threshold_tile_pixels_pitch = threshold_tile_threads - 3;

template <class Pixel>
inline constexpr int threshold_pixels_per_word = 4 / static_cast<int>(sizeof(Pixel));

/// Rows that one thread slides down. Fewer give more threads and more start sums to make: a start
/// reads up to two segments of rows.
inline constexpr int threshold_segment_rows = 64;
inline constexpr int threshold_block_threads = 256;
inline constexpr int threshold_warps = threshold_block_threads / 32;
/// Adjacent means that a thread weighs together.
inline constexpr int threshold_weighed_at_once = 8;
/// Columns that a thread scans at once: one 16-byte access of 32-bit sums, two of 64-bit ones.
inline constexpr int threshold_scan_columns = 4;
inline constexpr int threshold_scan_chunk = threshold_block_threads * threshold_scan_columns;

}  // namespace warpwise::kernels::threshold
