#pragma once

// What the conversion kernel takes. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::convert {

/// Formats that are read (written) in the same way. The order of channels, which they leave open,
/// is in the coefficients or in a swap.
enum class ConvertSource : int { gray, packed3, packed4, packed422, semiplanar420, planar420 };
enum class ConvertDestination : int { gray, packed3, packed4, planar3 };

/// What happens to the three channels of a pixel, in the cheapest form that gives the exact result.
enum class ConvertArithmetic : int {
  none,          ///< they stay what they are
  one_level,     ///< linear, in numbers that 32-bit sums hold whole
  two_levels,    ///< linear, in numbers cut in two
  scaled_luma,   ///< one_level of a luma that is scaled and cut off beforehand
  rounded_luma,  ///< one_level, chroma taking the rounded luma into account
};

/// Which channels change places between two frames where nothing is computed.
enum class ConvertSwap : int { none, first_and_last, last_two };

struct ConvertArguments {
  const unsigned char* src[3];
  unsigned char* dst[3];
  long long src_pitch[3];
  long long dst_pitch[3];
  long long width;
  long long height;
  /// Every row of every plane starts at a multiple of what a thread reads (writes) of it at once,
  /// and chroma is not interpolated.
  bool aligned;
  bool luma_is_odd;    ///< packed422: UYVY instead of YUYV
  bool linear_chroma;  ///< interpolate subsampled chroma instead of replicating it
  bool keep_alpha;     ///< packed4 to packed4: else alpha is 255
  ConvertSwap swap;    ///< none but where the arithmetic is none
  // out = (sum of high · in + high_offset) >> high_bits; in two_levels, where the offset has
  // (sum of low · in + low_offset) >> convert_level_bits more, that is the floor of a number of
  // twice as many fractional bits. Channels of in and out are in the order of memory.
  int high[3][3];
  int high_offset[3];
  int high_bits;
  int low[3][3];
  int low_offset[3];
  int luma_scale;      ///< scaled_luma: first of in = max(0, (in · luma_scale >> 16) - luma_black)
  int luma_black;      ///< scaled_luma
  int luma_factor[3];  ///< rounded_luma: high factors, for chroma, of the first of out
};

// Sums of decoding are below 2^11, which leaves 20 fractional bits to a 32-bit sum; 20 more to the
// second level.
inline constexpr int convert_level_bits = 20;

// A thread converts 4 pixels, the fewest whose RGB24 bytes are whole words, in each of its rows. A
// warp takes 128 pixels side by side, so that 640, 1280 and 1920 leave no lane idle; 4 warps are a
// block large enough to fill an SM.
inline constexpr int convert_pixels_per_thread = 4;
inline constexpr int convert_block_width = 32;
inline constexpr int convert_most_block_height = 4;
inline constexpr int convert_block_pixels = convert_block_width * convert_pixels_per_thread;
// Rows of a thread, if aligned (else one): four to eight loads in flight, of which a row of packed3
// takes three.
inline constexpr int convert_packed3_rows = 2;
inline constexpr int convert_other_rows = 4;

}  // namespace warpwise::kernels::convert
