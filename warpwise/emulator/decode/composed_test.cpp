// Instructions that are decoded as several simpler ones; registers of vectors and of 128 bits.

#include <gtest/gtest.h>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/instructions/lanes/floats_testing.hpp"

namespace warpwise {
namespace composed_tests {

using namespace test;

const Inputs& words() {
  static const Inputs inputs = [] {
    Inputs result;
    for (auto* each : {&result.a, &result.b, &result.c}) {
      for (const U32 word :
           random_words(512, static_cast<U32>(1 + result.a.size() + result.b.size())))
        each->push_back(word | U64{word} * 2654435761U << 32);
    }
    return result;
  }();
  return inputs;
}

TEST(Composed, LogicWithATest) {
  for (const bool disjunction : {false, true}) {
    const std::string name = std::string("lop3.") + (disjunction ? "or" : "and") + ".b32 ";
    const std::string source = "setp.lt.u32 %q, %c, 0x80000000; ";
    const auto holds = [=](U64 a, U64 b, U64 c) {
      const bool word = (a & b) != 0;
      const bool other = c < 0x80000000;
      return disjunction ? word || other : word && other;
    };
    // The table 0xc0 computes a & b.
    expect_instruction(source + name + "%w1|%p, %a, %b, %c, 0xc0, %q; selp.b32 %d, 1, 0, %p;", {},
                       words(), [=](U64 a, U64 b, U64 c) { return U64{holds(a, b, c)}; });
    expect_instruction(source + name + "_|%p, %a, %b, %c, 0xc0, !%q; selp.b32 %d, 1, 0, %p;", {},
                       words(),
                       [=](U64 a, U64 b, U64 c) { return U64{holds(a, b, c ^ 0x80000000)}; });
    expect_instruction(source + name + "%d|%q, %a, %b, %c, 0xc0, %q;", {}, words(),
                       [](U64 a, U64 b, U64) { return a & b; });
  }
}

TEST(Composed, ExtremesOfThree) {
  const auto least = [](float a, float b) { return std::isnan(a) || b < a ? b : a; };
  for (const bool nan : {false, true}) {
    for (const bool magnitudes : {false, true}) {
      expect_instruction(
          std::string("min") + (nan ? ".NaN" : "") + (magnitudes ? ".abs" : "") +
              ".f32 %d, %a, %b, %c;",
          {}, numbers<float>(),
          [=](U64 a, U64 b, U64 c) {
            float x[] = {number<float>(a), number<float>(b), number<float>(c)};
            bool any = false;
            for (float& each : x) {
              any = any || std::isnan(each);
              if (magnitudes) each = std::fabs(each);
            }
            if (nan && any) return U64{0x7fffffff};
            float result = least(least(x[0], x[1]), x[2]);
            if (result == 0)  // -0 is the least of zeros
              for (const float each : x)
                if (each == 0 && std::signbit(each)) result = -0.0F;
            return bits_of(result);
          },
          same_number<float>);
    }
  }
}

TEST(Composed, MixedPrecision) {
  const std::string halves = "cvt.u16.u32 %h1, %a; cvt.u16.u32 %h2, %b; ";
  for (int mode = 0; mode < 4; ++mode) {
    const std::string rounding = roundings[mode];
    const auto half = [](U64 bits) { return to_float(BFloat16{static_cast<std::uint16_t>(bits)}); };
    expect_instruction(
        halves + "sub." + rounding + ".f32.bf16 %d, %h1, %c;", {}, numbers<float>(),
        [=](U64 a, U64, U64 c) {
          const auto subtract = [](float x, float y, float) { return x - y; };
          return bits_of(rounded(mode, subtract, half(a), number<float>(c), 0.0F));
        },
        same_number<float>);
    expect_instruction(
        halves + "fma." + rounding + ".f32.bf16 %d, %h1, %h2, %c;", {}, numbers<float>(),
        [=](U64 a, U64 b, U64 c) {
          const auto fused = [](float x, float y, float z) { return std::fma(x, y, z); };
          return bits_of(rounded(mode, fused, half(a), half(b), number<float>(c)));
        },
        same_number<float>);
  }
}

TEST(Composed, HalvesOfComparisons) {
  expect_instruction(
      "set.lt.f16.s32 %d, %a, %b;", {16, 32, 32, 32}, words(), [](U64 a, U64 b, U64) {
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? U64{0x3c00} : 0;
      });
  expect_instruction("setp.lt.u32 %p, %c, 77777; set.eq.and.bf16.u32 %d, %a, %b, %p;",
                     {16, 32, 32, 32}, words(),
                     [](U64 a, U64 b, U64 c) { return a == b && c < 77777 ? U64{0x3f80} : 0; });
}

TEST(Composed, VectorRegisters) {
  const std::string declared = "{ .reg .v4 .b32 %v; .reg .v2 .b64 %u; ";
  // All parts are read before any part is written: here each part reads a part that is overwritten.
  expect_instruction(declared +
                         "mov.v4.b32 %v, {%a, %b, %c, 4}; mov.v4.b32 %v, {%v.y, %v.x, %v.w, %v.z}; "
                         "sub.u32 %d, %v.r, %v.g; add.u32 %d, %d, %v.b; }",
                     {}, words(), [](U64 a, U64 b, U64) { return b - a + 4; });
  expect_instruction(declared + "mov.v2.b64 %u, {%a, %b}; xor.b64 %d, %u.x, %u.y; }",
                     {64, 64, 64, 64}, words(), [](U64 a, U64 b, U64) { return a ^ b; });
  // A vector register goes through memory, at the first element's address.
  expect_instruction(
      declared +
          ".shared .align 16 .v4 .b32 s; mov.v4.b32 %v, {%a, %b, %c, 9}; "
          "mov.u32 %w1, %tid.x; setp.eq.u32 %p, %w1, 0; @%p st.shared.v4.b32 [s], %v; "
          "mov.v4.b32 %v, {0, 0, 0, 0}; ld.shared.v4.b32 %v, [s]; "
          "@!%p mov.v4.b32 %v, {%a, %b, %c, 9}; "
          "add.u32 %d, %v.x, %v.y; add.u32 %d, %d, %v.w; }",
      {}, words(), [](U64 a, U64 b, U64) { return a + b + 9; });
}

TEST(Composed, RegistersOf128Bits) {
  expect_instruction(
      "{ .reg .b128 %x, %y; mov.b128 %x, {%a, %b}; mov.b128 %y, %x; "
      "mov.b128 {%l1, %l2}, %y; sub.u64 %d, %l1, %l2; }",
      {64, 64, 64, 64}, words(), [](U64 a, U64 b, U64) { return a - b; });
  expect_instruction(
      "{ .reg .b128 %x, %y; .local .align 16 .b8 m[16]; mov.b128 %x, {%a, %b}; "
      "st.local.b128 [m], %x; ld.local.b128 %y, [m]; mov.b128 {%l1, _}, %y; "
      "mov.b64 %d, %l1; }",
      {64, 64, 64, 64}, words(), [](U64 a, U64, U64) { return a; });
}

TEST(Composed, BytesInRegisters) {
  expect_instruction("{ .reg .b8 %x, %y; mov.b16 {%x, %y}, %a; mov.b16 %d, {%y, %x}; }",
                     {16, 16, 32, 32}, words(),
                     [](U64 a, U64, U64) { return (a & 0xff) << 8 | a >> 8; });
}

TEST(Composed, VotesWithoutMask) {
  expect_instruction(
      "setp.lt.u32 %p, %a, 0x80000000; vote.ballot.b32 %w1, %p; mov.u32 %w2, %laneid; "
      "shr.u32 %d, %w1, %w2; and.b32 %d, %d, 1;",
      {}, words(), [](U64 a, U64, U64) { return U64{a < 0x80000000}; });
  expect_instruction("shfl.bfly.b32 %w1, %a, 1, 31; shfl.bfly.b32 %d, %w1, 1, 31;", {}, words(),
                     [](U64 a, U64, U64) { return a; });
}

TEST(Composed, HalvesOfClocks) {
  // The kernel is so short that the upper half of its clock is still 0.
  expect_instruction("mov.u32 %d, %clock_hi;", {}, words(), [](U64, U64, U64) { return U64{0}; });
  expect_instruction(
      "mov.u64 %l1, %globaltimer; mov.u32 %w2, %globaltimer_hi; "
      "mov.b64 {_, %w1}, %l1; sub.u32 %d, %w2, %w1; min.u32 %d, %d, 1; "
      "mov.u32 %w3, %globaltimer_lo; setp.eq.u32 %p, %w3, 0; @%p mov.u32 %d, 2;",
      {}, words(), [](U64, U64, U64) { return U64{0}; });
  expect_instruction(
      "mov.u64 %l1, %gridid; mov.u32 %w1, %gridid; cvt.u64.u32 %l2, %w1; "
      "sub.u64 %l1, %l1, %l2; cvt.u32.u64 %d, %l1;",
      {}, words(), [](U64, U64, U64) { return U64{0}; });
}

}  // namespace composed_tests
}  // namespace warpwise
