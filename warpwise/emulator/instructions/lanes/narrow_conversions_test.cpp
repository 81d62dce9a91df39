// Conversions of floats of 8, 6 and 4 bits, against a search through all numbers of the format.

#include <gtest/gtest.h>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/instructions/lanes/floats_testing.hpp"

namespace warpwise {
namespace narrow_tests {

using namespace test;

struct Format {
  const char* name;
  int exponent_bits;
  int fraction_bits;
  int finite;  ///< number of finite numbers of one sign
  int pitch;   ///< bits from one number of a pair to the other
};
constexpr Format formats[] = {
    {"e4m3", 4, 3, 127, 8}, {"e5m2", 5, 2, 124, 8}, {"e3m2", 3, 2, 32, 8},
    {"e2m3", 2, 3, 32, 8},  {"e2m1", 2, 1, 8, 4},
};

/// Returns the finite numbers of a format from 0 on, in the order of their codes. The steps double
/// from binade to binade, except from the subnormal numbers to the first binade.
std::vector<double> numbers_of(const Format& format) {
  const int in_binade = 1 << format.fraction_bits;
  const int least = 2 - (1 << (format.exponent_bits - 1)) - format.fraction_bits;
  std::vector<double> numbers;
  double next = 0;
  for (int code = 0; code < format.finite; ++code) {
    numbers.push_back(next);
    next += std::pow(2.0, least + std::max(code / in_binade - 1, 0));
  }
  return numbers;
}

U64 sign_of(const Format& format) {
  return U64{1} << (format.exponent_bits + format.fraction_bits);
}

U64 nearest(const Format& format, double x, bool relu) {
  const std::vector<double> numbers = numbers_of(format);
  const bool has_nan = format.finite < 1 << (format.exponent_bits + format.fraction_bits);
  if (std::isnan(x)) return has_nan ? sign_of(format) - 1 : numbers.size() - 1;
  if (relu && x <= 0) return 0;
  const double magnitude = std::min(std::fabs(x), numbers.back());
  std::size_t best = 0;
  for (std::size_t code = 1; code < numbers.size(); ++code) {
    const double distance = std::fabs(numbers[code] - magnitude);
    const double least = std::fabs(numbers[best] - magnitude);
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(x) ? sign_of(format) : 0);
}

/// Returns a format's numbers, their midpoints, and the floats next to all of these; of both signs.
Inputs around(const Format& format) {
  std::vector<float> values = {std::numeric_limits<float>::infinity(), std::nanf(""), 1e30F, 1e-30F,
                               std::numeric_limits<float>::denorm_min()};
  const std::vector<double> numbers = numbers_of(format);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double last = numbers[i] - numbers[i > 0 ? i - 1 : 0];
    const double next = i + 1 < numbers.size() ? numbers[i + 1] : numbers[i] + last;
    for (const double each : {numbers[i], (numbers[i] + next) / 2}) {
      const auto value = static_cast<float>(each);
      for (const float near : {value, std::nextafter(value, 1e9F), std::nextafter(value, -1e9F)})
        values.push_back(near);
    }
  }
  Inputs inputs;
  std::mt19937 random(3);
  for (const float value : values) {
    for (const float each : {value, -value}) {
      inputs.a.push_back(bits_of(each));
      inputs.b.push_back(bits_of(values[random() % values.size()]));
      inputs.c.push_back(0);
    }
  }
  return inputs;
}

Inputs each_of(U64 count) {
  Inputs inputs;
  for (U64 i = 0; i < count; ++i) inputs.a.push_back(i | (i * 40503 & 0xffff) << 16);
  inputs.b = inputs.c = std::vector<U64>(count);
  return inputs;
}

double half(U64 bits) { return to_float(Float16{static_cast<std::uint16_t>(bits)}); }

int bits_of_pair(const Format& format) { return 2 * format.pitch; }

TEST(NarrowConversions, FromSingles) {
  for (const Format& format : formats) {
    for (const bool relu : {false, true}) {
      expect_instruction(std::string("mov.b16 %d, 0; cvt.rn.satfinite") + (relu ? ".relu." : ".") +
                             format.name + "x2.f32 %d, %a, %b;",
                         {16, 32, 32, 32}, around(format), [&](U64 a, U64 b, U64) {
                           return nearest(format, number<float>(a), relu) << format.pitch |
                                  nearest(format, number<float>(b), relu);
                         });
    }
  }
}

TEST(NarrowConversions, FromEachHalf) {
  for (const Format& format : formats) {
    std::vector<U64> expected;
    for (U64 bits = 0; bits < 0x10000; ++bits)
      expected.push_back(nearest(format, half(bits), false));
    expect_instruction(std::string("cvt.rn.satfinite.") + format.name + "x2.f16x2 %d, %a;",
                       {16, 32, 32, 32}, each_of(0x10000), [&](U64 a, U64, U64) {
                         return expected[a >> 16] << format.pitch | expected[a & 0xffff];
                       });
  }
}

TEST(NarrowConversions, ToHalves) {
  for (const Format& format : formats) {
    const std::vector<double> numbers = numbers_of(format);
    const U64 sign = sign_of(format);
    const auto wide = [&](U64 bits, bool relu) -> U64 {
      const U64 code = bits & (sign - 1);
      const bool negative = (bits & sign) != 0;
      if (code >= numbers.size()) {
        const bool is_infinite = format.exponent_bits == 5 && code == numbers.size();
        return !is_infinite ? 0x7fff : negative ? (relu ? 0 : 0xfc00) : 0x7c00;
      }
      if (relu && negative) return 0;
      const Float16 magnitude = to_float16(static_cast<float>(numbers[code]));
      return magnitude.bits | (negative ? 0x8000U : 0U);
    };
    for (const bool relu : {false, true}) {
      expect_instruction(
          std::string("cvt.rn") + (relu ? ".relu" : "") + ".f16x2." + format.name + "x2 %d, %a;",
          {32, 16, 32, 32}, each_of(U64{1} << bits_of_pair(format)),
          [&](U64 a, U64, U64) { return wide(a >> format.pitch, relu) << 16 | wide(a, relu); });
    }
  }
}

/// Returns the ue8m0 code of x, whose magnitude is rounded up or down to a power of two.
U64 power(float x, bool up, bool finite) {
  if (std::isnan(x)) return 255;
  if (std::isinf(x)) return finite ? 254 : 255;
  const float least = std::ldexp(1.0F, -127);
  const float magnitude = std::max(std::fabs(x), least);
  const int exponent = std::ilogb(magnitude);
  const bool is_exact = std::ldexp(1.0F, exponent) == magnitude;
  const int code = exponent + 127 + (up && !is_exact ? 1 : 0);
  return static_cast<U64>(finite ? std::min(code, 254) : code);
}

TEST(NarrowConversions, PowersOfTwo) {
  for (const bool up : {false, true}) {
    for (const bool finite : {false, true}) {
      const std::string name =
          std::string("cvt.") + (up ? "rp" : "rz") + (finite ? ".satfinite" : "") + ".ue8m0x2";
      expect_instruction(
          name + ".f32 %d, %a, %b;", {16, 32, 32, 32}, numbers<float>(), [&](U64 a, U64 b, U64) {
            return power(number<float>(a), up, finite) << 8 | power(number<float>(b), up, finite);
          });
      expect_instruction(name + ".bf16x2 %d, %a;", {16, 32, 32, 32}, each_of(0x10000),
                         [&](U64 a, U64, U64) {
                           return power(number<float>(a & 0xffff0000), up, finite) << 8 |
                                  power(number<float>(a << 16 & 0xffffffff), up, finite);
                         });
    }
  }
  expect_instruction("cvt.rn.bf16x2.ue8m0x2 %d, %a;", {32, 16, 32, 32}, each_of(0x10000),
                     [](U64 a, U64, U64) {
                       const auto wide = [](U64 code) {
                         const float x = std::ldexp(1.0F, static_cast<int>(code) - 127);
                         return code == 255 ? U64{0x7fff} : bits_of(x) >> 16;
                       };
                       return wide(a >> 8) << 16 | wide(a & 255);
                     });
}

TEST(NarrowConversions, SaturateHalves) {
  for (const std::string type : {"f16", "bf16"}) {
    const U64 largest = type == "f16" ? 0x7bff : 0x7f7f;
    expect_instruction("cvt.rn.satfinite." + type + ".f32 %d, %a;", {16, 32, 32, 32},
                       numbers<float>(), [&](U64 a, U64, U64) -> U64 {
                         const float x = number<float>(a);
                         const U64 bits = type == "f16" ? to_float16(x).bits : to_bfloat16(x).bits;
                         if (std::isnan(x)) return 0x7fff;
                         return (bits & 0x7fff) > largest ? largest | (bits & 0x8000) : bits;
                       });
  }
}

TEST(NarrowConversions, ToTf32) {
  for (const bool nearest_even : {false, true}) {
    for (const bool relu : {false, true}) {
      expect_instruction(std::string("cvt.") + (nearest_even ? "rn" : "rz") +
                             (relu ? ".relu" : "") + ".tf32.f32 %d, %a;",
                         {32, 32, 32, 32}, numbers<float>(), [&](U64 a, U64, U64) -> U64 {
                           const float x = number<float>(a);
                           if (std::isnan(x)) return 0x7fffe000;
                           if (relu && std::signbit(x)) return 0;
                           if (std::isinf(x)) return a;
                           // Counts in units of the last place. All subnormals share one unit.
                           const int unit = std::max(std::ilogb(x), -126) - 10;
                           const double units = std::ldexp(double{x}, -unit);
                           const double whole =
                               nearest_even ? std::nearbyint(units) : std::trunc(units);
                           return bits_of(static_cast<float>(std::ldexp(whole, unit)));
                         });
    }
  }
}

}  // namespace narrow_tests
}  // namespace warpwise
