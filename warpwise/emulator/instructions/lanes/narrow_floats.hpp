#pragma once

// Internal to the emulator: floats of 8, 6 and 4 bits.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpwise::emulator {

/// Layout of a narrow float: a sign, an exponent, a fraction.
struct NarrowFormat {
  int exponent_bits;
  int fraction_bits;
  std::uint32_t largest;  ///< code of the largest finite number; larger codes are infinity or NaN
  bool has_infinity = false;
  constexpr int magnitude_bits() const { return exponent_bits + fraction_bits; }
  constexpr std::uint32_t sign() const { return 1U << magnitude_bits(); }
  constexpr bool has_nan() const { return largest + 1 < sign(); }
};
inline constexpr NarrowFormat e4m3_format{4, 3, 0x7e};
inline constexpr NarrowFormat e5m2_format{5, 2, 0x7b, true};
inline constexpr NarrowFormat e3m2_format{3, 2, 0x1f};
inline constexpr NarrowFormat e2m3_format{2, 3, 0x1f};
inline constexpr NarrowFormat e2m1_format{2, 1, 0x7};

/// Returns the number that a code stands for. Bits above the code's sign are ignored.
inline double narrow_value(std::uint32_t bits, NarrowFormat format) {
  const std::uint32_t code = bits & (format.sign() - 1);
  const auto exponent = static_cast<int>(code >> format.fraction_bits);
  const std::uint32_t one = 1U << format.fraction_bits;
  const std::uint32_t fraction = code & (one - 1);
  const int scale = 1 - (1 << (format.exponent_bits - 1)) + 1 - format.fraction_bits;
  double magnitude = exponent == 0 ? std::ldexp(fraction, scale)
                                   : std::ldexp(one + fraction, exponent - 1 + scale);
  if (code > format.largest) {
    magnitude = format.has_infinity && code == format.largest + 1
                    ? std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & format.sign()) != 0 ? -magnitude : magnitude;
}

/// Rounds a number to the nearest code, ties to even. A number beyond the largest finite number
/// becomes that number (`.rn.satfinite`). A NaN also does if the format has no NaN.
inline std::uint32_t narrow_bits(double x, NarrowFormat format) {
  if (x != x) return format.has_nan() ? format.sign() - 1 : format.largest;
  const std::uint32_t sign = std::signbit(x) ? format.sign() : 0;
  const double magnitude = std::fabs(x);
  // Larger codes are larger numbers. Finds the largest code that does not exceed the magnitude.
  std::uint32_t low = 0;
  for (std::uint32_t step = format.sign() >> 1; step != 0; step >>= 1) {
    const std::uint32_t next = low + step;
    if (next <= format.largest && narrow_value(next, format) <= magnitude) low = next;
  }
  if (low == format.largest) return sign | low;
  const double below = magnitude - narrow_value(low, format);
  const double above = narrow_value(low + 1, format) - magnitude;
  const bool up = below > above || (below == above && (low & 1) != 0);
  return sign | (low + (up ? 1 : 0));
}

}  // namespace warpwise::emulator
