#pragma once

// Arguments of the Sobel kernel. Compiled by g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::sobel {

enum class SobelSource { u8, rgb, rgba, u16, f32 };
enum class SobelResult { component, l1, l2 };

struct SobelArguments {
  const unsigned char* src;
  unsigned char* dst;
  long long src_pitch;
  long long dst_pitch;
  long long width;
  long long height;
  int centre;  ///< weights of the smoothing, [side centre side]
  int side;
  /// Twice the weights of the colours, in memory order. `grey_first` holds the weights of the first
  /// and second channel in its lower and upper half, `grey_third` the weight of the third channel.
  /// The grey value is the upper half of the weighted sum.
  unsigned grey_first;
  unsigned grey_third;
  // Indices that replace rows -1 and `height` and columns -1 and `width`; -1 stands for zeros.
  long long row_above;
  long long row_below;
  long long column_before;
  long long column_behind;
  bool dy;  ///< component that SobelResult::component writes: true dy, false dx
};

/// The numbers of two pixels, as 16-bit floats in the halves of a word: see numbers.cuh. The
/// weights of the smoothing, [side centre side], are part of the type, and select the overload of
/// weigh().
template <int centre, int side>
struct SobelPair {
  unsigned bits;
};

/// Layout of a source's pixels in memory.
template <SobelSource source>
struct SobelPixels {
  static constexpr bool colour = source == SobelSource::rgb || source == SobelSource::rgba;
  static constexpr int bytes = source == SobelSource::u8    ? 1
                               : source == SobelSource::u16 ? 2
                               : source == SobelSource::rgb ? 3
                                                            : 4;
  // Adjacent pixels per thread: 8 to 16 bytes of a row, without too many registers.
  static constexpr int per_thread = source == SobelSource::u8 ? 8 : 4;
  static constexpr int words = per_thread * bytes / 4;
  static constexpr int vector_words = words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;
};

template <class Number>
inline constexpr int sobel_pixels_of_number = 1;
template <int centre, int side>
inline constexpr int sobel_pixels_of_number<SobelPair<centre, side>> = 2;

// A warp covers part of one row, so that its lanes are neighbours. A thread block has four warps,
// one below the other, which find the rows that they share in the L1 cache.
inline constexpr int sobel_block_width = 32;
inline constexpr int sobel_block_height = 4;

/// Rows of results per thread in images with few thread blocks.
inline constexpr int sobel_few_rows = 2;

/// A thread's share of the work. `few_rows` is true for images with few thread blocks.
template <SobelSource source, class Number, bool few_rows = false>
struct SobelThread {
  static constexpr int pixels = SobelPixels<source>::per_thread;
  /// How many Numbers hold a thread's pixels of a row.
  static constexpr int numbers = pixels / sobel_pixels_of_number<Number>;
  // Rows of results per thread. A thread loads two rows more, all in flight at once. With eight
  // rows per thread, fewer rows are loaded twice. Four are better in two cases:
  // - pixels of 4 bytes, which are bound by memory either way;
  // - eight numbers per row, which leave no registers for eight rows.
  static constexpr int rows = few_rows                                         ? sobel_few_rows
                              : SobelPixels<source>::bytes < 4 && numbers <= 4 ? 8
                                                                               : 4;
};

}  // namespace warpwise::kernels::sobel
