#pragma once

// Internal: the faults that say that threads race.

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// Returns true for a fault that makes the result depend on the order of racing accesses.
constexpr bool is_race(FaultKind kind) {
  return kind == FaultKind::race || kind == FaultKind::narrow_scope || kind == FaultKind::lockstep;
}

}  // namespace warpwise::emulator
