#pragma once

// Internal to the emulator: which operations are not exact, and where their values may get to.

#include <cstdint>
#include <span>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// A set of Modelled, as bits.
using ModelledSet = std::uint32_t;
constexpr ModelledSet set_of(Modelled what) {
  return ModelledSet{1} << static_cast<unsigned>(what);
}

/// Fills in Code::modelled, and has these operations note that they are executed. The code's
/// operands are virtual registers yet.
void mark_modelled(Code& code, const std::vector<Accesses>& accesses, ObserverSet observers);

/// Where values that are not exact may have got to.
struct ModelledReach {
  ModelledSet branches = 0;
  ModelledSet results = 0;  ///< memory that outlives the kernel, or what it prints
};

/// Follows the values of executed operations of Code::modelled through registers and memory,
/// whatever the order of the code: what it does not name has not been reached.
/// \param executed  not 0 for each operation that was; empty where none is modelled
/// \param in_memory  what global memory held at the start
ModelledReach reach_of(const Code& code, std::span<const std::uint8_t> executed,
                       ModelledSet in_memory);

}  // namespace warpwise::emulator
