#pragma once

// Internal to the emulator: how the matrix unit adds products of floats.

#include <array>
#include <cstddef>

namespace warpwise::emulator::tensor {

/// The deepest product of floats.
inline constexpr int most_depth = 32;

/// A row of A or a column of B, made ready for sums: filled by set(), then finish().
class SumOperand {
 public:
  void set(int k, float value) { values_[static_cast<std::size_t>(k)] = value; }
  /// Finds the exponents. \param smallest  that the element's type has, and its subnormals are
  /// given
  void finish(int depth, int smallest);

 private:
  friend double accumulate(const SumOperand& a, const SumOperand& b, int depth, double c);
  std::array<float, most_depth> values_{};
  std::array<int, most_depth> exponents_{};
  bool is_finite_ = true;
};

/// Sum of a[i] * b[i] and c in the matrix unit's fixed point: each term is cut off below 2^-25 of
/// the largest exponent, the sum is exact (and later cut off to the float). NVIDIA documents none
/// of this: it is what gives an H200's bits, as far as random matrices of many spreads of exponents
/// tell. Older generations are said to keep fewer bits and to add fewer terms at once.
double accumulate(const SumOperand& a, const SumOperand& b, int depth, double c);

/// A sum as a float: cut off, infinite from 2^128 on.
float toward_zero(double x);

}  // namespace warpwise::emulator::tensor
