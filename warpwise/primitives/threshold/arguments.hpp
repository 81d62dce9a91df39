#pragma once

// Arguments of the kernels. g++, nvcc and NVRTC compile this header, so it includes nothing.
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
  unsigned char* mean;  ///< null if the mean image is not wanted
  long long mean_pitch;
  bool mean_is_float;
  unsigned above;
  unsigned below;
};

struct ColumnArguments {
  ThresholdSource src;
  void* columns;            ///< for each pixel: the sum of its column over the window's rows
  long long columns_pitch;  ///< in elements
  void* segments;           ///< column sums of each segment of rows; null for windows to 64 rows
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

/// Arguments of threshold_tiles, for images and sums that fit 32 bits.
struct TileArguments {
  ThresholdSource src;
  ThresholdOutput out;
  int half;
  int area;
  int bias;
  int strip_words;  ///< words in a row of a block's results, shared out evenly among the warps
  int halo_words;   ///< words on either side of the strip; they hold more pixels than `half`
  int segment_rows;
};

/// Rows of a tile: each lane of a warp takes one.
inline constexpr int threshold_tile_rows = 32;
inline constexpr int threshold_tile_threads = 128;
/// Thread blocks on an SM. With a fifth, the registers would not suffice for the loads in flight,
/// nor the 228 KB of shared memory for five tiles.
inline constexpr int threshold_tile_blocks = 4;
/// Words between the rows of a tile in shared memory, for its column sums and for its pixels. Each
/// thread has two words of column sums in a row. Both pitches are odd, so that lanes in different
/// rows of a column use different banks.
inline constexpr int threshold_tile_sums_pitch = 2 * threshold_tile_threads + 1;
inline constexpr int threshold_tile_pixels_pitch = threshold_tile_threads - 3;

/// Number formats of threshold_bands and threshold_wide_bands. A change is the difference between
/// the sums of two windows, one row apart.
/// - pairs: changes of 16 bits, two in a word, for u8 in threshold_bands; up to 128 columns fit;
/// - words: changes of 32 bits, for u16, and for u8 in threshold_wide_bands if 16 bits hold the
///   window's area;
/// - large: the same for u8 windows of larger areas;
/// - wide: changes of 32 bits and sums of 64 bits, for u16 rules that need them (WindowRule::wide).
enum class BandSums { pairs, words, large, wide };

/// Arguments of threshold_bands, for images whose sides fit 32 bits. A block has rows of pixels in
/// shared memory. Each consists of `out_at` unused bytes, a halo of `half` pixels, the pixels of
/// the block's strip, and the halo on the right. The unused bytes let the strip begin at a multiple
/// of 16 bytes. If possible, `first_byte` makes it begin at a multiple of 16 in the image too.
struct BandArguments {
  ThresholdSource src;
  ThresholdOutput out;
  int half;
  int area;
  long long bias;
  int first_byte;    ///< byte of a row at which the first strip begins: from -12 to 0
  int out_at;        ///< unused bytes at the start of a row in shared memory
  int pitch;         ///< bytes between rows in shared memory, 16 times an odd number
  int rows;          ///< rows in shared memory
  int segment_rows;  ///< rows that a block processes
};

/// Arguments of threshold_wide_bands and of threshold_row_sums, which runs before it.
struct WideBandArguments {
  BandArguments band;  ///< its `rows` is not used
  /// Table of column sums, with one row for each group of sums_rows rows of the image. A row covers
  /// the columns that all blocks hold in shared memory, from the first block's left halo to the
  /// last block's right halo. A sum has 2 bytes for u8 and 4 for u16.
  unsigned char* sums;
  long long sums_pitch;  ///< in bytes
  int sums_rows;         ///< at most 257, so that 16 bits hold a sum
};

/// Rows whose sums the matrix units compute at once.
inline constexpr int threshold_band_rows = 16;
/// Threads of a block of threshold_bands. Each decides four bytes of a row. The launch takes the
/// number that covers an image with fewer waves of blocks.
inline constexpr int threshold_band_threads[] = {128, 160};
/// Threads of threshold_bands on an SM. Fewer threads would not hide its latencies.
inline constexpr int threshold_band_threads_an_sm = 640;
/// Threads of a block of threshold_wide_bands. The launch takes the larger number where an SM has
/// room for one block only.
inline constexpr int threshold_wide_band_threads[] = {256, 512};
inline constexpr int threshold_wide_band_threads_an_sm = 512;
/// In images that fill a GPU, a block's segment has one of these numbers of rows. Each segment sums
/// up its first windows anew. Higher segments do so less often but need more space in the cache.
inline constexpr int threshold_wide_band_rows[] = {128, 96, 112, 144, 160};
/// Threads of a block of threshold_row_sums.
inline constexpr int threshold_row_sum_threads = 128;
/// Blocks of threshold_row_sums on an SM. This launch bound leaves a thread enough registers for 16
/// loads in flight. Without the bound, the compiler takes fewer and has four loads in flight.
inline constexpr int threshold_row_sum_blocks = 4;
/// Approximate number of threads of threshold_row_sums. In larger images each adds up more rows.
inline constexpr int threshold_row_sum_all_threads = 1 << 17;
inline constexpr int threshold_row_sum_least_rows = 16;
inline constexpr int threshold_row_sum_most_rows = 64;
/// Bytes of pixels in a row of a warp's results: one word for each thread.
inline constexpr int threshold_band_warp_bytes = 128;

/// Largest number of weights, of the centre and one side, that threshold_gaussian_products takes.
inline constexpr int threshold_product_weights = 57;

/// Arguments of threshold_gaussian_products. A pixel is above when its mean is below pixel + shift
/// - 1/2. The excess is the mean minus this limit, in integers of unit 2^-(cut + 8). A pixel is
/// doubtful, and settled in floats, if its excess is at most half of `doubt` from 0.
struct GaussianProductArguments {
  ThresholdSource src;
  ThresholdOutput out;
  int half;
  int reach;  ///< pixels of a row of weights before the centre: `half`, rounded up to whole words
  int shift;
  int cut;  ///< a weight is a number of 16 bits times 2^-(cut + 8)
  /// The factor -2^cut, of 16 bits. A pixel times this factor is the pixel's own term in its
  /// excess. pixel_low has the factor in the low half of the word, pixel_high in the high half.
  unsigned pixel_low;
  unsigned pixel_high;
  unsigned above;  ///< out.above in all four bytes; `below` is the same for out.below
  unsigned below;
  /// A constant that the kernel adds to the excess, in units of 256. With it, the excess of a
  /// doubtful pixel lies between 0 and `doubt`.
  int bias;
  /// Bound like `doubt`, for an excess that still lacks the products of two low bytes.
  unsigned first_doubt;
  unsigned most_low;  ///< upper bound of the sum of these products, a multiple of 256
  unsigned doubt;     ///< bound of a doubtful pixel's excess, a multiple of 256
  int first_column;   ///< column of the first strip: 0, or down to -12
  int pitch;          ///< bytes between rows in shared memory, 16 times an odd number
  int row_groups;     ///< groups of 16 bytes of a row that are used, at most 32
  int ring_rows;      ///< rows in shared memory
  int segment_rows;   ///< rows that a block processes
  float weights[threshold_product_weights + 3];  ///< weights of the centre, then outwards, then 0
};

/// Number of tiles of 16 columns that a warp computes at once. Two tiles share the pixels that they
/// load.
constexpr int threshold_product_tiles_of(int groups) { return groups <= 4 ? 2 : 1; }
template <int groups>
inline constexpr int threshold_product_tiles = threshold_product_tiles_of(groups);
/// Thread blocks on an SM. More would leave too few registers for the weights and the means of
/// 16 * groups rows.
inline constexpr int threshold_product_blocks = 2;
/// Steps of 16 rows between a block's barriers.
constexpr int threshold_product_steps_of(int groups) {
  return groups <= 3 ? 4 : groups == 4 ? 3 : 2;
}
template <int groups>
inline constexpr int threshold_product_steps = threshold_product_steps_of(groups);
/// Number of doubtful pixels that a block keeps.
inline constexpr int threshold_doubts = 256;
/// Rows of the array Doubts::sums, in which a block computes means along rows in floats to decide
/// doubtful pixels. The array is as wide as a tile, 16 columns.
constexpr int threshold_settled_rows(int groups) { return 32 * groups; }
/// Bytes of shared memory for Doubts, a block's doubtful pixels:
/// - the means along rows from which they are decided,
/// - the coordinates of single doubtful pixels,
/// - for each tile of the block's 8 warps, the range of rows with many doubtful pixels,
/// - the number of single pixels.
constexpr int threshold_doubt_bytes(int groups) {
  return 64 * threshold_settled_rows(groups) + 8 * threshold_doubts +
         8 * 8 * threshold_product_tiles_of(groups) + 16;
}

template <class Pixel>
inline constexpr int threshold_pixels_per_word = 4 / static_cast<int>(sizeof(Pixel));

/// Rows that one thread slides down. With fewer rows there are more threads. However, each thread
/// first reads up to two segments of rows for its first sum.
inline constexpr int threshold_segment_rows = 64;
inline constexpr int threshold_block_threads = 256;
inline constexpr int threshold_warps = threshold_block_threads / 32;
/// Number of adjacent means that a thread computes together.
inline constexpr int threshold_weighed_at_once = 8;
/// Columns that a thread scans at once: one 16-byte access of 32-bit sums, two of 64-bit ones.
inline constexpr int threshold_scan_columns = 4;
inline constexpr int threshold_scan_chunk = threshold_block_threads * threshold_scan_columns;

}  // namespace warpwise::kernels::threshold
