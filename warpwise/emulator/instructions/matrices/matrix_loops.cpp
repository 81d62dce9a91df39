// Loops of matrix_sum.hpp, compiled once for any CPU and once for AVX2. Only code between the
// pragmas may use AVX2. The linker keeps one copy of each inline function of the standard headers
// for the whole library, and that copy must run on any CPU.

#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpwise::emulator::tensor {
namespace {

constexpr int most_sum_rows = 32;
constexpr std::int32_t kept_bits = ~((1 << (std::numeric_limits<float>::digits - 1 - 13)) - 1);
// Stands for the exponent of zero. A product with zero thus gets an exponent below the exponents of
// all other products.
constexpr int no_exponent = -4096;

int exponent_of(float value, int smallest) {
  if (value == 0) return no_exponent;
  const int biased = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 255);
  return std::max(biased - 127, smallest);
}

float truncated(double x) {
  constexpr auto smallest = static_cast<double>(std::numeric_limits<float>::denorm_min());
  if (x > -smallest && x < 0) return 0;  // as on an H200, without the sign
  const auto nearest = static_cast<float>(x);
  if (x != x) return std::bit_cast<float>(0x7fffffffU);
  if (std::fabs(x) >= std::ldexp(1.0, 128) ||
      std::fabs(static_cast<double>(nearest)) <= std::fabs(x)) {
    return nearest;
  }
  return std::nextafter(nearest, 0.0f);
}

float finished(double sum, Finish finish) {
  if (finish == Finish::to_odd) {
    if (sum != sum || std::isinf(sum)) return static_cast<float>(sum);
    const float toward_zero = std::copysign(truncated(std::fabs(sum)), static_cast<float>(sum));
    return toward_zero == sum || std::isinf(toward_zero)
               ? toward_zero
               : std::bit_cast<float>(std::bit_cast<std::uint32_t>(toward_zero) | 1);
  }
  const float result = truncated(sum);
  return finish == Finish::truncate_more && std::isfinite(result)
             ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(result) &
                                    static_cast<std::uint32_t>(kept_bits))
             : result;
}

/// Computes one sum without vectors. `a` points to a row of A, and `b` to a column of B.
float plain_sum(const FloatProduct& product, const float* a, const float* b, float c) {
  const int depth = product.size.depth;
  int largest = exponent_of(c, -126);
  double sum = c;  // the result if a term is not finite, or if all are zero
  bool is_finite = std::isfinite(c);
  for (int k = 0; k < depth; ++k) {
    const float x = a[k * group_lines];
    const float y = b[k * group_lines];
    is_finite = is_finite && std::isfinite(x) && std::isfinite(y);
    largest = std::max(
        largest, exponent_of(x, product.smallest_of_a) + exponent_of(y, product.smallest_of_b));
    sum += static_cast<double>(x) * y;
  }
  if (is_finite && largest > no_exponent / 2) {
    const int unit = largest - product.fraction_bits;
    sum = std::trunc(std::ldexp(static_cast<double>(c), -unit));
    for (int k = 0; k < depth; ++k)
      sum += std::trunc(
          std::ldexp(static_cast<double>(a[k * group_lines]) * b[k * group_lines], -unit));
    sum = std::ldexp(sum + 0.0, unit);  // a sum of zeros has no sign
  }
  return finished(sum, product.finish);
}

namespace baseline {
#include "warpwise/emulator/instructions/matrices/matrix_loops-inl.hpp"
}  // namespace baseline

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt,lzcnt")
namespace avx2 {
#include "warpwise/emulator/instructions/matrices/matrix_loops-inl.hpp"
}  // namespace avx2
#pragma GCC pop_options
#endif

}  // namespace

const MatrixLoops& portable_matrix_loops() { return baseline::loops; }

#if defined(__x86_64__)
const MatrixLoops& avx2_matrix_loops() { return avx2::loops; }
#endif

}  // namespace warpwise::emulator::tensor
