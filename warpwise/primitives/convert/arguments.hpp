#pragma once

// Arguments of the conversion kernel. g++, nvcc and NVRTC compile this header: it includes nothing.
namespace warpwise::kernels::convert {

/// Groups of formats that the kernel reads or writes in the same way. The order of their channels
/// is in the coefficients or in a swap.
enum class ConvertSource : int { gray, packed3, packed4, packed422, semiplanar420, planar420 };
enum class ConvertDestination : int { gray, packed3, packed4, planar3 };

/// Arithmetic on the three channels of a pixel: the cheapest that gives the exact result.
enum class ConvertArithmetic : int {
  none,          ///< channels stay unchanged
  one_level,     ///< linear, in 32-bit sums
  two_levels,    ///< linear, in numbers split into a high and a low part
  scaled_luma,   ///< one_level of a luma that is scaled and truncated first
  rounded_luma,  ///< one_level; chroma is computed from the rounded luma
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
  // out = (sum of high · in + high_offset) >> high_bits. two_levels adds
  // (sum of low · in + low_offset) >> convert_level_bits to the offset, which gives the floor of a
  // number with twice as many fractional bits. Channels of in and out are in memory order.
  int high[3][3];
  int high_offset[3];
  int high_bits;
  int low[3][3];
  int low_offset[3];
  /// scaled_luma replaces the first channel of in by max(0, (in · luma_scale >> 16) - luma_black)
  int luma_scale;
  int luma_black;      ///< used with scaled_luma
  int luma_factor[3];  ///< rounded_luma: factors of the first channel of out in the chroma sums
};

// Fractional bits of each level: decoding's sums are below 2^11, so that 20 bits of a 32-bit sum
// are left. The second level has 20 more.
inline constexpr int convert_level_bits = 20;

// A thread converts 4 pixels in each of its rows: the fewest whose RGB24 bytes are whole words. A
// warp takes 128 adjacent pixels: widths of 640, 1280 and 1920 leave no lane idle. Blocks of 4
// warps are large enough to fill an SM.
inline constexpr int convert_pixels_per_thread = 4;
inline constexpr int convert_block_width = 32;
inline constexpr int convert_block_height = 4;
inline constexpr int convert_block_pixels = convert_block_width * convert_pixels_per_thread;
// Rows per thread if `aligned` (else one): enough for four to eight loads in flight. A row of
// packed3 takes three loads.
inline constexpr int convert_packed3_rows = 2;
inline constexpr int convert_other_rows = 4;

}  // namespace warpwise::kernels::convert
