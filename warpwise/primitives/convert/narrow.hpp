#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <variant>

#include "warpwise/base/frame.hpp"
#include "warpwise/primitives/convert/digits.hpp"
#include "warpwise/primitives/convert/plan.hpp"

// Forms of the map Linear (plan.hpp) whose arithmetic is cheaper than that of Digits (digits.hpp).
// A map has such a form if its coefficients and offsets fit it. The choice depends on these numbers
// alone, not on the convention.
namespace warpwise::detail::convert {

/// out[row] = (factor[row] · in + offset[row]) >> 8 in 16 bits. Partial sums may wrap around,
/// because the final sum fits.
struct NarrowEncode {
  std::uint16_t factor[3][3];
  std::uint16_t offset[3];
};

/// Decoding in 16 bits, in units of 1/64. With luma = (in[0] · 257 · luma_scale >> 16) +
/// luma_offset and 128 subtracted from chroma: R = luma + red · Cr, G = luma + green[0] · Cb +
/// green[1] · Cr, B = luma + blue · Cb.
struct NarrowDecode {
  std::uint16_t luma_scale;
  std::int16_t luma_offset;
  std::int16_t red, green[2], blue;
};

/// Decoding as luma itself plus, for each channel, an integer that depends on chroma alone.
struct UnitDecode {
  /// The integer that a chroma sample adds to a channel. With c = chroma - 128, it is
  /// whole · c + ((256 · c + bias) · factor / 2^16 + rounding >> 8). `whole` is the integer nearest
  /// to the coefficient, and `factor` is the rest in units of 2^-16.
  struct Term {
    std::int16_t whole, factor, bias, rounding;
  };
  Term red, blue;  ///< red is a term of Cr, blue a term of Cb
  /// Green: (((low · in + low_offset) >> 16) + high · in + high_offset) >> 15, with in = (Cb, Cr).
  std::int16_t green_high[2], green_low[2];
  std::int32_t green_high_offset, green_low_offset;
};

/// Encoding in floats, rounded once to the nearest integer. It takes the differences of R and B
/// from G: Y = G + first[0] · (R − G) + last[0] · (B − G) + offset[0]. Cb and Cr have base[1] and
/// base[2] in place of G. Chroma may reach 256, which no byte holds. It is therefore computed too
/// low by `lift`, which a saturating addition of bytes adds at the end.
struct FloatEncode {
  float first[3], last[3], offset[3], base[3];
  std::uint8_t lift;
};

using Narrow = std::variant<std::monostate, NarrowEncode, NarrowDecode, UnitDecode, FloatEncode>;

/// Returns `value` in units of 2^-bits if it is a whole number of them that fits T.
template <class T>
std::optional<T> multiple_of(std::int64_t value, int bits) {
  const std::int64_t scaled = value >> (linear_bits - bits);
  const bool fits = scaled >= std::numeric_limits<T>::min() &&
                    scaled <= std::numeric_limits<T>::max() &&
                    scaled << (linear_bits - bits) == value;
  return fits ? std::optional(static_cast<T>(scaled)) : std::nullopt;
}

/// The least and the greatest value of a row of Linear for bytes, before rounding down.
struct Extremes {
  std::int64_t least, greatest;
};

inline Extremes extremes(const Linear& linear, int row) {
  Extremes e{linear.offset[row], linear.offset[row]};
  for (const std::int64_t k : linear.coefficient[row]) (k < 0 ? e.least : e.greatest) += 255 * k;
  return e;
}

inline std::optional<NarrowEncode> narrow_encode(const Linear& linear) {
  NarrowEncode narrow{};
  for (int row = 0; row < 3; ++row) {
    const auto [least, greatest] = extremes(linear, row);
    const auto offset = multiple_of<std::uint16_t>(linear.offset[row], 8);
    if (least < 0 || greatest >= std::int64_t{256} << linear_bits || !offset) return std::nullopt;
    narrow.offset[row] = *offset;
    for (int i = 0; i < 3; ++i) {
      const auto factor = multiple_of<std::int16_t>(linear.coefficient[row][i], 8);
      if (!factor) return std::nullopt;
      narrow.factor[row][i] = static_cast<std::uint16_t>(*factor);
    }
  }
  return narrow;
}

inline std::optional<NarrowDecode> narrow_decode(const Linear& linear) {
  const auto& k = linear.coefficient;
  // All rows must have the same factor of luma and the same offset for grey.
  const std::int64_t offset = linear.offset[0] + 128 * (k[0][1] + k[0][2]);
  for (int row = 0; row < 3; ++row) {
    const bool same = k[row][0] == std::int64_t{1} << (linear_bits - 6) &&
                      linear.offset[row] + 128 * (k[row][1] + k[row][2]) == offset;
    if (!same) return std::nullopt;
  }
  const auto luma_offset = multiple_of<std::int16_t>(offset, 6);
  const auto red = multiple_of<std::int16_t>(k[0][2], 6);
  const auto green_cb = multiple_of<std::int16_t>(k[1][1], 6);
  const auto green_cr = multiple_of<std::int16_t>(k[1][2], 6);
  const auto blue = multiple_of<std::int16_t>(k[2][1], 6);
  if (!luma_offset || !red || !green_cb || !green_cr || !blue) return std::nullopt;
  // Luma must fit 16 bits, and so must a chroma term plus luma_offset plus 2^14.
  const auto most = [](int factor) { return factor > 0 ? 127 * factor : -128 * factor; };
  const bool in_range =
      std::max({most(*red), most(*green_cb) + most(*green_cr), most(*blue)}) + *luma_offset <
          1 << 14 &&
      *luma_offset > -(1 << 14) && k[0][1] == 0 && k[2][2] == 0 && linear.luma_black == 0 &&
      linear.luma_scale < 1 << 15;
  if (!in_range) return std::nullopt;
  return NarrowDecode{static_cast<std::uint16_t>(linear.luma_scale),
                      *luma_offset,
                      *red,
                      {*green_cb, *green_cr},
                      *blue};
}

/// Finds the term equal to floor(factor · c + offset) for all chroma c = -128 … 127, if it exists.
inline std::optional<UnitDecode::Term> unit_term(std::int64_t factor, std::int64_t offset) {
  constexpr std::int64_t one = std::int64_t{1} << linear_bits;
  const std::int64_t whole = (factor + one / 2) >> linear_bits;
  constexpr int cut = linear_bits - 16;
  const std::int64_t scaled = (factor - whole * one + (std::int64_t{1} << (cut - 1))) >> cut;
  if (scaled <= std::numeric_limits<std::int16_t>::min() ||
      scaled > std::numeric_limits<std::int16_t>::max()) {
    return std::nullopt;
  }
  UnitDecode::Term term{static_cast<std::int16_t>(whole), static_cast<std::int16_t>(scaled), 0, 0};
  // The factor is rounded, and products are truncated to multiples of 2^-8. Ties may therefore fall
  // on the wrong side. A small bias, added to chroma in units of 2^-8, corrects that.
  term.rounding = scaled < 0 ? 129 : 128;
  for (; term.bias < 16; ++term.bias) {
    bool equal = true;
    for (std::int64_t c = -128; equal && c < 128; ++c) {
      const std::int64_t exact = (factor * c + offset) >> linear_bits;
      const std::int64_t product = ((256 * c + term.bias) * scaled) >> 16;
      equal = exact == whole * c + ((product + term.rounding) >> 8) && std::abs(exact) < 256;
    }
    if (equal) return term;
  }
  return std::nullopt;
}

/// Returns the decoding if luma is neither scaled nor shifted, as in full range. unit_term() checks
/// red and blue for every chroma value. The factors of green are rounded to multiples of 2^-31, so
/// green errs by about 2^-24 at most. Adding 2^-20 rounds ties up. No exact green lies so close
/// below a tie that it is rounded up too, as the test over all 2^24 colours shows.
inline std::optional<UnitDecode> unit_decode(const Linear& linear) {
  const auto& k = linear.coefficient;
  constexpr std::int64_t one = std::int64_t{1} << linear_bits;
  for (const auto& row : k) {
    if (row[0] != one) return std::nullopt;
  }
  const bool one_chroma_each = k[0][1] == 0 && k[2][2] == 0;
  if (!one_chroma_each || linear.luma_scale != 256 || linear.luma_black != 0) return std::nullopt;
  const auto red = unit_term(k[0][2], linear.offset[0] + 128 * k[0][2]);
  const auto blue = unit_term(k[2][1], linear.offset[2] + 128 * k[2][1]);
  if (!red || !blue) return std::nullopt;
  UnitDecode decode{*red, *blue, {}, {}, 0, 0};
  constexpr int cut = linear_bits - 31;
  constexpr std::int64_t ties = one >> 20;
  std::int64_t offset = (linear.offset[1] + 128 * (k[1][1] + k[1][2]) + ties) >> cut;
  for (const int chroma : {0, 1}) {
    std::int64_t factor = (k[1][1 + chroma] + (std::int64_t{1} << (cut - 1))) >> cut;
    if (factor >= 0 || factor <= -(std::int64_t{1} << 31) + (1 << 16)) return std::nullopt;
    offset -= 128 * factor;
    decode.green_low[chroma] = take_digit(factor);
    decode.green_high[chroma] = take_digit(factor);
  }
  decode.green_low_offset = static_cast<std::int32_t>(offset & 0xffff);
  decode.green_high_offset = static_cast<std::int32_t>(offset >> 16);
  return decode;
}

/// Returns the encoding in floats, or nullopt if the coefficients are not suitable. A sum has two
/// products of a factor (a multiple of 2^-22) and a difference of two channels (9 bits). Its
/// magnitude is below 2^7, so rounding to floats changes it by at most about 2^-16. Each sum of a
/// full-range encoding lies further than that from the values at which the rounded result changes,
/// as the test over all 2^24 colours shows.
inline std::optional<FloatEncode> float_encode(const Linear& linear) {
  constexpr std::int64_t one = std::int64_t{1} << linear_bits;
  constexpr std::int64_t unit = std::int64_t{1} << (linear_bits - 22);
  const auto real = [](std::int64_t fixed) {
    return std::ldexp(static_cast<double>(fixed), -linear_bits);
  };
  FloatEncode encode{};
  for (const int row : {1, 2}) {
    if (extremes(linear, row).greatest >= 256 * one) encode.lift = 1;
  }
  for (int row = 0; row < 3; ++row) {
    const auto& k = linear.coefficient[row];
    const std::int64_t lift = row == 0 ? 0 : encode.lift;
    const auto [least, greatest] = extremes(linear, row);
    const bool fits = k[0] % unit == 0 && k[2] % unit == 0 &&
                      k[0] + k[1] + k[2] == (row == 0 ? one : 0) && least >= lift * one &&
                      greatest < (256 + lift) * one;
    if (!fits) return std::nullopt;
    encode.first[row] = static_cast<float>(real(k[0]));
    encode.last[row] = static_cast<float>(real(k[2]));
    encode.base[row] = static_cast<float>((linear.offset[row] >> linear_bits) - lift);
    // Linear rounds down and includes 1/2 in its offset. Floats are rounded to the nearest, so 1/2
    // is subtracted. Adding 2^-17, half of the conventions' finest unit, rounds ties up.
    encode.offset[row] =
        static_cast<float>(real(linear.offset[row] % one) - 0.5 + std::ldexp(1, -17));
  }
  return encode;
}

/// Chooses cheaper arithmetic for a linear conversion to luma (and chroma) or to RGB, if one fits.
inline Narrow narrow(const Linear& linear, bool to_rgb) {
  if (to_rgb) {
    if (const auto decode = narrow_decode(linear)) return *decode;
    if (const auto decode = unit_decode(linear)) return *decode;
  } else {
    if (const auto encode = narrow_encode(linear)) return *encode;
    if (const auto encode = float_encode(linear)) return *encode;
  }
  return {};
}

/// Converts rows [first, last) by the arithmetic of `numbers`. Returns false if there is no direct
/// path for the formats, the numbers or the CPU.
bool convert_direct(const ConstHostFrame& src, const HostFrame& dst, const Narrow& numbers,
                    std::int64_t first, std::int64_t last);

}  // namespace warpwise::detail::convert
