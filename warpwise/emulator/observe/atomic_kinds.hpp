#pragma once

// Internal to the emulator: how a GPU performs the atomic operations of a kernel.

#include <vector>

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// How a GPU's machine code performs an atomic operation.
struct AtomicKind {
  bool is_integer = false;
  /// The compiler knows that all lanes of a warp use one address. It reduces their values first,
  /// and one lane performs the operation.
  bool is_reduced = false;
  /// In shared memory: a loop repeats a compare-and-swap until it succeeds.
  bool is_loop = false;
  /// In shared memory: an addition of 1 whose result is unused. A single instruction adds to each
  /// address the number of lanes that use it.
  bool counts_lanes = false;
  bool is_swap = false;  ///< compare-and-swap
};

/// Returns a kind for each operation of a kernel; it has a meaning only for atomic operations.
std::vector<AtomicKind> atomic_kinds(const Code& code);

}  // namespace warpwise::emulator
