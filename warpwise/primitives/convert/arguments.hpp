#pragma once

// Arguments of the conversion kernel. g++, nvcc and NVRTC compile this header: it includes nothing.
namespace warpwise::kernels::convert {

/// Groups of formats that the kernel reads or writes in the same way. Formats of a group may order
/// their channels differently; the coefficients or a ConvertSwap take account of that.
enum class ConvertSource : int { gray, packed3, packed4, packed422, semiplanar420, planar420 };
enum class ConvertDestination : int { gray, packed3, packed4, planar3 };

/// Arithmetic on the three channels of a pixel: the cheapest that gives the exact result.
enum class ConvertArithmetic : int {
  none,          ///< channels stay unchanged
  one_level,     ///< linear, in 32-bit sums
  two_levels,    ///< linear, with coefficients split into high and low bits; two 32-bit sums
  scaled_luma,   ///< scales and truncates luma, then computes as one_level
  rounded_luma,  ///< as one_level, but chroma is computed from the rounded luma
};

/// Channels that are swapped between two frames if nothing is computed.
enum class ConvertSwap : int { none, first_and_last, last_two };

struct ConvertArguments {
  const unsigned char* src[3];
  unsigned char* dst[3];
  long long src_pitch[3];
  long long dst_pitch[3];
  long long width;
  long long height;
  /// true if every row of every plane is aligned to a thread's widest access and chroma is not
  /// interpolated.
  bool aligned;
  bool luma_is_odd;    ///< packed422: UYVY instead of YUYV
  bool linear_chroma;  ///< interpolate subsampled chroma instead of replicating it
  bool keep_alpha;     ///< copies alpha from packed4 to packed4; otherwise alpha is 255
  ConvertSwap swap;    ///< used with ConvertArithmetic::none
  // The linear map: out = (sum of high · in + high_offset) >> high_bits. Channels of in and out are
  // in memory order. With two_levels, (sum of low · in + low_offset) >> convert_level_bits is added
  // before the shift. `low` holds the coefficients' next convert_level_bits bits. The result is
  // therefore the floor of the sum with all 2 · convert_level_bits fractional bits.
  int high[3][3];
  int high_offset[3];
  int high_bits;
  int low[3][3];
  int low_offset[3];
  /// scaled_luma replaces the first channel of in by max(0, (in · luma_scale >> 16) - luma_black)
  int luma_scale;
  int luma_black;      ///< used with scaled_luma
  int luma_factor[3];  ///< rounded_luma: factor of the rounded luma in each channel's sum
};

// With two_levels: the number of fractional bits in `high`, and of the next bits in `low`.
// Decoding's sums are below 2^11, so that a signed 32-bit sum has room for 20 fractional bits.
inline constexpr int convert_level_bits = 20;

// A thread converts 4 pixels in each of its rows: the fewest whose RGB24 bytes are whole words. A
// warp takes 128 adjacent pixels: widths of 640, 1280 and 1920 leave no lane idle. Blocks of 4
// warps are large enough to fill an SM.
inline constexpr int convert_pixels_per_thread = 4;
inline constexpr int convert_block_width = 32;
inline constexpr int convert_block_height = 4;
inline constexpr int convert_block_pixels = convert_block_width * convert_pixels_per_thread;
// Rows that a thread converts at once if `aligned`; otherwise it converts one. This keeps four
// to eight loads in flight. Formats of packed3 need fewer rows, because a row takes three loads.
inline constexpr int convert_packed3_rows = 2;
inline constexpr int convert_other_rows = 4;

}  // namespace warpwise::kernels::convert
