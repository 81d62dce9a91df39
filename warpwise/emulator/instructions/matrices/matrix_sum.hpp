#pragma once

// Internal to the emulator: sums of products as the matrix unit computes them.
//
// Layout of a matrix in memory, for SIMD instructions. Lines are the rows of A, the columns of B
// and the columns of sums. Eight consecutive lines form a group. A group holds element 0 of each of
// its lines, then element 1 of each, and so on. The number of an element in its line is its depth
// in A and B, and its row in sums. place_in_groups() computes the index.

#include <cstddef>
#include <cstdint>

#include "warpwise/emulator/decode/flags.hpp"

namespace warpwise::emulator::tensor {

/// Largest depth of a product of floats.
inline constexpr int most_depth = 32;
/// Number of lines in a group.
inline constexpr int group_lines = 8;
/// Number of words of each line that MatrixLoops::unpack() converts.
inline constexpr int unpacked_words = 4;

/// Returns the index of a line's element k. For sums, k is the row and `depth` the number of rows.
inline std::size_t place_in_groups(int line, int k, int depth) {
  const int row = line / group_lines * depth + k;
  return std::size_t{group_lines} * static_cast<std::size_t>(row) +
         static_cast<std::size_t>(line % group_lines);
}

struct ProductSize {
  int rows = 0;     ///< a multiple of eight
  int columns = 0;  ///< a multiple of eight
  int depth = 0;
};

/// The rounding of a sum of floats to a result.
enum class Finish {
  truncate,       ///< to a float; a sum that is truncated to zero loses its sign
  truncate_more,  ///< to 13 bits after the leading one, for products of floats of 8 bits
  to_odd          ///< rounds to odd, to a float, before a second rounding to halves
};

/// A product of floats. Each term is truncated `fraction_bits` bits below the largest exponent. The
/// sum of these terms is exact, and is rounded once as `finish` says.
///
/// NVIDIA does not document this. The results match an H200's bits for random matrices with many
/// spreads of exponents. Older generations are said to keep fewer bits and add fewer terms at once.
struct FloatProduct {
  ProductSize size;  ///< with 25 fraction bits, the depth is 16 at most
  const float* a;    ///< numbers of at most 11 significant bits
  const float* b;
  float* sums;               ///< C, and afterwards D
  int smallest_of_a = -126;  ///< exponent of A's smallest normal number, and of its subnormals
  int smallest_of_b = -126;
  int fraction_bits = 25;
  Finish finish = Finish::truncate;
};

/// Loops that are compiled for several CPUs. Pointers to vectors are aligned to 32 bytes, pointers
/// to halves to 16 bytes.
struct MatrixLoops {
  void (*add_floats)(const FloatProduct& product);
  /// Adds products of doubles, each with one rounding, in the order of the depth.
  void (*add_doubles)(ProductSize size, const double* a, const double* b, double* sums);
  /// Adds products of integers of at most 8 bits, which floats hold. The depth is at most 64.
  void (*add_integers)(ProductSize size, const float* a, const float* b, std::int32_t* sums,
                       bool saturates);
  /// Converts four words of each of eight lines. The lines are `pitch` words apart. Element k of a
  /// line becomes to[8 * k + line]. Elements are floats of at most 32 bits, or integers of 8 or 4
  /// bits. A tf32 has 10 fraction bits.
  void (*unpack)(Element element, const std::uint32_t* words, int pitch, float* to);
  /// Converts halves to floats. `count` is a multiple of eight.
  void (*from_halves)(const std::uint16_t* from, std::size_t count, float* to);
  /// Converts floats to halves, rounded to nearest. A NaN becomes 0x7fff.
  void (*to_halves)(const float* from, std::size_t count, std::uint16_t* to);
};
/// Returns the loops for this CPU.
const MatrixLoops& matrix_loops();
/// Returns the loops for any CPU of the architecture.
const MatrixLoops& portable_matrix_loops();

}  // namespace warpwise::emulator::tensor
