#pragma once

// Internal to the emulator: loads and stores for machine code made at run time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// Returns a function that replaces a load's or store's handler. It calls the handler unless all
/// active lanes are aligned and in bounds of one known piece of memory. Returns null for other
/// handlers, and for operations whose handler has to run. The function needs AVX2.
Handler quick_access(const Operation& op, ObserverSet observers);

/// Returns true for a load of 32 bits from shared memory, by addresses of 32 bits, that machine
/// code can execute without a call after prepare_loads().
bool loads_shared_words(const Operation& op, ObserverSet observers);

/// Loads of shared memory whose address registers stay unchanged from the first to the last load.
struct SharedLoads {
  /// A register with addresses, and the range of the offsets that are added to it.
  struct Base {
    std::int32_t addresses = 0;
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
  };
  struct Load {
    const Operation* op = nullptr;
    std::size_t base = 0;  ///< index into `bases`
  };
  std::vector<Base> bases;
  std::vector<Load> loads;
};

/// Shows the loads that `loads` lists to the counts or the checks, and returns the shared memory.
/// Shows none and returns null if the loads have to run one by one, for example because one of them
/// faults.
using PrepareLoads = std::byte* (*)(Warp& warp, const SharedLoads& loads);
PrepareLoads prepare_loads(ObserverSet observers);

}  // namespace warpwise::emulator
