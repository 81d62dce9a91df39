#pragma once

#include <cstdlib>

#include "warpwise/primitives/convert/plan.hpp"

// The map Linear (plan.hpp) in a form for SIMD: 16-bit factors, multiplied and added in pairs.
namespace warpwise::detail::convert {

/// Ways to write the map with `main` and two differences in place of the three channels. Some
/// factors are then zero or equal, which saves products.
enum class Shape {
  encode,   ///< main = G, differences R − G and B − G; chroma does not depend on main
  rescale,  ///< main = Y, differences Cb − 128 and Cr − 128; chroma does not depend on main
  decode,   ///< as rescale; all results have the same factor of main and the same offset
};

/// Factors in signed 16-bit digits: (digit[0] + digit[1] / 2^16 + digit[2] / 2^32) / 2^shift.
struct Digits {
  struct Pair {
    std::int16_t first, second;
  };
  Shape shape;
  Pair differences[3][3];   ///< [row][level]
  Pair main_and_one[3][3];  ///< main's factor, and the offset's digit (0 at level 0)
  std::int32_t offset[3];   ///< offset at level 0, which needs more than 16 bits
  int levels;
  int shift;
  std::uint16_t luma_scale, luma_black;
};

/// Removes the lowest 16 bits from a number and returns them as a signed digit.
inline std::int16_t take_digit(std::int64_t& number) {
  const auto digit = static_cast<std::int16_t>(number & 0xffff);
  number = (number - digit) >> 16;
  return digit;
}

inline Digits cut(const Linear& linear, Shape shape, int shift) {
  Digits digits{};
  digits.shape = shape;
  digits.shift = shift;
  digits.levels = 2;
  const std::int64_t unit = std::int64_t{1} << (shift + 32 - linear_bits);
  for (int row = 0; row < 3; ++row) {
    const auto& k = linear.coefficient[row];
    const bool encode = shape == Shape::encode;
    std::int64_t first = (encode ? k[0] : k[1]) * unit;
    std::int64_t second = k[2] * unit;
    std::int64_t main = (encode ? k[0] + k[1] + k[2] : k[0]) * unit;
    std::int64_t offset = (linear.offset[row] + (encode ? 0 : (k[1] + k[2]) * 128)) * unit;
    for (const int level : {2, 1, 0}) {
      digits.differences[row][level] = {take_digit(first), take_digit(second)};
      digits.main_and_one[row][level].first = take_digit(main);
      if (level > 0) digits.main_and_one[row][level].second = take_digit(offset);
      const auto [u, v] = digits.differences[row][level];
      const auto [m, o] = digits.main_and_one[row][level];
      if (level == 2 && (u | v | m | o) != 0) digits.levels = 3;
    }
    digits.offset[row] = static_cast<std::int32_t>(offset);
  }
  digits.luma_scale = static_cast<std::uint16_t>(linear.luma_scale);
  digits.luma_black = static_cast<std::uint16_t>(linear.luma_black);
  return digits;
}

/// Splits the factors into digits, with a shift of 13 or 15. Factors reach 2.15. With a shift of
/// 13, the highest digit of such a factor still fits 16 bits. The shift is 15 if, in Shape::encode,
/// all factors are below 1 and the third level of digits is then unnecessary.
inline Digits cut(const Linear& linear, Shape shape) {
  const Digits wide = cut(linear, shape, 13);
  if (wide.levels == 2 || shape != Shape::encode) return wide;
  constexpr std::int64_t one = std::int64_t{1} << linear_bits;
  for (const auto& k : linear.coefficient) {
    if (std::abs(k[0]) >= one || std::abs(k[2]) >= one || k[0] + k[1] + k[2] >= one) return wide;
  }
  const Digits narrow = cut(linear, shape, 15);
  return narrow.levels == 2 ? narrow : wide;
}

}  // namespace warpwise::detail::convert
