// Approximate functions, against their documented error.

#include <gtest/gtest.h>

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

}  // namespace approximations_tests
}  // namespace warpwise
