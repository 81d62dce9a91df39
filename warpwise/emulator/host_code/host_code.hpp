#pragma once

// Internal to the emulator: machine code of the CPU, made at run time from a kernel's operations.
//
// It runs stretches: operations without a change of control flow, and the branches between them,
// for a warp whose live lanes all run together. Everything else is left to the interpreter, also a
// branch that divides the warp. Within a stretch, an operation that has no machine code of its own
// is a call of its handler, which also finds the faults.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"

namespace warpwise::emulator {

/// Executions of a stretch, at the index of its first operation, or of a branch that machine code
/// has executed.
struct HostCount {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
};

/// Memory with the machine code. It is never writable and executable at the same time.
class HostMemory;

class HostCode {
 public:
  using Enter = std::uint32_t (*)(Warp& warp, const void* entry);

  HostCode(std::shared_ptr<const HostMemory> memory, Enter enter, std::vector<const void*> entries,
           std::vector<std::int32_t> counted_at);

  /// Returns true if a warp can continue at an operation in machine code.
  bool begins_at(std::uint32_t pc) const { return entries_[pc] != nullptr; }

  /// Runs a warp from begins_at(pc) on. All of its live lanes run together, as its only group.
  /// Returns the next operation, which the interpreter has to execute.
  std::uint32_t run(Warp& warp, std::uint32_t pc) const { return enter_(warp, entries_[pc]); }

  /// Returns where an operation is counted in a worker's HostCounts; -1: it counts itself.
  std::int32_t counted_at(std::size_t operation) const { return counted_at_[operation]; }

 private:
  std::shared_ptr<const HostMemory> memory_;
  Enter enter_;
  std::vector<const void*> entries_;  ///< of each operation
  std::vector<std::int32_t> counted_at_;
};

/// Makes the machine code of a kernel that was decoded for these observers. Returns null if the CPU
/// or the build cannot: on other architectures, without AVX2 and FMA, or where the system refuses
/// executable memory.
/// \param code  keeps its place in memory as long as the result
std::shared_ptr<const HostCode> make_host_code(const Code& code, ObserverSet observers);

}  // namespace warpwise::emulator
