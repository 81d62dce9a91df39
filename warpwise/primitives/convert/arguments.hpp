#pragma once

// What the conversion kernel takes. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels {

/// Formats that are read (written) alike; what is left of the order of channels is a swap.
enum class ConvertSource : int { gray, packed3, packed4, packed422, semiplanar420, planar420 };
enum class ConvertDestination : int { gray, packed3, packed4, planar3 };

enum class ConvertTransform : int { none, linear, opencv_ycrcb };

/// Which channels change places between a pixel (R G B or Y Cb Cr) and memory.
enum class ConvertSwap : int { none, first_and_last, last_two };

struct ConvertArguments {
  const unsigned char* src[3];
  unsigned char* dst[3];
  long long src_pitch[3];
  long long dst_pitch[3];
  long long width;
  long long height;
  ConvertSwap src_swap;
  ConvertSwap dst_swap;
  bool luma_is_odd;    ///< packed422: UYVY instead of YUYV
  bool linear_chroma;  ///< interpolate subsampled chroma instead of replicating it
  bool keep_alpha;     ///< packed4 to packed4: else alpha is 255
  ConvertTransform transform;
  // out = (sum of high · in + high_offset + ((sum of low · in + low_offset) >> low_bits)) >>
  // high_bits, which is the floor of a fixed-point number of high_bits + low_bits fractional bits.
  int high[3][3];
  int low[3][3];
  int high_offset[3];
  int low_offset[3];
  int high_bits;
  int low_bits;
  bool two_levels;  ///< false where all of `low` is zero
  int luma_scale;
  int luma_black;
  int cb_factor;  ///< opencv_ycrcb: chroma = ((channel − Y) · factor + chroma_offset) >> 14
  int cr_factor;
  int chroma_offset;
};

// A thread converts 4 pixels, the fewest whose RGB24 bytes are whole words, in each of 2 rows,
// which keeps twice the loads in flight. A warp takes 128 pixels side by side, so that 640, 1280
// and 1920 leave no lane idle; 4 warps are a block large enough to fill an SM.
inline constexpr int convert_pixels_per_thread = 4;
inline constexpr int convert_rows_per_thread = 2;
inline constexpr int convert_block_width = 32;
inline constexpr int convert_block_height = 4;
inline constexpr int convert_block_pixels = convert_block_width * convert_pixels_per_thread;
inline constexpr int convert_block_rows = convert_block_height * convert_rows_per_thread;

}  // namespace warpwise::kernels
