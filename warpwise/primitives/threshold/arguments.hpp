#pragma once

// What the kernels take. For g++, nvcc and NVRTC: no includes.
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

/// How threshold_bands keeps the changes of its sums from row to row: pairs of 16 bits, for sums of
/// up to 128 bytes; words, of u16; words of u8, for a window's area of any size; or words of u16
/// where a window's sum outgrows 32 bits.
enum class BandSums { pairs, words, large, wide };

/// Of threshold_bands, for images that fit 32 bits. A block's rows in shared memory begin
/// `half` pixels and out_at bytes before its results, those that come into the window of these
/// results in_offset + in_at bytes further on: both at a multiple of 16, of the address in the
/// image too if that is possible.
struct BandArguments {
  ThresholdSource src;
  ThresholdOutput out;
  int half;
  int area;
  long long bias;
  int first_byte;  ///< of a row's results: the first strip's, 0 or a little before it
  int out_at;
  int in_at;
  int in_offset;
  int pitch;         ///< from row to row of shared memory, 16 times an odd number
  int rows;          ///< there
  int segment_rows;  ///< that a block goes down
};

/// Of threshold_wide_bands and of threshold_row_sums, which it begins from.
struct WideBandArguments {
  BandArguments band;  ///< without `rows`
  /// Sums down the columns of each sums_rows rows of the image, for the 16 bytes that a block's
  /// rows begin with, the first strip's, and all behind them: of 2 bytes for u8, of 4 for u16.
  unsigned char* sums;
  long long sums_pitch;  ///< in bytes
  int sums_rows;         ///< at most 257: so that 16 bits hold a sum
};

/// Rows whose sums the matrix units make at once.
inline constexpr int threshold_band_rows = 16;
/// Of a block of threshold_bands, whose strip is four bytes for each: what covers an image's rows
/// with less beyond them.
inline constexpr int threshold_band_threads[] = {128, 160};
/// Of the blocks on an SM: fewer do not hide its latencies.
inline constexpr int threshold_band_threads_an_sm = 640;
/// Threads of a block of threshold_wide_bands: more where an SM has room for one block only.
inline constexpr int threshold_wide_band_threads[] = {256, 512};
inline constexpr int threshold_wide_band_threads_an_sm = 512;
/// Rows that a block goes down in images that fill a GPU, one of these: more pay less for the first
/// windows, and are more to keep in its cache.
inline constexpr int threshold_wide_band_rows[] = {128, 96, 112, 144, 160};
/// Of a block of threshold_row_sums, …
inline constexpr int threshold_row_sum_threads = 128;
/// … and of all, about, which have the more rows each.
inline constexpr int threshold_row_sum_all_threads = 1 << 17;
inline constexpr int threshold_row_sum_least_rows = 16;
inline constexpr int threshold_row_sum_most_rows = 64;
/// Bytes of pixels in a row of a warp's results: a word a thread.
inline constexpr int threshold_band_warp_bytes = 128;

/// The most weights, of the centre and to one side, that threshold_gaussian_products takes.
inline constexpr int threshold_product_weights = 57;

/// Of threshold_gaussian_products. A pixel is above when its mean is below pixel + shift - 1/2; the
/// kernel's integers decide that with 2^-bits as their unit, and leave those that are at most half
/// of `doubt` from it.
struct GaussianProductArguments {
  ThresholdSource src;
  ThresholdOutput out;
  int half;
  int reach;  ///< from the first pixel of a row of weights to the centre: half, in whole words
  int shift;
  int bits;              ///< a weight is a number of 16 bits times 2^-bits
  int bias;              ///< in units of 256: what makes a doubtful excess one of 0 … doubt
  unsigned first_doubt;  ///< likewise, before the products of both low bytes are added
  unsigned most_low;     ///< what these are at most: multiples of 256
  unsigned doubt;        ///< once they are: a doubtful excess is one of 0 … doubt
  int first_column;      ///< of the first strip: 0 or a little before it
  int pitch;             ///< from row to row of shared memory, 16 times an odd number
  int row_groups;        ///< of 16 bytes that are used of it, at most 32
  int ring_rows;         ///< there
  int segment_rows;      ///< that a block goes down
  float weights[threshold_product_weights + 3];  ///< of the centre, then outwards, then 0
};

/// Tiles of 16 columns of a warp: two share the pixels that they load.
constexpr int threshold_product_tiles_of(int groups) { return groups <= 4 ? 2 : 1; }
template <int groups>
inline constexpr int threshold_product_tiles = threshold_product_tiles_of(groups);
/// Blocks to an SM: registers hold the weights and the means of 16 * groups rows.
inline constexpr int threshold_product_blocks = 2;
/// Times 16 rows between a block's barriers.
constexpr int threshold_product_steps_of(int groups) { return groups <= 4 ? 2 : 1; }
template <int groups>
inline constexpr int threshold_product_steps = threshold_product_steps_of(groups);
/// Doubtful pixels that a block keeps.
inline constexpr int threshold_doubts = 256;
/// Rows of 16 columns whose means along them the block can hold while it settles a stretch.
constexpr int threshold_settled_rows(int groups) { return 32 * groups; }
/// Bytes of shared memory of the doubts: these means, the places, a stretch for each tile of 8
/// warps, and how many places there are.
constexpr int threshold_doubt_bytes(int groups) {
  return 64 * threshold_settled_rows(groups) + 8 * threshold_doubts +
         8 * 8 * threshold_product_tiles_of(groups) + 16;
}

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
