#include "warpwise/primitives/convert/plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise::detail::convert {
namespace {

template <class Values>
std::string names(const Values& values) {
  std::string text;
  for (const auto value : values) text.append(text.empty() ? "" : " ").append(name_of(value));
  return text;
}

template <class Values, class Value>
bool contains(const Values& values, Value value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

[[noreturn]] void refuse(const std::string& given, const std::string& defined) {
  throw InvalidArgument("convert: " + given + "; supported: " + defined);
}

void require_enumerators(const ConvertOptions& options) {
  require_enumerator("convert", "convention", options.convention, all_conventions);
  require_enumerator("convert", "matrix", options.matrix, all_matrices);
  require_enumerator("convert", "upsampling", options.upsampling, all_chroma_upsamplings);
  for (const std::optional<Range> range : {options.from_range, options.to_range}) {
    if (range) require_enumerator("convert", "range", *range, all_ranges);
  }
}

void require_formats(PixelFormat from, PixelFormat to) {
  if (!contains(convert_sources, from)) {
    refuse(std::string(name_of(from)) + " is not a source", names(convert_sources));
  }
  if (!contains(convert_destinations, to)) {
    refuse(std::string(name_of(to)) + " is not a destination", names(convert_destinations));
  }
}

void require_matrix(Convention convention, Matrix matrix) {
  const bool defined = convention == Convention::exact || matrix == Matrix::bt601 ||
                       (convention == Convention::libyuv && matrix == Matrix::bt709);
  if (defined) return;
  refuse("convention " + std::string(name_of(convention)) + " has no matrix " +
             std::string(name_of(matrix)),
         convention == Convention::libyuv ? "bt601 bt709" : "bt601");
}

/// Returns the range that a convention takes for a YUV or grey format if the caller sets none.
Range default_range(Convention convention, PixelFormat format) {
  switch (convention) {
    case Convention::exact:
    case Convention::jfif: return Range::full;
    case Convention::libyuv: return Range::limited;
    case Convention::opencv: return is_subsampled(format) ? Range::limited : Range::full;
  }
  __builtin_unreachable();
}

/// Throws if the convention does not know the range. exact and libyuv know both ranges, the others
/// only one.
void require_range(Convention convention, PixelFormat format, Range range, Range only) {
  if (convention == Convention::exact || convention == Convention::libyuv || range == only) return;
  refuse("convention " + std::string(name_of(convention)) + " has no " +
             std::string(name_of(range)) + " range for " + std::string(name_of(format)),
         std::string(name_of(only)));
}

void require_full(PixelFormat format, std::optional<Range> range) {
  if (range.value_or(Range::full) == Range::full) return;
  refuse(std::string(name_of(format)) + " holds no YUV and has no limited range", "full");
}

}  // namespace

bool holds_yuv(PixelFormat format) { return has_luma(format) && format != PixelFormat::gray8; }

Weights weights_of(Matrix matrix) {
  switch (matrix) {
    case Matrix::bt601: return {299, 587, 114, 1000};
    case Matrix::bt709: return {2126, 7152, 722, 10000};
    case Matrix::bt2020: return {2627, 6780, 593, 10000};
  }
  __builtin_unreachable();
}

Conversion resolve(PixelFormat from, PixelFormat to, const ConvertOptions& options) {
  require_enumerators(options);
  require_formats(from, to);
  require_matrix(options.convention, options.matrix);
  Conversion c{from,        to,          options.convention, options.matrix,
               Range::full, Range::full, options.upsampling, options.gray_is_luma};
  if (holds_yuv(from)) {
    const Range usual = default_range(c.convention, from);
    c.from_range = options.from_range.value_or(usual);
    require_range(c.convention, from, c.from_range, usual);
  } else {
    require_full(from, options.from_range);
  }
  const bool to_luma = holds_yuv(to) || to == PixelFormat::gray8;
  if (!to_luma) {
    require_full(to, options.to_range);
  } else if (!holds_yuv(from)) {
    const Range usual = default_range(c.convention, to);
    c.to_range = options.to_range.value_or(usual);
    require_range(c.convention, to, c.to_range, usual);
  } else {
    // Only exact rescales: in other conventions the codes, and so the range, stay unchanged.
    const bool rescales = c.convention == Convention::exact;
    c.to_range = options.to_range.value_or(rescales ? Range::full : c.from_range);
    if (c.to_range != c.from_range && !rescales) {
      refuse("convention " + std::string(name_of(c.convention)) + " does not rescale " +
                 std::string(name_of(c.from_range)) + " range to " +
                 std::string(name_of(c.to_range)),
             "equal ranges (convention exact rescales)");
    }
  }
  return c;
}

namespace {

std::int64_t fixed(std::int64_t numerator, int bits) { return numerator << (linear_bits - bits); }

/// Rounds a real number to a multiple of 2^-bits. A double's 53 bits hold all numbers used here.
std::int64_t rounded(double value, int bits) {
  return fixed(std::llround(std::ldexp(value, bits)), bits);
}

/// Number of luma codes above black, number of chroma codes from end to end, and the code of black.
struct Codes {
  double luma, chroma;
  int black;
};

Codes codes_of(Range range) {
  return range == Range::full ? Codes{255, 255, 0} : Codes{219, 224, 16};
}

// The exact convention computes floor(x + 1/2) for a rational x of denominator D. The result is
// right if the computed sum lies within 1/(2D) of x + 1/2 + 1/(2D). The bits and biases below
// ensure that; the test over all 2^24 colours checks it.
//
// RGB → YUV, full range: D is 18814 at most (Cb of bt2020). With 22 bits the error is 3.1e-5 at
// most, and one 32-bit product per coefficient is enough.
constexpr int full_bits = 22;
constexpr std::int64_t full_bias = std::int64_t{111} << (linear_bits - full_bits);  // 2.6e-5
// RGB → YUV, limited range: D is 2398785 at most; 31 bits have an error of 1.2e-7.
constexpr int limited_bits = 31;
constexpr std::int64_t limited_bias = std::int64_t{1} << (linear_bits - 22);  // 2.4e-7
// YUV → RGB and between ranges: green has denominators beyond 2^30, but its 2^24 values leave gaps
// around the rounding thresholds. These conversions use all 40 bits, with an error of 2.4e-10.
constexpr std::int64_t decode_bias = std::int64_t{1} << (linear_bits - 31);  // 4.7e-10

constexpr std::int64_t one = std::int64_t{1} << linear_bits;
constexpr std::int64_t half = one / 2;

Linear exact_encode(const Conversion& c) {
  const Weights k = weights_of(c.matrix);
  const Codes codes = codes_of(c.to_range);
  const bool full = c.to_range == Range::full;
  const int bits = full ? full_bits : limited_bits;
  const double y = codes.luma / 255 / k.sum;
  const double cb = codes.chroma / 255 / (2 * (k.sum - k.b));
  const double cr = codes.chroma / 255 / (2 * (k.sum - k.r));
  Linear linear{};
  // The middle coefficient is the row's sum minus the others, so rounding errors cancel for grey.
  const auto set_row = [&](int row, double first, double last, double sum, int offset) {
    auto& into = linear.coefficient[row];
    into[0] = rounded(first, bits);
    into[2] = rounded(last, bits);
    into[1] = rounded(sum, bits) - into[0] - into[2];
    linear.offset[row] = offset * one + half + (full ? full_bias : limited_bias);
  };
  set_row(0, y * k.r, y * k.b, codes.luma / 255, codes.black);
  set_row(1, -cb * k.r, cb * (k.sum - k.b), 0, 128);
  set_row(2, cr * (k.sum - k.r), -cr * k.b, 0, 128);
  return linear;
}

/// Sets the offset of a row for the variables Y − black, Cb − 128, Cr − 128.
void center(Linear& linear, int row, int black, std::int64_t rounding) {
  const auto& k = linear.coefficient[row];
  linear.offset[row] = rounding - k[0] * black - (k[1] + k[2]) * 128;
}

Linear exact_decode(const Conversion& c) {
  const Weights k = weights_of(c.matrix);
  const Codes codes = codes_of(c.from_range);
  const double y = 255 / codes.luma;
  const double cb = 255 / codes.chroma * 2 * (k.sum - k.b) / k.sum;
  const double cr = 255 / codes.chroma * 2 * (k.sum - k.r) / k.sum;
  Linear linear{};
  const double rows[3][3] = {{y, 0, cr}, {y, -cb * k.b / k.g, -cr * k.r / k.g}, {y, cb, 0}};
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 3; ++i) linear.coefficient[row][i] = rounded(rows[row][i], linear_bits);
    center(linear, row, codes.black, half + decode_bias);
  }
  return linear;
}

Linear exact_rescale(const Conversion& c) {
  const Codes from = codes_of(c.from_range);
  const Codes to = codes_of(c.to_range);
  Linear linear{};
  linear.coefficient[0][0] = rounded(to.luma / from.luma, linear_bits);
  linear.coefficient[1][1] = linear.coefficient[2][2] =
      rounded(to.chroma / from.chroma, linear_bits);
  for (int row = 0; row < 3; ++row) {
    center(linear, row, from.black, half + decode_bias + (row == 0 ? to.black : 128) * one);
  }
  return linear;
}

/// Returns a linear map from a convention's own integers, divided by 2^bits.
Linear integer_linear(int bits, const int (&coefficient)[3][3], const std::int64_t (&offset)[3]) {
  Linear linear{};
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 3; ++i) linear.coefficient[row][i] = fixed(coefficient[row][i], bits);
    linear.offset[row] = fixed(offset[row], bits);
  }
  return linear;
}

Linear libyuv_encode(const Conversion& c) {
  const bool full = c.to_range == Range::full;
  const std::int64_t luma = full ? 128 : 0x1080;
  if (c.matrix == Matrix::bt709) {
    return full ? integer_linear(8, {{54, 183, 19}, {-29, -99, 128}, {128, -116, -12}},
                                 {luma, 0x8000, 0x8000})
                : integer_linear(8, {{47, 157, 16}, {-26, -86, 112}, {112, -102, -10}},
                                 {luma, 0x8000, 0x8000});
  }
  // Full-range BT.601 rounds chroma, with factors that fit signed bytes. The others truncate it.
  return full ? integer_linear(8, {{77, 150, 29}, {-43, -84, 127}, {127, -107, -20}},
                               {luma, 0x8080, 0x8080})
              : integer_linear(8, {{66, 129, 25}, {-38, -74, 112}, {112, -94, -18}},
                               {luma, 0x8000, 0x8000});
}

Linear libyuv_decode(const Conversion& c) {
  struct Constants {
    int blue_cb, green_cb, green_cr, red_cr, luma_scale, bias;
  };
  const bool full = c.from_range == Range::full;
  // Sums have 6 fractional bits. A truncated product first scales luma to these bits.
  const Constants k = c.matrix == Matrix::bt601
                          ? (full ? Constants{113, 22, 46, 90, 16320, 32}
                                  : Constants{128, 25, 52, 102, 18997, -1160})
                          : (full ? Constants{119, 12, 30, 101, 16320, 32}
                                  : Constants{128, 14, 34, 115, 18997, -1160});
  Linear linear = integer_linear(
      6, {{1, 0, k.red_cr}, {1, -k.green_cb, -k.green_cr}, {1, k.blue_cb, 0}}, {0, 0, 0});
  for (int row = 0; row < 3; ++row) center(linear, row, 0, fixed(k.bias, 6));
  linear.luma_scale = k.luma_scale;
  return linear;
}

Linear jfif_encode() {
  constexpr std::int64_t chroma = (std::int64_t{128} << 16) + 32767;
  return integer_linear(16, {{19595, 38470, 7471}, {-11059, -21709, 32768}, {32768, -27439, -5329}},
                        {32768, chroma, chroma});
}

Linear jfif_decode() {
  Linear linear = integer_linear(
      16, {{65536, 0, 91881}, {65536, -22554, -46802}, {65536, 116130, 0}}, {0, 0, 0});
  for (int row = 0; row < 3; ++row) center(linear, row, 0, half);
  return linear;
}

/// Returns the map for YCrCb's luma (14 fractional bits) or grey (15). The chroma is not linear.
Linear opencv_encode(const Conversion& c) {
  if (c.to == PixelFormat::gray8 && !c.gray_is_luma) {
    return integer_linear(15, {{9798, 19235, 3735}, {0, 0, 0}, {0, 0, 0}}, {1 << 14, 0, 0});
  }
  return integer_linear(14, {{4899, 9617, 1868}, {0, 0, 0}, {0, 0, 0}}, {1 << 13, 0, 0});
}

Linear opencv_decode(const Conversion& c) {
  const bool limited = c.from_range == Range::limited;
  Linear linear =
      limited ? integer_linear(
                    20, {{1220542, 0, 1673527}, {1220542, -409993, -852492}, {1220542, 2116026, 0}},
                    {0, 0, 0})
              : integer_linear(14, {{16384, 0, 22987}, {16384, -5636, -11698}, {16384, 29049, 0}},
                               {0, 0, 0});
  linear.luma_black = limited ? 16 : 0;
  for (int row = 0; row < 3; ++row) center(linear, row, 0, half);
  return linear;
}

Linear encode(const Conversion& c) {
  switch (c.convention) {
    case Convention::exact: return exact_encode(c);
    case Convention::opencv: return opencv_encode(c);
    case Convention::libyuv: return libyuv_encode(c);
    case Convention::jfif: return jfif_encode();
  }
  __builtin_unreachable();
}

Linear decode(const Conversion& c) {
  switch (c.convention) {
    case Convention::exact: return exact_decode(c);
    case Convention::opencv: return opencv_decode(c);
    case Convention::libyuv: return libyuv_decode(c);
    case Convention::jfif: return jfif_decode();
  }
  __builtin_unreachable();
}

}  // namespace

Plan plan_of(const Conversion& c) {
  const bool to_luma = holds_yuv(c.to) || c.to == PixelFormat::gray8;
  if (holds_yuv(c.from)) {
    if (!to_luma) return {Transform::linear, decode(c)};
    if (c.from_range == c.to_range) return {};
    return {Transform::linear, exact_rescale(c)};
  }
  if (!to_luma) return {};
  const bool opencv_yuv = c.convention == Convention::opencv && c.to != PixelFormat::gray8;
  return {opencv_yuv ? Transform::opencv_ycrcb : Transform::linear, encode(c)};
}

}  // namespace warpwise::detail::convert
