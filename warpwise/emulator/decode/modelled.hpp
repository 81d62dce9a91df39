#pragma once

// Internal to the emulator: finds inexact operations, and the results that they may affect.

#include <cstdint>
#include <span>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// A set of Modelled kinds, with one bit for each.
using ModelledSet = std::uint32_t;
constexpr ModelledSet set_of(Modelled what) {
  return ModelledSet{1} << static_cast<unsigned>(what);
}

/// Fills in Code::modelled, and makes the operations of this list record their execution. Must be
/// called while the code's operands are still virtual registers.
void mark_modelled(Code& code, const std::vector<Accesses>& accesses, ObserverSet observers);

/// Kinds of inexact values that may affect a kernel's branches or its results.
struct ModelledReach {
  ModelledSet branches = 0;
  ModelledSet results = 0;  ///< memory that outlives the kernel, or printed text
};

/// Follows the results of the executed operations of Code::modelled through registers and memory,
/// for any order of execution. A kind that is in neither set of the result affects nothing.
/// \param executed  for each operation, not 0 if executed; empty if no operation is modelled
/// \param in_memory  kinds of inexact values in global memory at the start
ModelledReach reach_of(const Code& code, std::span<const std::uint8_t> executed,
                       ModelledSet in_memory);

}  // namespace warpwise::emulator
