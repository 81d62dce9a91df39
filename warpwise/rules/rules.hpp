#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"

/// What a warp's memory access costs on each GPU generation, and how many warps fit on it: pure
/// functions of the compute capability and of the access, without state and without allocation.
/// docs/hardware-rules.md states each rule, its source and how sure it is.
namespace warpwise::rules {

/// A GPU's compute capability, such as 9.0.
struct ComputeCapability {
  int major = 9;
  int minor = 0;
  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

/// The compute capabilities that the rules know, 1.0 to 12.1, in order.
WARPWISE_EXPORT std::span<const ComputeCapability> known_compute_capabilities();

/// Reads "9.0", "90", "sm_90" or "compute_90".
/// \throws InvalidArgument  for a malformed or unknown one (lists the known).
WARPWISE_EXPORT ComputeCapability parse_compute_capability(std::string_view text);
/// "9.0".
WARPWISE_EXPORT std::string to_string(ComputeCapability cc);

/// One access by a warp: 32 byte addresses, of which those of the active lanes count. Each lane
/// reads or writes `bytes` (1, 2, 4, 8 or 16) from its address, which is a multiple of `bytes`.
/// With no lane active every function below returns zeros.
///
/// Every function that takes one \throws InvalidArgument for another number of bytes and for a
/// compute capability that known_compute_capabilities() does not list. An address that is no
/// multiple of `bytes` faults on a GPU; here its costs are those of some address near it.
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

/// Global memory. On CC 2.x loads are taken as cached in L1 (the compiler's default), by lines of
/// 128 bytes; stores there, and everything from 3.0 on, by the sectors of 32 bytes that L2 knows.
WARPWISE_EXPORT GlobalTraffic global_traffic(ComputeCapability cc, const WarpAccess& access);

/// The fewest transactions that could carry the same bytes, each once and without gaps between
/// them: for every request that the hardware makes of the access (global_traffic counts those
/// separately), distinct bytes / largest transaction, rounded up.
WARPWISE_EXPORT int ideal_global_transactions(ComputeCapability cc, const WarpAccess& access);

/// Local memory: addresses are offsets within a lane's own local memory, which the hardware
/// interleaves by 4-byte words, so that lanes at one offset touch neighbouring words. Taken word by
/// word: 8 and 16 bytes cost 2 and 4 accesses of a word, a byte that of the word that holds it. The
/// rule is then that of global memory, except that on CC 3.x, whose L1 serves local memory alone,
/// loads move lines of 128 bytes.
WARPWISE_EXPORT GlobalTraffic local_traffic(ComputeCapability cc, const WarpAccess& access);
/// As ideal_global_transactions, of a local access.
WARPWISE_EXPORT int ideal_local_transactions(ComputeCapability cc, const WarpAccess& access);

/// Passes (wavefronts) of a shared memory access, and those of a conflict-free access by the same
/// lanes: `passes - ideal` is what bank conflicts cost.
struct SharedPasses {
  int passes = 0;
  int ideal = 0;
  friend bool operator==(const SharedPasses&, const SharedPasses&) = default;
};
/// The passes that the banks of shared memory take for an access.
WARPWISE_EXPORT SharedPasses shared_passes(ComputeCapability cc, const WarpAccess& access);

/// Constant memory: one request for each distinct address, of a warp (1.x: of a half-warp).
WARPWISE_EXPORT int constant_passes(ComputeCapability cc, const WarpAccess& access);

/// Texels that a linear texture may have: one over memory that is no array.
WARPWISE_EXPORT std::int64_t max_linear_texels(ComputeCapability cc);

/// What one SM has, of a compute capability.
struct SmLimits {
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int registers_per_block = 0;
  int max_registers_per_thread = 0;
  int shared_bytes = 0;               ///< that all blocks of an SM share
  int max_shared_per_block = 0;       ///< with opt-in where the GPU has one
  int reserved_shared_per_block = 0;  ///< that the driver adds to every block's own
  int threads_per_block = 0;
};
/// The limits of an SM. \throws InvalidArgument  for a compute capability that is not known.
WARPWISE_EXPORT SmLimits sm_limits(ComputeCapability cc);

/// What one block of a kernel takes from its SM.
struct BlockResources {
  int threads = 0;  ///< of a block
  int registers_per_thread = 0;
  /// Static and dynamic, of a block. On CC 1.x the launch itself takes 16 bytes and the kernel's
  /// arguments from shared memory: the caller, who knows them, adds them. Not so what the driver
  /// reserves from CC 8.0 on: occupancy() adds that.
  int shared_bytes = 0;
};

/// What limits how many warps are on an SM.
enum class Limiter { warps, blocks, registers, shared_memory };
/// For name_of() and value_named(): "warps", "blocks", "registers", "shared memory".
constexpr auto enum_names(Limiter) {
  return std::to_array<EnumName<Limiter>>({{Limiter::warps, "warps"},
                                           {Limiter::blocks, "blocks"},
                                           {Limiter::registers, "registers"},
                                           {Limiter::shared_memory, "shared memory"}});
}

/// How much of an SM the blocks of a kernel fill.
struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  double fraction = 0;               ///< of the SM's warps
  Limiter limiter = Limiter::warps;  ///< what ends it; the first named of those that tie
};

/// How many blocks of a kernel, and so how many warps, an SM holds at once. Where shared memory and
/// L1 divide one memory, shared memory has its largest share.
/// \throws InvalidArgument  when a block cannot run at all: it has no threads, a negative number of
///                          anything, or more threads, registers or shared memory than the compute
///                          capability; the message then gives both numbers.
WARPWISE_EXPORT Occupancy occupancy(ComputeCapability cc, const BlockResources& block);

}  // namespace warpwise::rules
