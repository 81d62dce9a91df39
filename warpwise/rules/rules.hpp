#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"

/// Cost of a warp's memory access on each GPU generation, and occupancy. The functions are pure:
/// they depend only on the compute capability and the access, and allocate no memory.
/// docs/hardware-rules.md gives each rule, its source and its certainty.
namespace warpwise::rules {

/// A GPU's compute capability, such as 9.0.
struct ComputeCapability {
  int major = 9;
  int minor = 0;
  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

/// Returns the supported compute capabilities, 1.0 to 12.1, in order.
WARPWISE_EXPORT std::span<const ComputeCapability> known_compute_capabilities();

/// Parses "9.0", "90", "sm_90" or "compute_90".
/// \throws InvalidArgument  for a malformed text or an unknown compute capability; the message
///                          lists the known ones
WARPWISE_EXPORT ComputeCapability parse_compute_capability(std::string_view text);
/// Returns "9.0".
WARPWISE_EXPORT std::string to_string(ComputeCapability cc);

/// One access by a warp: 32 byte addresses, with a mask of active lanes. Each active lane reads or
/// writes `bytes` (1, 2, 4, 8 or 16) from its address, a multiple of `bytes`. Without active lanes
/// every function below returns zeros.
///
/// Every function that takes an access \throws InvalidArgument for
///
/// - another number of bytes
/// - a compute capability that known_compute_capabilities() does not list
///
/// A misaligned address faults on a GPU. Here it costs about as much as an aligned one near it.
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
  int transactions() const { return transactions_32 + transactions_64 + transactions_128; }
  int bytes_moved() const {
    return 32 * transactions_32 + 64 * transactions_64 + 128 * transactions_128;
  }
};

/// Counts transactions with global memory. On CC 2.x, loads move 128-byte lines, because L1 caches
/// them by default. Stores there, and all accesses from 3.0 on, move 32-byte sectors of L2.
WARPWISE_EXPORT GlobalTraffic global_traffic(ComputeCapability cc, const WarpAccess& access);

/// Returns the least number of transactions that could move the same bytes, each byte once and
/// without gaps. For each hardware request of the access, this is the number of distinct bytes
/// divided by the largest transaction, rounded up. Like global_traffic(), it counts each request
/// separately.
WARPWISE_EXPORT int ideal_global_transactions(ComputeCapability cc, const WarpAccess& access);

/// Counts transactions with local memory. Addresses are offsets within a lane's own local memory.
/// The hardware interleaves it by 4-byte words, so that lanes at one offset access neighbouring
/// words.
///
/// An access counts as accesses to its words: 8 bytes are 2 words, 16 bytes are 4, and a byte
/// counts as the word that holds it. Each word counts by the rule of global memory. CC 3.x differs:
/// its L1 serves only local memory, and loads move its 128-byte lines.
WARPWISE_EXPORT GlobalTraffic local_traffic(ComputeCapability cc, const WarpAccess& access);
/// Returns the same as ideal_global_transactions(), but for a local access.
WARPWISE_EXPORT int ideal_local_transactions(ComputeCapability cc, const WarpAccess& access);

/// Passes (wavefronts) of a shared memory access, and those of a conflict-free access by the same
/// lanes. `passes - ideal` is the cost of bank conflicts.
struct SharedPasses {
  int passes = 0;
  int ideal = 0;
  friend bool operator==(const SharedPasses&, const SharedPasses&) = default;
};
/// Counts the passes of an access through the banks of shared memory.
WARPWISE_EXPORT SharedPasses shared_passes(ComputeCapability cc, const WarpAccess& access);

/// Counts the requests to constant memory: one for each distinct address of a warp (1.x:
/// half-warp).
WARPWISE_EXPORT int constant_passes(ComputeCapability cc, const WarpAccess& access);

/// Returns the largest number of texels of a linear texture, which lies over plain memory and not
/// over a CUDA array.
WARPWISE_EXPORT std::int64_t max_linear_texels(ComputeCapability cc);

/// Resources of one SM.
struct SmLimits {
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int registers_per_block = 0;
  int max_registers_per_thread = 0;
  int shared_bytes = 0;               ///< shared by all blocks of an SM
  int max_shared_per_block = 0;       ///< bytes; the opt-in limit if the GPU has one
  int reserved_shared_per_block = 0;  ///< bytes that the driver adds to each block's shared memory
  int threads_per_block = 0;
};
/// Returns the limits of an SM. \throws InvalidArgument  for an unknown compute capability
WARPWISE_EXPORT SmLimits sm_limits(ComputeCapability cc);

/// Returns the most bytes of shared memory that each of `blocks` blocks can have on one SM.
/// \throws InvalidArgument  for an unknown compute capability, or without a block
WARPWISE_EXPORT int most_shared_bytes(ComputeCapability cc, int blocks);

/// Resources that one block of a kernel takes from its SM.
struct BlockResources {
  int threads = 0;  ///< threads of a block
  int registers_per_thread = 0;
  /// Static and dynamic bytes of a block. On CC 1.x, the launch takes 16 more bytes plus the
  /// kernel's arguments, which the caller adds. From CC 8.0 on, the driver reserves more bytes,
  /// which occupancy() adds.
  int shared_bytes = 0;
};

/// The resource that limits the number of warps on an SM.
enum class Limiter { warps, blocks, registers, shared_memory };
/// For name_of() and value_named(): "warps", "blocks", "registers", "shared memory".
constexpr auto enum_names(Limiter) {
  return std::to_array<EnumName<Limiter>>({{Limiter::warps, "warps"},
                                           {Limiter::blocks, "blocks"},
                                           {Limiter::registers, "registers"},
                                           {Limiter::shared_memory, "shared memory"}});
}

/// Occupancy of an SM by the blocks of a kernel.
struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  double fraction = 0;               ///< share of the SM's warps
  Limiter limiter = Limiter::warps;  ///< the first one if several tie
};

/// Computes how many blocks of a kernel, and how many warps, an SM can hold at once. If shared
/// memory and L1 share one memory, shared memory has its largest share.
/// \throws InvalidArgument  for a block that cannot run: no threads, a negative number, or more
/// threads, registers or shared memory than the compute capability has; the message gives both
/// numbers
WARPWISE_EXPORT Occupancy occupancy(ComputeCapability cc, const BlockResources& block);

/// Machine instructions by the unit that executes them. `all` also counts instructions of units
/// that have no count here.
struct MachineInstructions {
  double all = 0;
  double integer = 0;
  double float32 = 0;
  double float64 = 0;
  double special = 0;
  double conversion = 0;
  double conversion64 = 0;  ///< conversions from and to 64-bit types

  /// Adds the counts of other instructions.
  MachineInstructions& operator+=(const MachineInstructions& other) {
    all += other.all;
    integer += other.integer;
    float32 += other.float32;
    float64 += other.float64;
    special += other.special;
    conversion += other.conversion;
    conversion64 += other.conversion64;
    return *this;
  }
  /// Multiplies each count.
  MachineInstructions& operator*=(double factor) {
    for (double* count : {&all, &integer, &float32, &float64, &special, &conversion, &conversion64})
      *count *= factor;
    return *this;
  }
};

}  // namespace warpwise::rules
