#pragma once

// Internal to the emulator: loads and stores for machine code made at run time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns a function that does the same as a load's or store's handler: at once if all active
/// lanes access one piece of memory in bounds, otherwise by calling the handler. Returns null for
/// other handlers, and for operations whose handler has to run. It needs AVX2.
Handler quick_access(const Operation& op, ObserverSet observers);

/// Returns true for a load of 32 bits from shared memory, by addresses of 32 bits, that machine
/// code can make itself, after prepare_loads().
bool loads_shared_words(const Operation& op, ObserverSet observers);

/// Loads of shared memory whose addresses do not change between the first and the last of them.
struct SharedLoads {
  /// A register with addresses, and the range of the offsets that are added to it.
  struct Base {
    std::int32_t addresses = 0;
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
  };
  struct Load {
    const Operation* op = nullptr;
    std::size_t base = 0;  ///< its index
  };
  std::vector<Base> bases;
  std::vector<Load> loads;
};

/// Counts such loads of a warp, and returns the shared memory. If not all of them are in bounds, it
/// returns null and counts none.
using PrepareLoads = std::byte* (*)(Warp& warp, const SharedLoads& loads);
PrepareLoads prepare_loads(ObserverSet observers);

}  // namespace warpwise::emulator
