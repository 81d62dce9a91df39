// Approximate functions, against their documented error.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "warpwise/emulator/instructions/lanes/floats_testing.hpp"

namespace warpwise {
namespace approximations_tests {

using namespace test;

/// Expects results within a relative or an absolute bound of f. Special values must be exact.
void expect_approximation(const std::string& text, double relative, double absolute,
                          double (*f)(double, double)) {
  expect_instruction(
      text, {}, numbers<float>(),
      [&](U64 a, U64 b, U64) {
        return bits_of(static_cast<float>(f(number<float>(a), number<float>(b))));
      },
      [&](U64 found_bits, U64 want_bits) {
        const float found = number<float>(found_bits);
        const float want = number<float>(want_bits);
        if (std::isnan(want)) return std::isnan(found);
        if (std::isinf(want) || want == 0) return found_bits == want_bits;
        // A subnormal result may be flushed.
        if (std::fabs(want) < std::numeric_limits<float>::min() && found == 0) return true;
        const double error = std::fabs(double{found} - want);
        return error <= relative * std::fabs(want) || error <= absolute;
      });
}

TEST(Approximations, AreWithinTheirDocumentedError) {
  const double ulp = std::ldexp(1.0, -23);
  expect_approximation("rcp.approx.f32 %d, %a;", ulp, 0, [](double a, double) { return 1 / a; });
  expect_approximation("sqrt.approx.f32 %d, %a;", ulp, 0,
                       [](double a, double) { return std::sqrt(a); });
  expect_approximation("rsqrt.approx.f32 %d, %a;", std::ldexp(1.0, -22.9), 0,
                       [](double a, double) { return 1 / std::sqrt(a); });
  expect_approximation("div.full.f32 %d, %a, %b;", 2 * ulp, 0,
                       [](double a, double b) { return a / b; });
  expect_approximation("lg2.approx.f32 %d, %a;", std::ldexp(1.0, -22), std::ldexp(1.0, -22),
                       [](double a, double) { return std::log2(a); });
  expect_approximation("ex2.approx.f32 %d, %a;", 2 * ulp, 0,
                       [](double a, double) { return std::exp2(a); });
  expect_approximation("tanh.approx.f32 %d, %a;", std::ldexp(1.0, -11), 0,
                       [](double a, double) { return std::tanh(a); });
  expect_approximation("sin.approx.f32 %d, %a;", 0, std::ldexp(1.0, -20.5),
                       [](double a, double) { return std::sin(a); });
  expect_approximation("cos.approx.f32 %d, %a;", 0, std::ldexp(1.0, -20.5),
                       [](double a, double) { return std::cos(a); });
}

/// Returns the bits of an instruction's result in double precision.
U64 of_double(const std::string& instruction, U64 a) {
  Emulated emulated(kernel_text("ld.global.b64 %l4, [%l1];\n" + instruction +
                                " %l5, %l4;\nst.global.b64 [%l2], %l5;"));
  const auto from = emulated.buffer(std::vector<U64>{a});
  const auto to = emulated.buffer(std::vector<U64>{1});
  EXPECT_TRUE(emulated.launch("hand", {1}, {1}, from, to).faults.empty());
  return emulated.read<U64>(to, 1).front();
}

TEST(Approximations, OfDoublesFlushIfTheySaySo) {
  const auto rcp = [](U64 a) { return of_double("rcp.approx.ftz.f64", a); };
  EXPECT_EQ(rcp(0x4008000000000000), 0x3fd5555500000000);
  EXPECT_EQ(rcp(0x0008000000000000), 0x7ff0000000000000);
  EXPECT_EQ(rcp(0x8000000000000001), 0xfff0000000000000);
  EXPECT_EQ(rcp(0x7fe0000000000000), 0U);
  EXPECT_EQ(rcp(0xfff8000000000001), 0x7fffffff00000000);
  const auto rsqrt = [](U64 a) { return of_double("rsqrt.approx.ftz.f64", a); };
  EXPECT_EQ(rsqrt(0x4000000000000000), 0x3fe6a09e00000000);
  EXPECT_EQ(rsqrt(0x8008000000000000), 0xfff0000000000000);
  EXPECT_EQ(rsqrt(0xbff0000000000000), 0x7fffffff00000000);
  EXPECT_EQ(of_double("rsqrt.approx.f64", 0x4000000000000000), 0x3fe6a09e667f3bcc);
}

}  // namespace approximations_tests
}  // namespace warpwise
