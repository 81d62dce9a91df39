#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a warp's memory access costs on each GPU generation, and how many warps fit on it: pure
/// functions of the compute capability and of the access, without state. docs/emulator.md cites the
/// source of each rule.
namespace warpwise::rules {

struct ComputeCapability {
  int major = 9;
  int minor = 0;
  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

/// The compute capabilities that the rules know, 1.0 to 12.1, in order.
std::span<const ComputeCapability> known_compute_capabilities();

/// Reads "9.0", "90" or "sm_90". \throws InvalidArgument  for a malformed or unknown one (lists the known).
ComputeCapability parse_compute_capability(std::string_view text);
std::string to_string(ComputeCapability cc);

/// One access by a warp: 32 byte addresses, of which those of the active lanes count. Each lane reads
/// or writes `bytes` (1, 2, 4, 8 or 16) from its address, which is a multiple of `bytes`.
struct WarpAccess {
  std::span<const std::uint64_t, 32> addresses;
  std::uint32_t active = 0xffffffffU;
  int bytes = 4;
  bool store = false;
};

/// Transactions between an SM and the memory system, by size.
struct GlobalTraffic {
  int transactions_32 = 0;
  int transactions_64 = 0;
  int transactions_128 = 0;
  friend bool operator==(const GlobalTraffic&, const GlobalTraffic&) = default;
  int bytes_moved() const {
    return 32 * transactions_32 + 64 * transactions_64 + 128 * transactions_128;
  }
};

/// Global memory. On CC 2.x loads are taken as cached in L1 (the compiler's default); stores go to L2.
GlobalTraffic global_traffic(ComputeCapability cc, const WarpAccess& access);

/// Local memory: addresses are offsets within a lane's own local memory, which the hardware interleaves by
/// 4-byte words, so that lanes at one offset touch neighbouring words.
GlobalTraffic local_traffic(ComputeCapability cc, const WarpAccess& access);

/// Passes (wavefronts) of a shared memory access, and those of a conflict-free one with as many active lanes.
struct SharedPasses {
  int passes = 0;
  int ideal = 0;
  friend bool operator==(const SharedPasses&, const SharedPasses&) = default;
};
SharedPasses shared_passes(ComputeCapability cc, const WarpAccess& access);

/// Constant memory: one request for each distinct address, of a warp (1.x: of a half-warp).
int constant_passes(ComputeCapability cc, const WarpAccess& access);

/// What one SM has, of a compute capability.
struct SmLimits {
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int max_registers_per_thread = 0;
  int shared_bytes = 0;           ///< that all blocks of an SM share
  int max_shared_per_block = 0;   ///< with opt-in where the GPU has one
  int threads_per_block = 0;
};
SmLimits sm_limits(ComputeCapability cc);

struct BlockResources {
  int threads = 0;                ///< of a block
  int registers_per_thread = 0;
  int shared_bytes = 0;           ///< static and dynamic, of a block
};

enum class Limiter { warps, blocks, registers, shared_memory };

struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  double fraction = 0;            ///< of the SM's warps
  Limiter limiter = Limiter::warps;  ///< what ends it; the first named of those that tie
};

/// \throws InvalidArgument  when a block cannot run at all: more threads, registers or shared memory than
///         the compute capability has, with both numbers.
Occupancy occupancy(ComputeCapability cc, const BlockResources& block);

std::string_view to_string(Limiter limiter);

}  // namespace warpwise::rules
