// Instructions on 16-bit floats, one at a time, against a search through all numbers of the format.

#include <gtest/gtest.h>

#include <algorithm>

#include "warpwise/base/float128.hpp"
#include "warpwise/emulator/instructions/lanes/floats_testing.hpp"

namespace warpwise {
namespace halves_tests {

using namespace test;

struct Format {
  const char* name;
  int fraction_bits;
  int bias;
};
constexpr Format half{"f16", 10, 15};
constexpr Format bfloat{"bf16", 7, 127};

/// Returns the exact value of a number's bits. An infinity has the value at which the next binade
/// would begin.
Float128 exact_value(const Format& format, U64 bits) {
  const int exponent = static_cast<int>(bits & 0x7fff) >> format.fraction_bits;
  const int fraction = static_cast<int>(bits) & ((1 << format.fraction_bits) - 1);
  Float128 value = exponent == 0 ? fraction : fraction + (1 << format.fraction_bits);
  for (int e = std::max(exponent, 1) - format.bias - format.fraction_bits; e != 0;
       e += e < 0 ? 1 : -1) {
    value *= e < 0 ? 0.5 : 2;
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

U64 infinity(const Format& format) {
  return U64{0x7fff} >> format.fraction_bits << format.fraction_bits;
}
bool is_nan(const Format& format, U64 bits) { return (bits & 0x7fff) > infinity(format); }
bool is_infinite(const Format& format, U64 bits) { return (bits & 0x7fff) == infinity(format); }

/// Returns the number nearest to x + tail, ties to even, by bisection over all numbers. `tail` is
/// far below x's last place.
U64 nearest(const Format& format, Float128 x, Float128 tail) {
  const bool negative = x < 0 || (x == 0 && tail < 0);
  if (negative) x = -x, tail = -tail;
  U64 low = 0;
  U64 high = infinity(format);
  const auto compare = [&](Float128 y) {
    return x != y ? (x < y ? -1 : 1) : tail < 0 ? -1 : tail > 0 ? 1 : 0;
  };
  while (high - low > 1) {
    const U64 middle = (low + high) / 2;
    (compare(exact_value(format, middle)) < 0 ? high : low) = middle;
  }
  const int side = compare((exact_value(format, low) + exact_value(format, high)) / 2);
  const U64 result = side < 0 || (side == 0 && low % 2 == 0) ? low : high;
  return result | (negative ? 0x8000 : 0);
}

const Inputs& halves() {
  static const Inputs inputs = [] {
    Inputs result;
    std::mt19937_64 random(3);
    static constexpr U64 special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x7f,
                                      0x80,   0x3c00, 0x3c01, 0x3bff, 0xbc00, 0x7bff, 0xfbff,
                                      0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x3f80, 0xbf80, 0x7f7f,
                                      0x7f80, 0xff80, 0x7fc0, 0x4200, 0x4040};
    for (const U64 a : special) {
      for (const U64 b : special) {
        result.a.push_back(a | random() << 16);
        result.b.push_back(b | random() << 16);
        result.c.push_back(special[random() % std::size(special)] | random() << 16);
      }
    }
    for (int i = 0; i < 3000; ++i) {
      // In every second triple the exponents are near each other, so that rounding matters.
      const U64 base = random() & 0x7800;
      for (auto* each : {&result.a, &result.b, &result.c}) {
        each->push_back(i % 2 == 0 ? random() : ((random() & 0x87ff) ^ base) | random() << 16);
      }
    }
    return result;
  }();
  return inputs;
}

/// Returns a * b + c of finite numbers, or PTX's result for other numbers.
U64 exact_multiply_add(const Format& format, U64 a, U64 b, U64 c) {
  constexpr U64 nan = 0x7fff;
  if (is_nan(format, a) || is_nan(format, b) || is_nan(format, c)) return nan;
  const U64 sign = (a ^ b) & 0x8000;
  const bool infinite_product = is_infinite(format, a) || is_infinite(format, b);
  if (infinite_product && ((a & 0x7fff) == 0 || (b & 0x7fff) == 0)) return nan;
  if (infinite_product)
    return is_infinite(format, c) && (c & 0x8000) != sign ? nan : infinity(format) | sign;
  if (is_infinite(format, c)) return c;
  const Float128 product = exact_value(format, a) * exact_value(format, b);
  const Float128 addend = exact_value(format, c);
  const Float128 sum = product + addend;
  if (sum == 0) {
    const bool both = sign != 0 && (c & 0x8000) != 0;
    return product == 0 && addend == 0 && both ? 0x8000 : 0;
  }
  const Float128 back = sum - product;
  return nearest(format, sum, (product - (sum - back)) + (addend - back));
}

TEST(Halves, Arithmetic) {
  for (const Format& format : {half, bfloat}) {
    const U64 one = static_cast<U64>(format.bias) << format.fraction_bits;
    const auto add = [&](U64 a, U64 b) { return exact_multiply_add(format, a, one, b); };
    const auto multiply = [&](U64 a, U64 b) {
      // The addend is a zero of the product's sign, which keeps the sign of a product of zero.
      return exact_multiply_add(format, a, b, (a ^ b) & 0x8000);
    };
    const auto extreme = [&](U64 a, U64 b, bool larger, bool nan) -> U64 {
      const bool a_nan = is_nan(format, a);
      const bool b_nan = is_nan(format, b);
      if ((a_nan && b_nan) || (nan && (a_nan || b_nan))) return 0x7fff;
      if (a_nan || b_nan) return a_nan ? b : a;
      const auto order = [](U64 x) {
        return (x & 0x8000) != 0 ? -static_cast<int>(x & 0x7fff) - 1 : static_cast<int>(x);
      };
      return (order(a) < order(b)) != larger ? a : b;
    };
    const auto relu = [&](U64 x) -> U64 {
      return is_nan(format, x) ? 0x7fff : x >= 0x8000 ? 0 : x;
    };
    using Function = std::function<U64(U64, U64, U64)>;
    const auto expect = [&](const std::string& opcode, const std::string& operands,
                            const Function& f) {
      expect_instruction(opcode + "." + format.name + " %d, " + operands + ";", {16, 16, 16, 16},
                         halves(), f);
      expect_instruction(opcode + "." + format.name + "x2 %d, " + operands + ";", {}, halves(),
                         [&](U64 a, U64 b, U64 c) {
                           return f(a & 0xffff, b & 0xffff, c & 0xffff) |
                                  f(a >> 16, b >> 16, c >> 16) << 16;
                         });
    };
    expect("add.rn", "%a, %b", [&](U64 a, U64 b, U64) { return add(a, b); });
    expect("sub.rn", "%a, %b",
           [&](U64 a, U64 b, U64) { return is_nan(format, b) ? 0x7fff : add(a, b ^ 0x8000); });
    expect("mul.rn", "%a, %b", [&](U64 a, U64 b, U64) { return multiply(a, b); });
    expect("fma.rn", "%a, %b, %c",
           [&](U64 a, U64 b, U64 c) { return exact_multiply_add(format, a, b, c); });
    expect("fma.rn.relu", "%a, %b, %c",
           [&](U64 a, U64 b, U64 c) { return relu(exact_multiply_add(format, a, b, c)); });
    expect("min", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, false, false); });
    expect("max", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, true, false); });
    expect("min.NaN", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, false, true); });
    expect("max.NaN", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, true, true); });
    if (format.bias == half.bias) {
      expect("fma.rn.sat", "%a, %b, %c", [&](U64 a, U64 b, U64 c) -> U64 {
        const U64 x = exact_multiply_add(format, a, b, c);
        return is_nan(format, x) || (x & 0x8000) != 0 ? 0 : std::min(x, one);
      });
      const auto flush = [](U64 x) { return (x & 0x7c00) == 0 ? x & 0x8000 : x; };
      expect("fma.rn.ftz", "%a, %b, %c", [&](U64 a, U64 b, U64 c) {
        return flush(exact_multiply_add(format, flush(a), flush(b), flush(c)));
      });
    }
  }
}

TEST(Halves, Comparisons) {
  for (const Format& format : {half, bfloat}) {
    const auto expect_comparison = [&](const std::string& name, auto f) {
      expect_instruction(
          "setp." + name + "." + format.name + " %p|%q, %a, %b;\nselp.b32 %w1, 1, 0, %p;\n" +
              "selp.b32 %d, 2, %w1, %q;",
          {32, 16, 16, 16}, halves(), [&](U64 a, U64 b, U64) {
            const bool unordered = is_nan(format, a) || is_nan(format, b);
            return f(exact_value(format, a), exact_value(format, b), unordered) ? 1 : 2;
          });
      expect_instruction(
          "setp." + name + "." + format.name + "x2 %p|%q, %a, %b;\nselp.b32 %w1, 1, 0, %p;\n" +
              "selp.b32 %w2, 2, 0, %q;\nor.b32 %d, %w1, %w2;",
          {}, halves(), [&](U64 a, U64 b, U64) {
            const auto yes = [&](U64 x, U64 y) {
              const bool unordered = is_nan(format, x) || is_nan(format, y);
              return f(exact_value(format, x), exact_value(format, y), unordered);
            };
            return U64{yes(a & 0xffff, b & 0xffff) ? 1U : 0U} | (yes(a >> 16, b >> 16) ? 2U : 0U);
          });
    };
    using F = Float128;
    expect_comparison("eq", [](F a, F b, bool u) { return !u && a == b; });
    expect_comparison("ne", [](F a, F b, bool u) { return !u && a != b; });
    expect_comparison("lt", [](F a, F b, bool u) { return !u && a < b; });
    expect_comparison("ge", [](F a, F b, bool u) { return !u && a >= b; });
    expect_comparison("gtu", [](F a, F b, bool u) { return u || a > b; });
    expect_comparison("leu", [](F a, F b, bool u) { return u || a <= b; });
    expect_comparison("neu", [](F a, F b, bool u) { return u || a != b; });
    expect_comparison("nan", [](F, F, bool u) { return u; });
  }
}

/// Returns x rounded in a rounding mode, by bisection over all numbers.
U64 directed(const Format& format, double x, int mode) {
  if (std::isnan(x)) return 0x7fff;
  const U64 sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isinf(x)) return sign | infinity(format);
  if (mode == 0) return nearest(format, x, 0) | sign;
  const Float128 magnitude = std::fabs(x);
  U64 low = 0;
  U64 high = infinity(format);
  while (high - low > 1) {
    const U64 middle = (low + high) / 2;
    (magnitude < exact_value(format, middle) ? high : low) = middle;
  }
  const bool up = (mode == 3 && sign == 0) || (mode == 2 && sign != 0);
  return sign | (up && exact_value(format, low) != magnitude ? high : low);
}

TEST(Halves, Conversions) {
  for (const Format& format : {half, bfloat}) {
    const std::string name = format.name;
    for (int mode = 0; mode < 4; ++mode) {
      if (format.bias == bfloat.bias && mode > 1) continue;
      const std::string rounding = std::string("cvt.") + roundings[mode] + ".";
      expect_instruction(rounding + name + ".f32 %d, %a;", {16, 32, 32, 32}, numbers<float>(),
                         [&](U64 a, U64, U64) { return directed(format, number<float>(a), mode); });
      if (mode <= 1) {
        expect_instruction(rounding + name + "x2.f32 %d, %a, %b;", {32, 32, 32, 32},
                           numbers<float>(), [&](U64 a, U64 b, U64) {
                             return directed(format, number<float>(a), mode) << 16 |
                                    directed(format, number<float>(b), mode);
                           });
      }
      if (format.bias == bfloat.bias) continue;
      expect_instruction(rounding + name + ".f64 %d, %a;", {16, 64, 32, 32}, numbers<double>(),
                         [&](U64 a, U64, U64) -> U64 {
                           // A NaN becomes quiet, with its sign and its fraction's highest bits.
                           if (std::isnan(number<double>(a)))
                             return (a >> 48 & 0x8000) | 0x7e00 | (a >> 42 & 0x3ff);
                           return directed(format, number<double>(a), mode);
                         });
      expect_instruction(
          rounding + name + ".s32 %d, %a;", {16, 32, 32, 32}, numbers<float>(),
          [&](U64 a, U64, U64) { return directed(format, static_cast<std::int32_t>(a), mode); });
      expect_instruction(
          rounding + "sat." + name + ".s32 %d, %a;", {16, 32, 32, 32}, numbers<float>(),
          [&](U64 a, U64, U64) -> U64 { return static_cast<std::int32_t>(a) > 0 ? 0x3c00 : 0; });
      expect_instruction(
          rounding + name + ".u16 %d, %a;", {16, 16, 32, 32}, halves(),
          [&](U64 a, U64, U64) { return directed(format, static_cast<double>(a), mode); });
      expect_instruction(std::string("cvt.") + roundings[mode] + "i.s32.f16 %d, %a;",
                         {32, 16, 32, 32}, halves(), [&](U64 a, U64, U64) {
                           double x = static_cast<double>(exact_value(format, a));
                           if (is_infinite(format, a)) x = (a & 0x8000) != 0 ? -HUGE_VAL : HUGE_VAL;
                           if (is_nan(format, a)) x = NAN;
                           return to_integer<std::int32_t>(x, mode, false);
                         });
      expect_instruction(std::string("cvt.") + roundings[mode] + "i.u8.f16 %d, %a;",
                         {16, 16, 32, 32}, halves(), [&](U64 a, U64, U64) {
                           double x = static_cast<double>(exact_value(format, a));
                           if (is_infinite(format, a)) x = (a & 0x8000) != 0 ? -HUGE_VAL : HUGE_VAL;
                           if (is_nan(format, a)) x = NAN;
                           return to_integer<std::uint8_t>(x, mode, false);
                         });
    }
    expect_instruction(
        "cvt.f32." + name + " %d, %a;", {32, 16, 32, 32}, halves(),
        [&](U64 a, U64, U64) {
          if (is_nan(format, a)) return bits_of(NAN);
          if (is_infinite(format, a)) return bits_of((a & 0x8000) != 0 ? -HUGE_VALF : HUGE_VALF);
          const auto x = static_cast<float>(exact_value(format, a));
          return bits_of((a & 0x8000) != 0 ? -std::fabs(x) : x);
        },
        [](U64 found, U64 want) {
          return std::isnan(number<float>(want)) ? std::isnan(number<float>(found)) : found == want;
        });
  }
}

TEST(Halves, ExtremesOfMagnitudes) {
  for (const Format& format : {half, bfloat}) {
    for (const bool nan : {false, true}) {
      expect_instruction(
          std::string("max") + (nan ? ".NaN" : "") + ".xorsign.abs." + format.name + " %d, %a, %b;",
          {16, 16, 16, 32}, halves(), [&](U64 a, U64 b, U64) -> U64 {
            const U64 x = a & 0x7fff;
            const U64 y = b & 0x7fff;
            const bool x_nan = is_nan(format, a);
            const bool y_nan = is_nan(format, b);
            if ((x_nan && y_nan) || (nan && (x_nan || y_nan))) return 0x7fff;
            // Codes ascend with magnitudes.
            const U64 larger = x_nan ? y : y_nan ? x : std::max(x, y);
            return larger | ((a ^ b) & 0x8000);
          });
    }
  }
}

}  // namespace halves_tests
}  // namespace warpwise
