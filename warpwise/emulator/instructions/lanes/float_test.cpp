// Floating-point instructions of PTX on 32 and 64 bits, one at a time, against this machine's
// arithmetic.

#include <gtest/gtest.h>

#include "warpwise/emulator/instructions/lanes/floats_testing.hpp"

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
                  // A GPU decides by the result rounded to 24 bits. That can be below the smallest
                  // normal number although `result`, rounded as a subnormal, equals this number.
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

TEST(Floats, PairsOfSingles) {
  Inputs pairs = numbers<float>();
  for (auto* each : {&pairs.a, &pairs.b, &pairs.c})
    for (std::size_t i = 0; i < each->size(); ++i)
      (*each)[i] = ((*each)[i] & 0xffffffff) | (*each)[each->size() - 1 - i] << 32;
  using Sum = float (*)(float, float, float);
  const std::pair<const char*, Sum> sums[] = {
      {"add", [](float a, float b, float) { return a + b; }},
      {"sub", [](float a, float b, float) { return a - b; }},
      {"mul", [](float a, float b, float) { return a * b; }},
      {"fma", [](float a, float b, float c) { return std::fma(a, b, c); }}};
  for (const auto& [name, sum] : sums) {
    const std::string last = std::string(name) == "fma" ? ", %c;" : ";";
    for (int mode = 0; mode < 4; ++mode) {
      const auto one = [&](U64 a, U64 b, U64 c) {
        return bits_of(rounded(mode, sum, number<float>(a), number<float>(b), number<float>(c)));
      };
      expect_instruction(
          std::string(name) + "." + roundings[mode] + ".f32x2 %d, %a, %b" + last, {64, 64, 64, 64},
          pairs,
          [&](U64 a, U64 b, U64 c) { return one(a, b, c) | one(a >> 32, b >> 32, c >> 32) << 32; },
          [](U64 found, U64 want) {
            return same_number<float>(found, want) && same_number<float>(found >> 32, want >> 32);
          });
    }
  }
}

TEST(Floats, ExtremesOfMagnitudes) {
  for (const bool larger : {false, true}) {
    for (const bool nan : {false, true}) {
      expect_instruction(
          std::string(larger ? "max" : "min") + (nan ? ".NaN" : "") +
              ".xorsign.abs.f32 %d, %a, %b;",
          {}, numbers<float>(),
          [=](U64 a, U64 b, U64) {
            const float x = std::fabs(number<float>(a));
            const float y = std::fabs(number<float>(b));
            if (nan && (std::isnan(x) || std::isnan(y))) return U64{0x7fffffff};
            // A signalling NaN also loses to a number, unlike with std::fmax().
            const bool is_first = std::isnan(y) || (larger ? x > y : x < y);
            const U64 magnitude = bits_of(is_first ? x : y);
            return magnitude | ((a ^ b) & 0x80000000);
          },
          same_number<float>);
    }
  }
}

TEST(Floats, SelectionsByAFlushedSign) {
  expect_instruction("slct.ftz.u32.f32 %d, %a, %b, %c;", {}, numbers<float>(),
                     [](U64 a, U64 b, U64 c) { return flushed(number<float>(c)) >= 0 ? a : b; });
}

/// Tests redux.min and redux.max of the 32 values that operand a has in a warp.
TEST(Floats, ReductionsOfAWarp) {
  for (const bool larger : {false, true}) {
    for (const bool magnitudes : {false, true}) {
      for (const bool nan : {false, true}) {
        Inputs inputs = numbers<float>();
        inputs.a.resize(inputs.a.size() / 64 * 64);
        // Half of the warps have no NaN.
        for (std::size_t i = 0; i < inputs.a.size(); ++i)
          if (i / 32 % 2 == 0 && std::isnan(number<float>(inputs.a[i])))
            inputs.a[i] = bits_of(-3.0F);
        inputs.b.resize(inputs.a.size());
        for (std::size_t i = 0; i < inputs.b.size(); ++i) inputs.b[i] = i / 32;
        inputs.c.resize(inputs.a.size());
        expect_instruction(std::string("redux.sync.") + (larger ? "max" : "min") +
                               (magnitudes ? ".abs" : "") + (nan ? ".NaN" : "") +
                               ".f32 %d, %a, 0xffffffff;",
                           {}, inputs, [&](U64, U64 warp, U64) {
                             std::vector<float> values;
                             bool any_nan = false;
                             for (std::size_t i = 0; i < 32; ++i) {
                               const float x = number<float>(inputs.a[32 * warp + i]);
                               any_nan = any_nan || std::isnan(x);
                               if (!std::isnan(x)) values.push_back(magnitudes ? std::fabs(x) : x);
                             }
                             if ((nan && any_nan) || values.empty()) return U64{0x7fffffff};
                             // -0 is below +0.
                             std::sort(values.begin(), values.end(), [](float x, float y) {
                               return x < y || (x == y && std::signbit(x) && !std::signbit(y));
                             });
                             return bits_of(larger ? values.back() : values.front());
                           });
      }
    }
  }
}

}  // namespace float_tests
}  // namespace warpwise
