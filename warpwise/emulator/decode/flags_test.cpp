// Tests the decoding of modifiers, negated predicates, second results and discarded results (`_`).
// Several of them occur in one instruction, and each must keep its own meaning.

#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "emulator/instruction.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace flags_tests {

using test::expect_instruction;
using test::Inputs;
using test::Registers;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

constexpr U32 subnormal = 1;
constexpr U32 smallest_normal = 0x00800000;

float single(U64 bits) { return std::bit_cast<float>(static_cast<U32>(bits)); }

/// Returns all pairs of zeros, subnormals and a normal number. `c` is alternately even and odd.
Inputs floats_near_zero() {
  Inputs inputs;
  for (const U32 a : {0U, subnormal, 7U, smallest_normal, 0x80000000U, 0x80000005U}) {
    for (const U32 b : {0U, subnormal, 9U, smallest_normal, 0x80000000U, 0x80000001U}) {
      inputs.a.push_back(a);
      inputs.b.push_back(b);
      inputs.c.push_back(inputs.c.size());
    }
  }
  return inputs;
}

constexpr const char* odd_in_r = "and.b32 %w1, %c, 1;\nsetp.ne.b32 %r, %w1, 0;\n";

TEST(Flags, ComparisonWithADiscardedResult) {
  const Registers registers;
  const auto less = [](U64 a, U64 b, U64) { return U64{single(a) < single(b)}; };
  const auto not_less = [](U64 a, U64 b, U64) { return U64{!(single(a) < single(b))}; };
  expect_instruction("setp.lt.f32 %p|_, %a, %b;\nselp.b32 %d, 1, 0, %p;", registers,
                     floats_near_zero(), less);
  expect_instruction("setp.lt.f32 _|%q, %a, %b;\nselp.b32 %d, 1, 0, %q;", registers,
                     floats_near_zero(), not_less);
  const auto flushed = [](U64 bits) { return (bits & 0x7f800000) == 0 ? 0.0F : single(bits); };
  expect_instruction("setp.lt.ftz.f32 _|%q, %a, %b;\nselp.b32 %d, 1, 0, %q;", registers,
                     floats_near_zero(),
                     [&](U64 a, U64 b, U64) { return U64{!(flushed(a) < flushed(b))}; });
}

TEST(Flags, ComparisonWithANegatedPredicateAndTwoResults) {
  expect_instruction(
      std::string(odd_in_r) + "setp.lt.and.f32 _|%q, %a, %b, !%r;\nselp.b32 %d, 1, 0, %q;", {},
      floats_near_zero(),
      [](U64 a, U64 b, U64 c) { return U64{!(single(a) < single(b)) && c % 2 == 0}; });
  expect_instruction(std::string(odd_in_r) + "set.lt.xor.u32.f32 %d, %a, %b, !%r;", {},
                     floats_near_zero(), [](U64 a, U64 b, U64 c) {
                       return (single(a) < single(b)) != (c % 2 == 0) ? 0xffffffffU : 0U;
                     });
}

/// Returns all pairs of a few halves, subnormal ones among them.
Inputs halves_near_zero() {
  Inputs inputs;
  const U64 values[] = {0, 1, 0x3ff, 0x400, 0x8000, 0x8001, 0x83ff, 0x8400, 0x3c00};
  for (const U64 a : values) {
    for (const U64 b : values) {
      inputs.a.push_back(a);
      inputs.b.push_back(b);
      inputs.c.push_back(0);
    }
  }
  return inputs;
}

/// Maps halves to integers of the same order. A subnormal half becomes 0.
int flushed_half(U64 bits) {
  const int magnitude = (bits & 0x7c00) == 0 ? 0 : static_cast<int>(bits & 0x7fff);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Flags, ComparisonOfHalvesFlushes) {
  const Registers registers{32, 16, 16, 32};
  expect_instruction(
      "setp.lt.ftz.f16 %p|%q, %a, %b;\nselp.b32 %w1, 1, 0, %p;\nselp.b32 %w2, 2, 0, "
      "%q;\nor.b32 %d, %w1, %w2;",
      registers, halves_near_zero(),
      [](U64 a, U64 b, U64) { return U64{flushed_half(a) < flushed_half(b) ? 1U : 2U}; });
  expect_instruction(
      "set.eq.ftz.u32.f16 %d, %a, %b;", registers, halves_near_zero(),
      [](U64 a, U64 b, U64) { return U64{flushed_half(a) == flushed_half(b) ? 0xffffffffU : 0U}; });
  expect_instruction(
      "mov.b32 %w1, {%a, %b};\nmov.b32 %w2, {%b, %b};\nset.ne.ftz.f16x2.f16x2 %d, %w1, %w2;",
      registers, halves_near_zero(),
      [](U64 a, U64 b, U64) { return U64{flushed_half(a) != flushed_half(b) ? 0x3c00U : 0U}; });
  expect_instruction("setp.lt.f16 %p, %a, %b;\nselp.b32 %d, 1, 0, %p;", {32, 16, 16, 32},
                     {{1}, {2}, {0}}, [](U64, U64, U64) { return U64{1}; });
}

TEST(Flags, NegatedPredicates) {
  const std::string both =
      "and.b32 %w1, %a, 1;\nsetp.ne.b32 %p, %w1, 0;\nand.b32 %w1, %b, 1;\nsetp.ne.b32 %q, %w1, "
      "0;\n";
  const auto expect = [&](const std::string& instruction,
                          const std::function<bool(bool, bool)>& expected) {
    expect_instruction(both + instruction + "\nselp.b32 %d, 1, 0, %r;", {},
                       {{0, 1, 0, 1}, {0, 0, 1, 1}, {0, 0, 0, 0}},
                       [&](U64 a, U64 b, U64) { return U64{expected(a == 1, b == 1)}; });
  };
  expect("and.pred %r, !%p, %q;", [](bool p, bool q) { return !p && q; });
  expect("and.pred %r, %p, !%q;", [](bool p, bool q) { return p && !q; });
  expect("or.pred %r, !%p, !%q;", [](bool p, bool q) { return !p || !q; });
  expect("xor.pred %r, !%p, %q;", [](bool p, bool q) { return !p != q; });
  expect("not.pred %r, !%p;", [](bool p, bool) { return p; });
  expect("mov.pred %r, !%p;", [](bool p, bool) { return !p; });
  expect_instruction(both + "selp.b32 %d, %a, %b, !%p;", {},
                     {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 0, 0, 0}},
                     [](U64 a, U64 b, U64) { return a % 2 == 0 ? a : b; });
}

TEST(Flags, ElectDiscardsTheLeader) {
  const std::string lane = "and.b32 %w2, %t, 31;\n";
  const Inputs inputs{std::vector<U64>(64), std::vector<U64>(64), std::vector<U64>(64)};
  test::Registers registers;
  const auto found =
      test::run_instruction("elect.sync _|%p, -1;\nselp.b32 %d, 1, 0, %p;", registers, inputs);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i % 32 == 0 ? 1U : 0U) << i;
}

/// ptxas refuses these instructions. The emulator once read or wrote outside of its registers.
TEST(Flags, MissingOperandsAreRefused) {
  for (const char* text : {"elect.sync %d, -1;", "vote.sync.ballot.b32 %d, %p;", "cvt.u32.u8 %d;",
                           "cvt.pack.sat.u8.s32 %d, %a, %b;", "cvt.rn.f16x2.f32 %d, %a;",
                           "selp.b32 %d, %a, %b;", "setp.lt.and.f32 %p, %a, %b;",
                           "setp.lt.f32 %p, %a, %b, %q;", "set.lt.or.u32.f32 %d, %a, %b;"}) {
    EXPECT_THROW(test::run_instruction(text, {}, {{1}, {1}, {1}}), InvalidArgument) << text;
  }
}

TEST(Flags, ModifiersOfAnotherTypeAreRefused) {
  for (const char* text : {"setp.lt.ftz.s32 %p, %a, %b;", "setp.lt.ftz.bf16x2 %p|%q, %a, %b;",
                           "add.ftz.bf16x2 %d, %a, %b;", "min.sat.f16x2 %d, %a, %b;"}) {
    EXPECT_THROW(test::run_instruction(text, {}, {{1}, {1}, {1}}), Unsupported) << text;
  }
}

}  // namespace flags_tests
}  // namespace warpwise
