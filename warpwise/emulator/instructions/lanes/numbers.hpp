#pragma once

// Internal to the emulator: floating-point numbers, rounded as PTX does.

#include <bit>
#include <cmath>
#include <cstdint>

#include "warpwise/emulator/decode/flags.hpp"

namespace warpwise::emulator {

/// Bit layout of a 16-bit float.
struct SmallFormat {
  int exponent_bits;
  int fraction_bits;
};
inline constexpr SmallFormat half_format{5, 10};
inline constexpr SmallFormat bfloat_format{8, 7};

/// Rounds a double to a number of the format. NaN becomes 0x7fff.
inline std::uint16_t encode(double value, SmallFormat format,
                            Rounding rounding = Rounding::nearest) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = bits >> 63 != 0;
  const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
  if (value != value) return 0x7fff;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto infinity =
      static_cast<std::uint16_t>(((1 << format.exponent_bits) - 1) << format.fraction_bits);
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
  if (magnitude == 0) return sign;
  // Expresses the magnitude in units in the last place. All subnormals share one unit.
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - bias) exponent = 1 - bias;
  const double units = std::ldexp(magnitude, format.fraction_bits - exponent);
  double whole = std::floor(units);
  const double rest = units - whole;
  bool away = false;
  switch (rounding) {
    case Rounding::nearest:
      away = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) == 1.0);
      break;
    case Rounding::zero: break;
    case Rounding::down: away = negative && rest > 0; break;
    case Rounding::up: away = !negative && rest > 0; break;
  }
  if (away) whole += 1;
  // A carry out of the fraction increments the exponent.
  const auto scaled = static_cast<std::int64_t>(whole);
  const std::int64_t result =
      scaled + (static_cast<std::int64_t>(exponent + bias - 1) << format.fraction_bits);
  if (result >= infinity) {
    const bool to_infinity = rounding == Rounding::nearest ||
                             (rounding == Rounding::down && negative) ||
                             (rounding == Rounding::up && !negative);
    return static_cast<std::uint16_t>(sign | (to_infinity ? infinity : infinity - 1));
  }
  return static_cast<std::uint16_t>(sign | result);
}

inline double decode(std::uint16_t bits, SmallFormat format) {
  const int exponent = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  double magnitude = 0;
  if (exponent == (1 << format.exponent_bits) - 1) {
    magnitude = fraction != 0 ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - format.fraction_bits);
  } else {
    magnitude =
        std::ldexp(fraction + (1 << format.fraction_bits), exponent - bias - format.fraction_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Returns a * b + c of numbers of at most 16 bits, rounded to odd. A second rounding to fewer bits
/// then gives the bits of one rounding of the exact result.
inline double multiply_add_to_odd(double a, double b, double c) {
  const double product = a * b;  // exact: at most 22 bits
  const double sum = product + c;
  if (std::isinf(sum) || sum != sum) return sum;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (c - back);
  if (error == 0) return sum;
  auto bits = std::bit_cast<std::uint64_t>(sum);
  // If the sum was rounded away from zero, this first rounds it towards zero.
  if ((error < 0) == (sum > 0)) --bits;
  return std::bit_cast<double>(bits | 1);
}

inline float flush_to_zero(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits);
}

/// Applies .sat: clamps to 0 … 1, NaN becomes 0.
template <class T>
T saturated(T x) {
  return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}

/// Returns x, or for any NaN the only NaN that operations of single precision return.
inline float canonical_nan(float x) { return x == x ? x : std::bit_cast<float>(0x7fffffffU); }

}  // namespace warpwise::emulator
