#pragma once

// Internal to the emulator: machine code of the CPU, made at run time from a kernel's operations.
//
// The machine code executes stretches for a group of lanes. A stretch consists of operations that
// do not change the control flow, and of the branches between them. The interpreter executes
// everything else, including a branch that divides the group. Within a stretch, an operation
// without machine code becomes a call of its handler. The handler also finds faults.
//
// The code has two versions: for all live lanes of a warp, and for some of them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

/// Number of warps and of threads that have executed an operation in machine code. Operations that
/// are only executed together share the count of the first one. A branch has its own count, whose
/// `threads` are those that took the branch.
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

  /// Machine code for all live lanes of a warp, or for some of them.
  struct Version {
    std::shared_ptr<const HostMemory> memory;
    Enter enter = nullptr;
    std::vector<const void*> entries;  ///< entry of each operation; empty: no machine code
    /// For each operation, the index of its HostCount in this version's half of a worker's list.
    /// -1: machine code does not count the operation, because an observer does.
    std::vector<std::int32_t> counted_at;
  };

  HostCode(const Code& code, ObserverSet observers);

  /// Runs a group of lanes of a warp, if machine code can continue at operation `pc`.
  /// \param limit  the operation, if any, at which the group would meet other lanes
  /// Returns the next operation, which the interpreter has to execute unless it is the limit.
  std::uint32_t run(Warp& warp, std::uint32_t pc, Mask lanes, std::uint32_t limit) const {
    const Version& version = lanes == warp.live ? whole_ : partial();
    const void* const entry = version.entries.empty() ? nullptr : version.entries[pc];
    return entry == nullptr ? pc : version.enter(warp, entry, lanes, limit);
  }

  /// Adds to `to` how often machine code has executed an operation.
  /// \param counts  the counts of one worker
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

/// Returns the number of HostCounts that a worker needs: one for each version and operation.
inline std::size_t host_counts(const Code& code) { return 2 * code.operations.size(); }

/// A kernel's machine code. It is made when the kernel has executed so many instructions that
/// making the code is likely to pay. Launches on several threads share it.
class LazyHostCode {
 public:
  /// \param code  a kernel that was decoded for these observers. It must not move in memory.
  LazyHostCode(const Code& code, ObserverSet observers) : code_(&code), observers_(observers) {}

  /// Returns the machine code, or null before it is made. It is never made if the CPU lacks x86-64,
  /// AVX2, FMA, BMI or POPCNT, or if the kernel has very many operations. If the system gives no
  /// executable memory, the result has no entries.
  const HostCode* ready() const { return ready_.load(std::memory_order_acquire); }

  /// Makes the machine code, unless that has been tried before.
  void make() {
    if (!tried_.load(std::memory_order_acquire)) try_to_make();
  }

  /// Returns the number of instructions that the kernel shall still execute before make().
  std::uint64_t left() const;
  void note_executed(std::uint64_t instructions, std::uint64_t clusters) {
    executed_ += instructions;
    clusters_ += clusters;
  }
  /// Returns the expected number of instructions of a launch of `clusters` clusters, from the
  /// average of earlier launches. It is infinite if there were none.
  double expected(std::uint64_t clusters) const {
    const auto all = static_cast<double>(clusters_);
    return all > 0 ? static_cast<double>(executed_) / all * static_cast<double>(clusters)
                   : std::numeric_limits<double>::infinity();
  }

 private:
  void try_to_make();

  const Code* code_;
  ObserverSet observers_;
  std::mutex mutex_;
  std::unique_ptr<const HostCode> own_;
  std::atomic<const HostCode*> ready_ = nullptr;
  std::atomic<bool> tried_ = false;
  std::atomic<std::uint64_t> executed_ = 0;
  std::atomic<std::uint64_t> clusters_ = 0;
};

}  // namespace warpwise::emulator
