// Floating-point instructions of PTX on 32 and 64 bits, one at a time, against this machine's
// arithmetic.

#include <gtest/gtest.h>

#include "warpwise/emulator/instructions/floats_testing.hpp"

namespace warpwise {
namespace float_tests {

using namespace test;

template <class T>
class Floats : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatTypes);

TYPED_TEST(Floats, Arithmetic) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const Registers same{bits, bits, bits, bits};
  const auto expect = [&](const std::string& opcode, const std::string& operands, bool may_saturate,
                          auto f) {
    for (int mode = 0; mode < 4; ++mode) {
      for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
          if (sizeof(T) == 8 && (ftz || sat)) continue;
          if (sat && !may_saturate) continue;
          const std::string text = opcode + "." + roundings[mode] + (ftz ? ".ftz" : "") +
                                   (sat ? ".sat" : "") + "." + type_name<T>() + " %d, " + operands +
                                   ";";
          expect_instruction(
              text, same, numbers<T>(),
              [&](U64 a, U64 b, U64 c) {
                const auto in = [&](U64 x) { return ftz ? flushed(number<T>(x)) : number<T>(x); };
                T result = rounded<T>(mode, f, in(a), in(b), in(c));
                if (ftz) result = flushed(result);
                if (ftz && std::fabs(result) == std::numeric_limits<T>::min()) {
                  // Rounded up by the coarse steps of subnormals only: flushed as well.
                  volatile double scaled =
                      std::ldexp(f(double{in(a)}, double{in(b)}, double{in(c)}), 64);
                  std::fesetround(modes[mode]);
                  volatile T fine = static_cast<T>(double{scaled});
                  std::fesetround(FE_TONEAREST);
                  if (std::fabs(fine) < std::ldexp(std::numeric_limits<T>::min(), 64))
                    result = std::copysign(T{0}, result);
                }
                if (sat) result = std::isnan(result) || result <= 0 ? T{0} : std::min(result, T{1});
                return bits_of(result);
              },
              same_number<T>);
        }
      }
    }
  };
  expect("add", "%a, %b", true, [](auto a, auto b, auto) { return a + b; });
  expect("sub", "%a, %b", true, [](auto a, auto b, auto) { return a - b; });
  expect("mul", "%a, %b", true, [](auto a, auto b, auto) { return a * b; });
  expect("fma", "%a, %b, %c", true, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
  expect("div", "%a, %b", false, [](auto a, auto b, auto) { return a / b; });
  expect("rcp", "%a", false, [](auto a, auto, auto) { return 1 / a; });
  expect("sqrt", "%a", false, [](auto a, auto, auto) { return std::sqrt(a); });
}

TYPED_TEST(Floats, Extremes) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const Registers same{bits, bits, bits, bits};
  const auto smaller = [](T a, T b) { return a < b || (a == b && std::signbit(a)) ? a : b; };
  for (const std::string ftz : {"", ".ftz"}) {
    for (const std::string nan : {"", ".NaN"}) {
      if (sizeof(T) == 8 && (!ftz.empty() || !nan.empty())) continue;
      const auto choose = [&](U64 a, U64 b, bool larger) {
        T x = number<T>(a);
        T y = number<T>(b);
        if (!ftz.empty()) x = flushed(x), y = flushed(y);
        if (std::isnan(x) && std::isnan(y)) return bits_of(x);
        if (std::isnan(x) || std::isnan(y)) return bits_of(nan.empty() != std::isnan(x) ? x : y);
        return bits_of(
            (smaller(x, y) == x && std::signbit(smaller(x, y)) == std::signbit(x)) != larger ? x
                                                                                             : y);
      };
      expect_instruction(
          "min" + ftz + nan + "." + type_name<T>() + " %d, %a, %b;", same, numbers<T>(),
          [&](U64 a, U64 b, U64) { return choose(a, b, false); }, same_number<T>);
      expect_instruction(
          "max" + ftz + nan + "." + type_name<T>() + " %d, %a, %b;", same, numbers<T>(),
          [&](U64 a, U64 b, U64) { return choose(a, b, true); }, same_number<T>);
    }
  }
  expect_instruction(
      "copysign." + type_name<T>() + " %d, %a, %b;", same, numbers<T>(),
      [](U64 a, U64 b, U64) { return bits_of(std::copysign(number<T>(b), number<T>(a))); });
  expect_instruction(
      "neg." + type_name<T>() + " %d, %a;", same, numbers<T>(),
      [](U64 a, U64, U64) { return bits_of(-number<T>(a)); }, same_number<T>);
  expect_instruction(
      "abs." + type_name<T>() + " %d, %a;", same, numbers<T>(),
      [](U64 a, U64, U64) { return bits_of(std::fabs(number<T>(a))); }, same_number<T>);
}

TYPED_TEST(Floats, Comparisons) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const auto expect = [&](const std::string& name, auto f) {
    for (const std::string ftz : {"", ".ftz"}) {
      if (sizeof(T) == 8 && !ftz.empty()) continue;
      const auto in = [&](U64 x) { return ftz.empty() ? number<T>(x) : flushed(number<T>(x)); };
      expect_instruction("setp." + name + ftz + "." + type_name<T>() +
                             " %p|%q, %a, %b;\nselp.b32 %w1, 1, 0, %p;\nselp.b32 %d, 2, %w1, %q;",
                         {32, bits, bits, bits}, numbers<T>(),
                         [&](U64 a, U64 b, U64) { return f(in(a), in(b)) ? 1 : 2; });
      expect_instruction("set." + name + ftz + ".u32." + type_name<T>() + " %d, %a, %b;",
                         {32, bits, bits, bits}, numbers<T>(),
                         [&](U64 a, U64 b, U64) { return f(in(a), in(b)) ? ~U64{0} : 0; });
    }
  };
  const auto unordered = [](T a, T b) { return std::isnan(a) || std::isnan(b); };
  expect("eq", [](T a, T b) { return a == b; });
  expect("ne", [&](T a, T b) { return !unordered(a, b) && a != b; });
  expect("lt", [](T a, T b) { return a < b; });
  expect("le", [](T a, T b) { return a <= b; });
  expect("gt", [](T a, T b) { return a > b; });
  expect("ge", [](T a, T b) { return a >= b; });
  expect("equ", [&](T a, T b) { return unordered(a, b) || a == b; });
  expect("neu", [&](T a, T b) { return unordered(a, b) || a != b; });
  expect("ltu", [&](T a, T b) { return unordered(a, b) || a < b; });
  expect("leu", [&](T a, T b) { return unordered(a, b) || a <= b; });
  expect("gtu", [&](T a, T b) { return unordered(a, b) || a > b; });
  expect("geu", [&](T a, T b) { return unordered(a, b) || a >= b; });
  expect("num", [&](T a, T b) { return !unordered(a, b); });
  expect("nan", [&](T a, T b) { return unordered(a, b); });
  const auto expect_property = [&](const std::string& name, auto f) {
    expect_instruction("testp." + name + "." + type_name<T>() + " %p, %a;\nselp.b32 %d, 1, 0, %p;",
                       {32, bits, bits, bits}, numbers<T>(),
                       [&](U64 a, U64, U64) { return f(number<T>(a)) ? 1 : 0; });
  };
  expect_property("finite", [](T x) { return std::isfinite(x); });
  expect_property("infinite", [](T x) { return std::isinf(x); });
  expect_property("number", [](T x) { return !std::isnan(x); });
  expect_property("notanumber", [](T x) { return std::isnan(x); });
  expect_property("normal", [](T x) { return std::isnormal(x) || x == 0; });
  expect_property("subnormal", [](T x) { return std::fpclassify(x) == FP_SUBNORMAL; });
}

}  // namespace float_tests
}  // namespace warpwise
