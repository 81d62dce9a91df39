#pragma once

// Internal to the emulator: machine code of the CPU, made at run time from a kernel's operations.
//
// It runs stretches: operations without a change of control flow, and the branches between them,
// for a group of lanes. Everything else is left to the interpreter, also a branch that divides the
// group. Within a stretch, an operation that has no machine code of its own is a call of its
// handler, which also finds the faults.
//
// There are two versions: for all live lanes of a warp, and for some of them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Executions of a stretch, at the index of its first operation, or of a branch that machine code
/// has executed.
struct HostCount {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
};

/// One version of a kernel's machine code, in memory that is never writable and executable at once.
class HostMemory;

class HostCode {
 public:
  /// Enters machine code at an entry. Returns the next operation for the interpreter.
  using Enter = std::uint32_t (*)(Warp& warp, const void* entry, Mask lanes, std::uint32_t limit);

  /// Machine code for one kind of groups.
  struct Version {
    std::shared_ptr<const HostMemory> memory;
    Enter enter = nullptr;
    std::vector<const void*> entries;  ///< of each operation; empty: no machine code
    /// Where an operation is counted in a worker's HostCounts; -1: it counts itself.
    std::vector<std::int32_t> counted_at;
  };

  HostCode(const Code& code, ObserverSet observers);

  /// Runs a group of a warp, if it can continue in machine code at an operation.
  /// \param limit  the operation, if any, at which it would meet other lanes
  /// Returns the next operation, which the interpreter has to execute unless it is the limit.
  std::uint32_t run(Warp& warp, std::uint32_t pc, Mask lanes, std::uint32_t limit) const {
    const Version& version = lanes == warp.live ? whole_ : partial();
    const void* const entry = version.entries.empty() ? nullptr : version.entries[pc];
    return entry == nullptr ? pc : version.enter(warp, entry, lanes, limit);
  }

  /// Adds the executions of an operation, as machine code has counted them for a worker.
  void add(std::size_t operation, const std::vector<HostCount>& counts, HostCount& to) const;

 private:
  const Version& partial() const {
    if (!partial_is_made_.load(std::memory_order_acquire)) make_partial();
    return partial_;
  }
  void make_partial() const;

  const Code* code_;
  ObserverSet observers_;
  Version whole_;
  mutable Version partial_;  ///< made when a warp first diverges
  mutable std::mutex mutex_;
  mutable std::atomic<bool> partial_is_made_ = false;
};

/// Returns the number of HostCounts that a worker needs: of each version and operation.
inline std::size_t host_counts(const Code& code) { return 2 * code.operations.size(); }

/// Makes the machine code of a kernel that was decoded for these observers. Returns null if the CPU
/// or the build cannot: on other architectures, without AVX2 and FMA, or where the system refuses
/// executable memory.
/// \param code  keeps its place in memory as long as the result
std::shared_ptr<const HostCode> make_host_code(const Code& code, ObserverSet observers);

}  // namespace warpwise::emulator
