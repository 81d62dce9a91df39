#pragma once

// What the kernels of mean and exact_mean take. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels {

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

/// Rows that one thread slides down. Fewer give more threads and more start sums to make: a start
/// reads up to two segments of rows.
inline constexpr int threshold_segment_rows = 64;
inline constexpr int threshold_block_threads = 256;
inline constexpr int threshold_warps = threshold_block_threads / 32;
/// Columns that a thread scans at once: one 16-byte access of 32-bit sums, two of 64-bit ones.
inline constexpr int threshold_scan_columns = 4;
inline constexpr int threshold_scan_chunk = threshold_block_threads * threshold_scan_columns;

}  // namespace warpwise::kernels
