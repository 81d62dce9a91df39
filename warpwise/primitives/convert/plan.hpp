#pragma once

#include "warpwise/base/samples.hpp"
#include "warpwise/primitives/convert/convert.hpp"

// Plan of one call of convert(). The CPU and the GPU compute with the plan's integers; therefore
// their results agree.
namespace warpwise::detail::convert {

/// A conversion whose options are checked and complete.
struct Conversion {
  PixelFormat from;
  PixelFormat to;
  Convention convention;
  Matrix matrix;
  Range from_range;  ///< full if the source is RGB
  Range to_range;    ///< full if the destination is RGB
  ChromaUpsampling upsampling;
  bool gray_is_luma;

  bool operator==(const Conversion&) const = default;
};

/// Fills in the ranges that the options leave open.
/// \throws InvalidArgument  the combination has no definition.
Conversion resolve(PixelFormat from, PixelFormat to, const ConvertOptions& options);

/// Returns true if the format holds YUV (gray8 counts as RGB: R = G = B).
bool holds_yuv(PixelFormat format);

/// kr, kg, kb as integers, to be divided by their sum.
struct Weights {
  double r, g, b, sum;
};

Weights weights_of(Matrix matrix);

/// Kind of computation on the three channels of a pixel.
enum class Transform : int {
  none,          ///< channels stay unchanged
  linear,        ///< the map Plan::linear
  opencv_ycrcb,  ///< luma by Plan::linear; chroma from the differences of R and B to rounded luma
};

/// Fixed-point numbers of Linear are multiples of 2^-linear_bits.
inline constexpr int linear_bits = 40;

/// out[i] = saturate(floor(coefficient[i][0] · first + coefficient[i][1] · in[1] +
///                         coefficient[i][2] · in[2] + offset[i]))
/// first  = max(0, floor(in[0] · 257 · luma_scale / 2^16) − luma_black)
///
/// Channels are R, G, B or Y, Cb, Cr. luma_scale 256 makes first = in[0] − luma_black.
struct Linear {
  std::int64_t coefficient[3][3] = {};
  std::int64_t offset[3] = {};
  int luma_scale = 256;
  int luma_black = 0;

  bool operator==(const Linear&) const = default;
};

struct Plan {
  Transform transform = Transform::none;
  Linear linear{};
};

/// Chroma of OpenCV's YCrCb: ((channel − Y) · factor + opencv_chroma_offset) >> 14.
inline constexpr int opencv_cr_factor = 11682;
inline constexpr int opencv_cb_factor = 9241;
inline constexpr int opencv_chroma_offset = (128 << 14) + (1 << 13);

Plan plan_of(const Conversion& conversion);

}  // namespace warpwise::detail::convert
