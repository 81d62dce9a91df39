#pragma once

// Internal to the emulator: what the matrix instructions share.
//
// The parts of a matrix that each lane holds ("fragments") are those that the PTX ISA documents for
// mma, ldmatrix and stmatrix. Those of wmma it leaves open; here they are the ones of mma, put side
// by side.

#include <array>
#include <bit>
#include <cstdint>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator::tensor {

struct Place {
  int row = 0;
  int column = 0;
};

// A lane's elements of A, B and C: lane / 4 chooses a row (a column of B), lane % 4 a group of
// neighbours, a register beyond the first goes 8 rows down or to the next group of columns.
// `packed` elements share a register.

inline Place place_in_a(int lane, int reg, int element, int packed) {
  return {lane / 4 + 8 * (reg & 1), lane % 4 * packed + element + 4 * packed * (reg >> 1)};
}

inline Place place_in_b(int lane, int reg, int element, int packed) {
  return {lane % 4 * packed + element + 4 * packed * reg, lane / 4};
}

/// Element i of a lane's four (two of 8 rows) of a sum of 8 columns.
inline Place place_in_c(int lane, int i) {
  return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)};
}

/// Registers that an instruction writes, by register and lane.
using Words = std::array<std::array<std::uint32_t, warp_lanes>, 8>;

/// Registers that it reads, by register of a list and lane.
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

/// The place of a register's first element, and whether its second one is to the right of it (or
/// below).
struct Pair {
  Place first;
  bool right = true;
};

/// Registers of two elements: A as in a 16 x 16 mma, B and the sums as two of 8 columns. Of sums of
/// floats two registers make a pair.
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
void multiply_elements(Warp& warp, const Operation& op);
void multiply_fragments(Warp& warp, const Operation& op);
Handler load_matrices(ObserverSet observers);
Handler store_matrices(ObserverSet observers);
Handler load_fragment(ObserverSet observers);
Handler store_fragment(ObserverSet observers);

}  // namespace warpwise::emulator::tensor
