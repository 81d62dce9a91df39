// Conversions between numbers, one instruction at a time, against this machine's arithmetic.

#include <gtest/gtest.h>

#include "warpwise/emulator/instructions/lanes/floats_testing.hpp"

namespace warpwise {
namespace conversions_tests {

using namespace test;

template <class D, class S>
void expect_to_integer() {
  constexpr int bits = std::max<int>(16, 8 * sizeof(D));
  for (int mode = 0; mode < 4; ++mode) {
    for (const bool ftz : {false, true}) {
      if (sizeof(S) == 8 && ftz) continue;
      const std::string text = std::string("cvt.") + roundings[mode] + "i" + (ftz ? ".ftz." : ".") +
                               type_name<D>() + "." + type_name<S>() + " %d, %a;";
      expect_instruction(text, {bits, 8 * sizeof(S), 32, 32}, numbers<S>(), [&](U64 a, U64, U64) {
        const S x = number<S>(a);
        return to_integer<D>(ftz ? flushed(x) : x, mode, sizeof(S) == 8);
      });
    }
  }
}

template <class D, class S>
void expect_from_integer() {
  constexpr int bits = std::max<int>(16, 8 * sizeof(S));
  Inputs inputs = numbers<double>();
  for (std::size_t i = 0; i < inputs.a.size(); ++i)
    inputs.a[i] += i % 5 - 2;     // the bits of doubles, as integers, changed by at most 2
  for (U64 i = 0; i < 64; ++i) {  // integers near powers of two
    for (const U64 near : {U64{0}, U64{1}, ~U64{0}}) inputs.a.push_back((U64{1} << i) + near);
  }
  inputs.b.resize(inputs.a.size());
  inputs.c.resize(inputs.a.size());
  for (int mode = 0; mode < 4; ++mode) {
    expect_instruction(std::string("cvt.") + roundings[mode] + "." + type_name<D>() + "." +
                           type_name<S>() + " %d, %a;",
                       {8 * sizeof(D), bits, 32, 32}, inputs, [&](U64 a, U64, U64) {
                         volatile S in = static_cast<S>(a);
                         std::fesetround(modes[mode]);
                         volatile D result = static_cast<D>(S{in});
                         std::fesetround(FE_TONEAREST);
                         return bits_of(D{result});
                       });
  }
}

template <class F>
void expect_integer_conversions() {
  expect_to_integer<std::uint8_t, F>();
  expect_to_integer<std::int8_t, F>();
  expect_to_integer<std::uint16_t, F>();
  expect_to_integer<std::int16_t, F>();
  expect_to_integer<std::uint32_t, F>();
  expect_to_integer<std::int32_t, F>();
  expect_to_integer<std::uint64_t, F>();
  expect_to_integer<std::int64_t, F>();
  expect_from_integer<F, std::uint8_t>();
  expect_from_integer<F, std::int8_t>();
  expect_from_integer<F, std::uint16_t>();
  expect_from_integer<F, std::int16_t>();
  expect_from_integer<F, std::uint32_t>();
  expect_from_integer<F, std::int32_t>();
  expect_from_integer<F, std::uint64_t>();
  expect_from_integer<F, std::int64_t>();
}

TEST(FloatConversions, OfSingle) { expect_integer_conversions<float>(); }
TEST(FloatConversions, OfDouble) { expect_integer_conversions<double>(); }

// The expected values are an H200's. The emulator agreed for 2^20 floats over all exponents.
TEST(FloatConversions, ToTf32) {
  const std::vector<std::pair<U64, U64>> known = {{0, 0},
                                                  {0x80000000, 0x80000000},
                                                  {0xfff, 0},
                                                  {0x1000, 0x2000},
                                                  {0x3000, 0x4000},
                                                  {0x3f800fff, 0x3f800000},
                                                  {0xbf801000, 0xbf802000},
                                                  {0x7f7fefff, 0x7f7fe000},
                                                  {0x7f7ff000, 0x7f800000},
                                                  {0x7f800000, 0x7f800000},
                                                  {0xff800000, 0xff800000},
                                                  {0x7f800001, 0x7f800000},
                                                  {0x7fffffff, 0x7fffe000},
                                                  {0xffc00000, 0xffc00000},
                                                  {0x7fc01fff, 0x7fc00000}};
  Inputs inputs;
  for (const auto& [from, to] : known) inputs.a.push_back(from);
  inputs.b.resize(known.size());
  inputs.c.resize(known.size());
  expect_instruction("cvt.rna.tf32.f32 %d, %a;", {}, inputs, [&](U64 a, U64, U64) {
    for (const auto& [from, to] : known) {
      if (from == a) return to;
    }
    return U64{0};
  });
}

TEST(FloatConversions, BetweenSingleAndDouble) {
  for (int mode = 0; mode < 4; ++mode) {
    Inputs inputs = numbers<double>();
    for (std::size_t i = 0; i < 500; ++i)
      inputs.a[inputs.a.size() - 1 - i] = bits_of(double{number<float>(inputs.a[i])} * 0.7);
    expect_instruction(std::string("cvt.") + roundings[mode] + ".f32.f64 %d, %a;", {32, 64, 32, 32},
                       inputs, [&](U64 a, U64, U64) {
                         volatile double in = number<double>(a);
                         std::fesetround(modes[mode]);
                         volatile float result = static_cast<float>(double{in});
                         std::fesetround(FE_TONEAREST);
                         return bits_of(float{result});
                       });
    expect_instruction(
        std::string("cvt.") + roundings[mode] + "i.f32.f32 %d, %a;", {32, 32, 32, 32},
        numbers<float>(),
        [&](U64 a, U64, U64) {
          return bits_of(rounded<float>(
              mode, [](float x, float, float) { return std::nearbyint(x); }, number<float>(a), 0,
              0));
        },
        same_number<float>);
    expect_instruction(
        std::string("cvt.") + roundings[mode] + "i.f64.f64 %d, %a;", {64, 64, 32, 32},
        numbers<double>(),
        [&](U64 a, U64, U64) {
          return bits_of(rounded<double>(
              mode, [](double x, double, double) { return std::nearbyint(x); }, number<double>(a),
              0, 0));
        },
        same_number<double>);
  }
  expect_instruction(
      "cvt.f64.f32 %d, %a;", {64, 32, 32, 32}, numbers<float>(),
      [](U64 a, U64, U64) { return bits_of(double{number<float>(a)}); }, same_number<double>);
  expect_instruction("cvt.sat.f32.f32 %d, %a;", {32, 32, 32, 32}, numbers<float>(),
                     [](U64 a, U64, U64) {
                       const float x = number<float>(a);
                       return bits_of(std::isnan(x) || x <= 0 ? 0.0F : std::min(x, 1.0F));
                     });
}

}  // namespace conversions_tests
}  // namespace warpwise
