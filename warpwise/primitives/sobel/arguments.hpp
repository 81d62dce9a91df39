#pragma once

// What the Sobel kernel takes. For g++, nvcc and NVRTC: no includes.
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
  /// Twice the weights of the colours in the order of memory, two in the halves of a word: the
  /// first and second channel's, and the third's. The sum's upper half is the grey value.
  unsigned grey_first;
  unsigned grey_third;
  // What is read for the rows and columns -1, height and width; -1 for zeros.
  long long row_above;
  long long row_below;
  long long column_before;
  long long column_behind;
  bool dy;  ///< which component SobelResult::component writes
};

/// Two numbers in the halves of a word, which are computed together with the weights
/// [side centre side]: see numbers.cuh.
template <int centre, int side>
struct SobelPair {
  unsigned bits;
};

/// How a source's pixels lie in memory.
template <SobelSource source>
struct SobelPixels {
  static constexpr bool colour = source == SobelSource::rgb || source == SobelSource::rgba;
  static constexpr int bytes = source == SobelSource::u8    ? 1
                               : source == SobelSource::u16 ? 2
                               : source == SobelSource::rgb ? 3
                                                            : 4;
  // Adjacent pixels for one thread: loads of 8 to 16 bytes, and few enough registers.
  static constexpr int per_thread = source == SobelSource::u8 ? 8 : 4;
  static constexpr int words = per_thread * bytes / 4;
  static constexpr int vector_words = words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;
};

template <class Number>
inline constexpr int sobel_pixels_of_number = 1;
template <int centre, int side>
inline constexpr int sobel_pixels_of_number<SobelPair<centre, side>> = 2;

// A warp covers a row's stretch, so that its lanes are neighbours; four of them below each other
// read the rows that they share from the L1 cache.
inline constexpr int sobel_block_width = 32;
inline constexpr int sobel_most_block_height = 4;

/// What a thread computes, in which numbers.
template <SobelSource source, class Number>
struct SobelThread {
  static constexpr int pixels = SobelPixels<source>::per_thread;
  /// Numbers of one row.
  static constexpr int numbers = pixels / sobel_pixels_of_number<Number>;
  // Two rows more are loaded, all of them in flight at once. Eight rows read less twice than four;
  // pixels of 4 bytes wait for memory alike, and eight numbers leave no registers for them.
  static constexpr int rows = SobelPixels<source>::bytes < 4 && numbers <= 4 ? 8 : 4;
};

}  // namespace warpwise::kernels::sobel
