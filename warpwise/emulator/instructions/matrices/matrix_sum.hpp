#pragma once

// Internal to the emulator: the matrix unit's sum of products of floats.

#include <array>
#include <cstddef>

namespace warpwise::emulator::tensor {

/// Largest depth of a product of floats.
inline constexpr int most_depth = 32;

/// A row of A or a column of B for sums. Call set() for its values, then finish().
class SumOperand {
 public:
  void set(int k, float value) { values_[static_cast<std::size_t>(k)] = value; }
  /// Finds the exponents. \param smallest  exponent of the type's smallest normal and subnormal
  /// numbers
  void finish(int depth, int smallest);

 private:
  friend double accumulate(const SumOperand& a, const SumOperand& b, int depth, double c);
  std::array<float, most_depth> values_{};
  std::array<int, most_depth> exponents_{};
  bool is_finite_ = true;
};

/// Returns the sum of a[i] * b[i] and c in the matrix unit's fixed point. Each term is truncated
/// below 2^-25 of the largest exponent. The sum itself is exact, and is later truncated to a float.
///
/// NVIDIA does not document this. It matches an H200's bits for random matrices with many spreads
/// of exponents. Older generations are said to keep fewer bits and to add fewer terms at once.
double accumulate(const SumOperand& a, const SumOperand& b, int depth, double c);

/// Truncates a sum to a float; infinite from 2^128 on. A sum that is truncated to zero loses its
/// sign.
float toward_zero(double x);

}  // namespace warpwise::emulator::tensor
