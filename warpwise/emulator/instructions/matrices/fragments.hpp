#pragma once

// Internal to the emulator: common parts of the matrix instructions.
//
// Each lane holds a part of a matrix, a fragment. The PTX ISA documents the fragments of mma,
// ldmatrix and stmatrix, but not of wmma. Here wmma uses fragments of several mma, side by side.

#include <array>
#include <bit>
#include <cstdint>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator::tensor {

struct Place {
  int row = 0;
  int column = 0;
};

// Positions of a lane's elements in A and B:
//
// - lane / 4 selects a row (a column of B)
// - lane % 4 selects `packed` neighbours in this row (or column)
// - in A, bit 0 of the register's number adds 8 rows, and bit 1 adds 4 * packed columns
// - in B, each register after the first adds 4 * packed rows
//
// `packed` elements share a register.

inline Place place_in_a(int lane, int reg, int element, int packed) {
  return {lane / 4 + 8 * (reg & 1), lane % 4 * packed + element + 4 * packed * (reg >> 1)};
}

inline Place place_in_b(int lane, int reg, int element, int packed) {
  return {lane % 4 * packed + element + 4 * packed * reg, lane / 4};
}

/// Returns the place in C of a lane's element i, from 0 to 3. C has 16 rows and 8 columns. Elements
/// 0 and 1 are neighbours in one of the first 8 rows. Elements 2 and 3 are 8 rows below them.
inline Place place_in_c(int lane, int i) {
  return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)};
}

// The 32 lanes of a register thus hold four words of each of 8 rows of A, or of 8 columns of B. Two
// registers hold 8 rows of C. The first of them has the elements of even columns.

/// Converts registers of A or B to floats. A group has eight rows of A, or eight columns of B.
/// \param groups_first  order of the registers. True: the next register has the next group, as in
/// A. False: the next register has the next elements of the same rows or columns
inline void unpack_registers(const Warp& warp, const std::int32_t* list, Element element, int lines,
                             int depth, int registers, bool groups_first, float* to) {
  const int groups = lines / group_lines;
  const int along = registers / groups;
  for (int r = 0; r < registers; ++r) {
    const int group = groups_first ? r % groups : r / along;
    const int at = groups_first ? r / groups : r % along;
    matrix_loops().unpack(element, source<std::uint32_t>(warp, list[r]), unpacked_words,
                          to + place_in_groups(group * group_lines, at * depth / along, depth));
  }
}

/// Reads the sums of a warp from registers, two registers for each block of 8 x 8 sums. The blocks
/// of the same eight columns follow each other: one block for 8 rows, two for 16 rows.
template <class T>
void read_sums(const Warp& warp, const std::int32_t* list, int blocks, T* sums) {
  for (int r = 0; r < 2 * blocks; ++r) {
    const T* from = source<T>(warp, list[r]);
    T* to = sums + r / 2 * 64 + r % 2;
    for (int lane = 0; lane < warp_lanes; ++lane) to[2 * lane] = from[lane];
  }
}

template <class T>
void write_sums(const Warp& warp, const std::int32_t* list, int blocks, const T* sums) {
  for (int r = 0; r < 2 * blocks; ++r) {
    const T* from = sums + r / 2 * 64 + r % 2;
    alignas(64) T words[warp_lanes];
    for (int lane = 0; lane < warp_lanes; ++lane) words[lane] = from[2 * lane];
    write_lanes(warp, list[r], words);
  }
}

/// Reads halves, 64 from each register.
inline void read_halves(const Warp& warp, const std::int32_t* list, int registers, float* to) {
  for (int r = 0; r < registers; ++r)
    matrix_loops().from_halves(source<std::uint16_t>(warp, list[r]), 64, to + 64 * r);
}

inline void write_halves(const Warp& warp, const std::int32_t* list, int registers,
                         const float* from) {
  for (int r = 0; r < registers; ++r) {
    alignas(64) std::uint16_t halves[2 * warp_lanes];
    matrix_loops().to_halves(from + 64 * r, 64, halves);
    write_lanes(warp, list[r], reinterpret_cast<const std::uint32_t*>(halves));
  }
}

/// Result words, indexed by register and lane.
using Words = std::array<std::array<std::uint32_t, warp_lanes>, 8>;

/// Operand registers: a word is selected by its register's index in a list, and by its lane.
struct Registers {
  const Warp& warp;
  const std::int32_t* list;
  std::uint32_t word(int reg, int lane) const {
    return source<std::uint32_t>(warp, list[reg])[lane];
  }
};

inline void write_registers(Warp& warp, const std::int32_t* list, int count, const Words& words) {
  for (int r = 0; r < count; ++r) {
    auto* to = destination<std::uint32_t>(warp, list[r]);
    for (Mask left = warp.active; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      to[i] = words[static_cast<std::size_t>(r)][i];
    }
  }
}

/// The place of a pair's first element. The second is to the right of it if `right`, else below it.
struct Pair {
  Place first;
  bool right = true;
};

/// Returns the places of a pair of elements in a 16 x 16 matrix of wmma. Each lane holds four
/// pairs. A pair takes one register, or two in sums of floats. A has the layout of A in an m16n8k16
/// mma. B and the sums consist of two halves of 8 columns. Each half has the layout of B, or of C,
/// in this mma.
inline Pair pair_of(Fragment fragment, int lane, int pair) {
  switch (fragment) {
    case Fragment::a: return {place_in_a(lane, pair, 0, 2), true};
    case Fragment::b: {
      Place p = place_in_b(lane, pair & 1, 0, 2);
      p.column += 8 * (pair >> 1);
      return {p, false};
    }
    default: {
      Place p = place_in_c(lane, 2 * (pair & 1));
      p.column += 8 * (pair >> 1);
      return {p, true};
    }
  }
}

void multiply_floats(Warp& warp, const Operation& op);
void multiply_integers(Warp& warp, const Operation& op);
void multiply_narrow_floats(Warp& warp, const Operation& op);
void multiply_elements(Warp& warp, const Operation& op);
void multiply_fragments(Warp& warp, const Operation& op);
void transpose_matrix(Warp& warp, const Operation& op);
Handler load_matrices(ObserverSet observers);
Handler store_matrices(ObserverSet observers);
Handler load_fragment(ObserverSet observers);
Handler store_fragment(ObserverSet observers);

}  // namespace warpwise::emulator::tensor
