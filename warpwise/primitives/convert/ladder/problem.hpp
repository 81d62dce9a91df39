#pragma once

namespace warpwise::ladders {

/// Arguments of every rung. A rung converts an RGB24 frame, whose rows start at any address, to a
/// frame of YCbCr words at multiples of 4 bytes.
///
/// Each result is floor(coefficient · (R, G, B) + offset), saturated. The coefficients and offsets
/// are multiples of 2^-convert_fraction_bits, small enough for 32-bit arithmetic.
struct ConvertProblem {
  const unsigned char* src;
  unsigned char* dst;
  long long src_pitch;
  long long dst_pitch;
  int width;
  int height;
  int coefficient[3][3];
  int offset[3];
};

inline constexpr int convert_fraction_bits = 22;

}  // namespace warpwise::ladders
