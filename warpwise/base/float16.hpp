#pragma once

#include "warpwise/base/standard.hpp"

#include <bit>
#include <cstdint>

namespace warpwise {

/// A 16-bit float of IEEE 754 (1 sign, 5 exponent, 10 fraction bits). It only holds the bits;
/// convert it for arithmetic.
struct Float16 {
  std::uint16_t bits = 0;
};

/// The upper half of a 32-bit float (1 sign, 8 exponent, 7 fraction bits). It only holds the bits;
/// convert it for arithmetic.
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// Converts to float. The result is exact.
constexpr float to_float(Float16 value) {
  const std::uint32_t sign = std::uint32_t{value.bits & 0x8000U} << 16;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  if (magnitude < 0x0400) {  // zero or subnormal: a multiple of 2^-24
    const float number = static_cast<float>(magnitude) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(number));
  }
  // The exponent's bias changes from 15 to 127; infinity and NaN keep the greatest exponent.
  const std::uint32_t bias = magnitude >= 0x7c00 ? 255 - 31 : 127 - 15;
  return std::bit_cast<float>(sign | ((magnitude << 13) + (bias << 23)));
}

/// Converts to float. The result is exact.
constexpr float to_float(BFloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16);
}

namespace detail {
/// Returns value / 2^bits, rounded to nearest, ties to even.
constexpr std::uint32_t rounded_shift(std::uint32_t value, unsigned bits) {
  return (value + ((1U << (bits - 1)) - 1) + (value >> bits & 1)) >> bits;
}
}  // namespace detail

/// Rounds to the nearest Float16, ties to even; values beyond the range become infinity.
constexpr Float16 to_float16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t result = 0;
  if (magnitude > 0x7f800000U) {
    result = 0x7e00;  // a NaN
  } else if (magnitude >= 0x47800000U) {
    result = 0x7c00;  // 2^16 and more
  } else if (magnitude >= 0x38800000U) {
    // Normal; a carry out of the fraction moves into the exponent, up to infinity.
    result = detail::rounded_shift(magnitude, 13) - ((127U - 15U) << 10);
  } else if (magnitude >= 0x33000000U) {
    // From 2^-25 on, the result is subnormal: a multiple of 2^-24. The implicit leading one is
    // added to the fraction, and both are shifted to that unit.
    const unsigned exponent = magnitude >> 23;
    result = detail::rounded_shift((magnitude & 0x7fffffU) | 0x800000U, 126 - exponent);
  }
  return {static_cast<std::uint16_t>(sign | result)};
}

/// Rounds to the nearest BFloat16, ties to even; values beyond the range become infinity.
constexpr BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return {static_cast<std::uint16_t>(bits >> 16 | 0x40U)};  // keeps a NaN a NaN
  }
  return {static_cast<std::uint16_t>(detail::rounded_shift(bits, 16))};
}

}  // namespace warpwise
