#pragma once

#include <cstdlib>

#include "warpwise/primitives/convert/plan.hpp"

namespace warpwise::detail {

/// Linear, cut for 16-bit products: a coefficient is digit0 + digit1 / 2^16 + digit2 / 2^32, over
/// 2^shift, all digits signed; coefficients come in the pairs that are multiplied and added at
/// once. The last pair's second factor is 1: it holds the offset's digit, except at level 0, where
/// the offset needs more than 16 bits.
struct Digits {
  struct Pair {
    std::int16_t first, second;
  };
  Pair pairs[3][3][2];  ///< [row][level][pair]
  std::int32_t offset[3];
  int levels;
  int shift;
  std::int16_t luma_scale, luma_black;
};

/// Takes the lowest 16 bits off a number, as a signed digit.
inline std::int16_t take_digit(std::int64_t& number) {
  const auto digit = static_cast<std::int16_t>(number & 0xffff);
  number = (number - digit) >> 16;
  return digit;
}

inline Digits cut(const Linear& linear, int shift) {
  Digits digits{};
  digits.shift = shift;
  digits.levels = 2;
  const std::int64_t unit = std::int64_t{1} << (shift + 32 - linear_bits);
  for (int row = 0; row < 3; ++row) {
    std::int64_t number[4];
    for (int i = 0; i < 3; ++i) number[i] = linear.coefficient[row][i] * unit;
    number[3] = linear.offset[row] * unit;
    for (const int level : {2, 1}) {
      auto& pairs = digits.pairs[row][level];
      for (int i = 0; i < 4; ++i) {
        const std::int16_t digit = take_digit(number[i]);
        (i % 2 == 0 ? pairs[i / 2].first : pairs[i / 2].second) = digit;
        if (level == 2 && digit != 0) digits.levels = 3;
      }
    }
    digits.pairs[row][0][0] = {static_cast<std::int16_t>(number[0]),
                               static_cast<std::int16_t>(number[1])};
    digits.pairs[row][0][1] = {static_cast<std::int16_t>(number[2]), 0};
    digits.offset[row] = static_cast<std::int32_t>(number[3]);
  }
  digits.luma_scale = static_cast<std::int16_t>(linear.luma_scale);
  digits.luma_black = static_cast<std::int16_t>(linear.luma_black);
  return digits;
}

/// Coefficients reach 2.15: a shift of 13 keeps the highest digit in 16 bits. Where all are below 1
/// and it saves the third level, a shift of 15.
inline Digits cut(const Linear& linear) {
  const Digits wide = cut(linear, 13);
  if (wide.levels == 2) return wide;
  for (const auto& row : linear.coefficient) {
    for (const std::int64_t k : row) {
      if (std::abs(k) >= std::int64_t{1} << linear_bits) return wide;
    }
  }
  const Digits narrow = cut(linear, 15);
  return narrow.levels == 2 ? narrow : wide;
}

}  // namespace warpwise::detail
