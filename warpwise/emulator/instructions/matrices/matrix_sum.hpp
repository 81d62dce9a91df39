#pragma once

// Internal to the emulator: sums of products as the matrix unit computes them.
//
// A is stored by rows. B and the sums are stored in groups of eight columns, for vectors of the
// CPU: a group of B has its eight elements of depth 0 first, a group of sums those of row 0.

#include <cstddef>
#include <cstdint>

namespace warpwise::emulator::tensor {

/// Largest depth of a product of floats.
inline constexpr int most_depth = 32;
/// Columns in a group.
inline constexpr int group_columns = 8;

/// Returns the position of an element of B. The sums have theirs by rows instead of the depth.
inline std::size_t place_in_groups(int column, int k, int depth) {
  return static_cast<std::size_t>((column / group_columns * depth + k) * group_columns +
                                  column % group_columns);
}

struct ProductSize {
  int rows = 0;     ///< even
  int columns = 0;  ///< a multiple of eight
  int depth = 0;
};

/// How a sum of floats becomes a result.
enum class Finish {
  truncate,       ///< to a float; a sum that is truncated to zero loses its sign
  truncate_more,  ///< to 13 bits after the leading one, as sums of floats of 8 bits
  to_odd          ///< to a float to odd, for a second rounding to halves
};

/// A product of floats. Each term is truncated below 2^-fraction_bits of the largest exponent.
/// The sum itself is exact, and is finished once.
///
/// NVIDIA does not document this. It matches an H200's bits for random matrices with many spreads
/// of exponents. Older generations are said to keep fewer bits and to add fewer terms at once.
struct FloatProduct {
  ProductSize size;       ///< with 25 fraction bits, the depth is 16 at most
  const float* a;         ///< numbers of at most 11 significant bits
  const float* b;
  float* sums;            ///< C, and afterwards D
  int smallest_of_a = -126;  ///< exponent of the elements' smallest normal and subnormal numbers
  int smallest_of_b = -126;
  int fraction_bits = 25;
  Finish finish = Finish::truncate;
};

/// Loops that are compiled for several CPUs. Pointers are aligned to 32 bytes.
struct MatrixLoops {
  void (*add_floats)(const FloatProduct& product);
  /// Adds products of doubles, each with one rounding, in the order of the depth.
  void (*add_doubles)(ProductSize size, const double* a, const double* b, double* sums);
  /// Adds products of integers that floats hold: at most 8 bits each, and a depth of at most 64.
  void (*add_integers)(ProductSize size, const float* a, const float* b, std::int32_t* sums,
                       bool saturates);
  void (*from_halves)(const std::uint16_t* from, std::size_t count, float* to);
  /// Rounds to nearest. A NaN becomes 0x7fff.
  void (*to_halves)(const float* from, std::size_t count, std::uint16_t* to);
};
/// Returns the loops for this CPU.
const MatrixLoops& matrix_loops();
/// Returns the loops for any CPU of the architecture.
const MatrixLoops& portable_matrix_loops();

}  // namespace warpwise::emulator::tensor
