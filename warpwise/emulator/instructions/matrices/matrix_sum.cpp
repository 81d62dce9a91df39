#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpwise::emulator::tensor {
namespace {

// Number of bits of a sum below the largest term's leading bit.
constexpr int sum_fraction_bits = 25;
constexpr int smallest_float = -126;
// The exponent of zero: below any product's exponent, even if added to another one.
constexpr int no_exponent = -4096;

int exponent_of(float value, int smallest) {
  if (value == 0) return no_exponent;
  const int biased = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 255);
  return std::max(biased - 127, smallest);
}

/// Returns 2^n for any double that is not subnormal.
double power_of_two(int n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// Returns the sum if it is NaN or infinite, or if all terms are zero.
double plain_sum(const float* a, const float* b, int depth, double c) {
  double sum = c;
  for (int i = 0; i < depth; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

}  // namespace

void SumOperand::finish(int depth, int smallest) {
  is_finite_ = true;
  for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
    is_finite_ = is_finite_ && std::isfinite(values_[k]);
    exponents_[k] = exponent_of(values_[k], smallest);
  }
}

double accumulate(const SumOperand& a, const SumOperand& b, int depth, double c) {
  const float* x = a.values_.data();
  const float* y = b.values_.data();
  if (!a.is_finite_ || !b.is_finite_ || !std::isfinite(c)) return plain_sum(x, y, depth, c);
  int largest = exponent_of(static_cast<float>(c), smallest_float);
  for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k)
    largest = std::max(largest, a.exponents_[k] + b.exponents_[k]);
  if (largest <= no_exponent / 2) return plain_sum(x, y, depth, c);
  const double scale = power_of_two(sum_fraction_bits - largest);
  // A truncated term has fewer than 27 bits, so it fits an int.
  double sum = static_cast<int>(c * scale);
  for (int k = 0; k < depth; ++k) sum += static_cast<int>(static_cast<double>(x[k]) * y[k] * scale);
  return sum * power_of_two(largest - sum_fraction_bits);
}

float toward_zero(double x) {
  constexpr auto smallest = static_cast<double>(std::numeric_limits<float>::denorm_min());
  if (x > -smallest && x < 0) return 0;  // as an H200 does, without the sign
  const auto nearest = static_cast<float>(x);
  if (x != x) return std::bit_cast<float>(0x7fffffffU);
  if (std::fabs(x) >= std::ldexp(1.0, 128) ||
      std::fabs(static_cast<double>(nearest)) <= std::fabs(x)) {
    return nearest;
  }
  return std::nextafter(nearest, 0.0f);
}

}  // namespace warpwise::emulator::tensor
