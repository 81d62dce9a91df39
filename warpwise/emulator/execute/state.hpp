#pragma once

// Internal to the emulator: what decoded code runs on.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/emulator/decode/code.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

// Generic addresses of a block's shared memory, of a thread's local memory and of the kernel's
// parameters lie in these windows of 2^40 bytes each; global memory begins above them.
inline constexpr Address shared_window = Address{1} << 40;
inline constexpr Address local_window = Address{2} << 40;
inline constexpr Address parameter_window = Address{3} << 40;
inline constexpr Address global_base = Address{16} << 40;
inline constexpr Address window_bytes = Address{1} << 40;
// In the space of a cluster, and in the generic window of shared memory, the memory of its block of
// rank r begins r + 1 times so many bytes on. Below, a block finds its own.
inline constexpr Address block_window_bytes = Address{1} << 24;
// Host addresses, which memory that the host sees has, lie above the emulated GPU's.
inline constexpr Address host_visible_base = Address{64} << 40;

struct Block;
struct Worker;
struct Launch;
class Schedule;
struct Watch;

/// Bytes that begin at a multiple of a cache line, not initialised.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(std::size_t bytes)
      : data_(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 64) / 64 * 64))),
        bytes_(bytes) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

// What a byte of shadow memory says of a byte of memory or of a register. 0: it is defined. One of
// the first three: none of its bits is. Else the bits that are not, which were computed from such
// ones: all, or those that the bit-fields written into a byte have left.
inline constexpr unsigned char unwritten = 0x55;  ///< nobody has written it
inline constexpr unsigned char copied = 0xaa;     ///< it was written with a copy of such ones
inline constexpr unsigned char unset = 0xad;      ///< of a register: nothing has been put into it
inline constexpr unsigned char computed = 0xff;

constexpr bool is_computed(unsigned char state) {
  return state != 0 && state != unwritten && state != copied && state != unset;
}
constexpr unsigned char undefined_bits(unsigned char state) {
  return state == 0 || is_computed(state) ? state : computed;
}
/// Where these bits were computed and the others are defined. The three values that stand for other
/// states, of four fields in one byte, count as all bits.
constexpr unsigned char state_of_bits(unsigned char bits) {
  return bits == 0 || is_computed(bits) ? bits : computed;
}

struct AllocationView {
  Address begin = 1;
  Address end = 0;
  std::byte* host = nullptr;
  std::byte* shadow = nullptr;  ///< of each of its bytes, whether it is defined; null: all are
};

/// Lanes of a warp at one place.
struct Group {
  enum class State : std::uint8_t { ready, converging, barrier };
  std::uint32_t pc = 0;
  Mask mask = 0;
  State state = State::ready;
  bool yielded = false;       ///< spun in vain: others first
  std::uint32_t barrier = 0;  ///< that a group in State::barrier waits at
  std::uint32_t depth = 0;    ///< of calls at run time
};

/// A call that has not returned.
struct CallFrame {
  std::uint32_t site = 0;      ///< index into Code::call_sites
  std::uint32_t function = 0;  ///< index into Code::functions
  std::uint32_t return_to = 0;
  std::uint64_t base = 0;  ///< the caller's
  std::uint64_t top = 0;
};

/// A thread's calls.
struct CallStack {
  std::vector<CallFrame> frames;
  std::vector<std::byte> saved;         ///< registers of the callers
  std::vector<std::byte> saved_shadow;  ///< and their shadow
  std::uint64_t base = 0;               ///< of the current frame, in local memory
  std::uint64_t top = 0;                ///< where free local memory begins
};

/// The last access of a warp that may have waited for another thread.
struct Poll {
  bool known = false;
  Space space = Space::generic;
  std::uint32_t operation = 0;
  Address address = 0;  ///< of one lane
};

struct Warp {
  std::byte* registers = nullptr;
  const std::byte* constants = nullptr;
  std::byte* shadow = nullptr;  ///< of its registers: see shadow.hpp; null unless that is checked
  std::uint32_t poisoned = 0;   ///< registers that are not defined in some lane
  Mask active = 0;              ///< lanes that the current operation is for
  Mask live = 0;                ///< lanes that have not exited
  bool whole = false;  ///< active covers live: what a handler writes for other lanes is never read
  Mask carry = 0;      ///< CC.CF of each lane
  Mask cluster_arrived = 0;  ///< lanes that have arrived at the cluster's barrier in this phase
  Mask cluster_owes = 0;     ///< lanes that have arrived there and are to wait
  std::uint32_t index = 0;   ///< in its block
  Block* block = nullptr;
  Worker* worker = nullptr;
  std::vector<Group> groups;
  bool polled = false;          ///< since the last backward branch
  int spins = 0;                ///< backward branches of polling loops since the last switch
  bool spun = false;            ///< its last turn ended in a spin
  bool looped = false;          ///< its last turn ended at a backward branch
  bool wrote = false;           ///< memory, since livelock.hpp looked, or it read a clock
  std::uint64_t turn_ends = 0;  ///< with that many instructions executed
  Poll poll;
  std::uint64_t executed = 0;  ///< warp instructions
  std::uint64_t accesses = 0;  ///< to global memory and textures, where that is counted

  /// A lane's number in its block.
  std::uint32_t thread(int lane) const {
    return index * warp_lanes + static_cast<std::uint32_t>(lane);
  }
};

/// A texture as a worker reads it.
struct BoundTexture {
  Texture texture;
  std::byte* texels = nullptr;  ///< null: none, or freed
  bool exists = false;
};

// The barrier of a block's cluster, among the numbers of the block's own.
inline constexpr std::uint32_t cluster_barrier = 16;
// Where the four warps of a block's n-th warpgroup meet: this and n, up to 7.
inline constexpr std::uint32_t first_warpgroup_barrier = 17;
inline constexpr std::uint32_t all_barriers = 25;

/// Blocks that run together, on one worker.
struct Cluster {
  std::vector<Block*> blocks;  ///< by rank; null: it has ended
  std::uint32_t live = 0;      ///< threads
  std::uint32_t arrived = 0;   ///< at its barrier
  bool moved = false;          ///< a thread of it has gone on in this round
};

struct Block {
  std::shared_ptr<Cluster> cluster;
  std::uint32_t rank = 0;  ///< in the cluster
  bool is_stuck = false;   ///< since the round began, unless others of its cluster go on
  Dim3 index;
  std::uint64_t linear = 0;
  std::vector<Warp> warps;
  AlignedBytes registers;  ///< of all warps
  AlignedBytes specials;   ///< what special registers begin with: [warp][special][lane]
  AlignedBytes shared;
  AlignedBytes local;  ///< of all threads, one after another
  // Of each byte of these whether it is defined, for Check::init; else empty.
  AlignedBytes register_shadow;
  AlignedBytes shared_shadow;
  AlignedBytes local_shadow;
  std::vector<CallStack> stacks;  ///< of all threads, where the code uses them
  std::uint32_t live = 0;         ///< threads
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  ///< 0: all live threads
    std::uint32_t votes = 0;     ///< of a reduction
    std::uint32_t count_true = 0;
  };
  std::array<Barrier, all_barriers> barriers{};
  /// Where threads have exited, the first one and how many: for Check::sync alone.
  struct Exit {
    std::uint32_t operation = 0;
    std::uint32_t thread = 0;
    std::uint32_t threads = 0;
  };
  std::vector<Exit> exits;
  std::uint64_t state = 0;  ///< of its registers and places, when livelock.hpp looked
  bool state_is_known = false;
};

/// A fault as a worker meets it: where it came first, and how often.
struct FaultRecord {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::uint64_t count = 0;
  std::string message;
  bool may_follow_from_race = false;  ///< another order of the threads might not show it
  bool is_known = false;              ///< as LaunchOptions::is_known says
};

// A launch is stopped when so many threads' accesses were faults: a GPU ends a kernel at the first.
inline constexpr std::uint64_t most_faults = std::uint64_t{1} << 20;

/// Kernels launch kernels to this depth, as on a GPU.
inline constexpr int most_nested_launches = 24;

/// What one CPU thread of a launch has for itself.
struct Worker {
  const Launch* launch = nullptr;
  const Code* code = nullptr;
  Device::State* device = nullptr;
  AllocationView last;  ///< allocation of the last global access
  std::map<std::pair<FaultKind, std::uint32_t>, FaultRecord> faults;  ///< by kind and operation
  std::map<std::uint64_t, std::string> printed;                       ///< by block
  std::vector<std::shared_ptr<std::byte>> freed;  ///< by kernels, which may still be looked at
  std::map<Address, DeviceWork> prepared;         ///< by the memory of its parameters
  std::map<std::uint64_t, std::vector<DeviceWork>> launched;  ///< by block
  /// cudaError_t's that threads have not asked for, by block and thread.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> launch_errors;
  std::map<std::uint64_t, BoundTexture> textures;  ///< that its warps read, by handle
  std::vector<std::uint8_t> modelled_executed;     ///< of each operation; empty if none is modelled
  std::shared_ptr<Schedule> schedule;              ///< with Launch::order
};

/// What the workers of a launch tell each other.
struct Progress {
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> next_cluster = 0;
  std::atomic<std::uint64_t> executed = 0;  ///< warp instructions, charged now and then
  std::atomic<std::uint64_t> printed = 0;   ///< bytes
  std::atomic<std::uint64_t> faults = 0;
  std::atomic<std::uint64_t> still = 0;  ///< workers whose blocks stand still: see livelock.cpp
  std::atomic<std::uint64_t> ended = 0;  ///< workers without blocks
  std::atomic<bool> livelock = false;
};

/// What all workers of a launch share; only its progress changes.
struct Launch {
  const Code* code = nullptr;
  Device::State* device = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint64_t shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t local_bytes = 0;  ///< of a thread, its stack included
  Address grid_workspace = 0;     ///< of a cooperative launch
  std::uint64_t heap_bytes = 0;   ///< that kernels may take by malloc
  int depth = 0;                  ///< 0: launched by the host
  std::vector<std::byte> parameters;
  AlignedBytes constants;  ///< the code's, relocated
  std::vector<rules::ComputeCapability> ccs;
  bool atomic = false;  ///< more than one worker: global atomics need the CPU's
  std::uint64_t budget = 0;
  Dim3 cluster{1, 1, 1};
  bool explicit_cluster = false;  ///< the launch or the kernel states it
  std::uint64_t clusters = 0;     ///< that run
  std::uint64_t workers = 1;
  Checks checks;
  std::function<bool(const std::string& kernel, const Fault& fault)> is_known;
  bool fidelity = false;
  std::optional<PaceModel> pace;
  unsigned order = 0;  ///< of blocks and warps: 0 is by their index, others are Schedule's
  std::uint64_t order_seed = 0;
  Watch* watch = nullptr;  ///< with an order; null: nothing is watched
  Progress* progress = nullptr;

  std::uint64_t all_clusters() const { return grid.count() / cluster.count(); }

  /// One of each of `clusters` equal parts of the grid, at a place that only looks random: a
  /// regular step would meet the same column of blocks in every row.
  std::uint64_t sampled_cluster(std::uint64_t i, std::uint64_t all) const {
    const std::uint64_t part = all / clusters;
    const std::uint64_t rest = all % clusters;
    const std::uint64_t begin = i * part + i * rest / clusters;
    const std::uint64_t end = (i + 1) * part + (i + 1) * rest / clusters;
    // The finalising steps of a 64-bit hash.
    std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return begin + (mixed ^ (mixed >> 31)) % (end - begin);
  }

  /// The cluster of the grid, of one block as a rule, that runs as the `i`-th of `clusters`.
  std::uint64_t cluster_number(std::uint64_t i) const {
    const std::uint64_t all = all_clusters();
    if (clusters == all) return i;
    if (!pace) return sampled_cluster(i, all);
    // Neighbours share what caches hold; far ones may do other work. Each run lies in the middle of
    // its part of the grid, so that what differs at the ends counts no more than it is.
    const std::uint64_t runs =
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(16, clusters / 8));
    const std::uint64_t run = i * runs / clusters;
    return i + (2 * run + 1) * (all - clusters) / (2 * runs);
  }
};

/// The place in its block of a thread, and in its grid of a block, that is known by number.
inline Dim3 place_in(std::uint64_t number, Dim3 extent) {
  return {static_cast<std::uint32_t>(number % extent.x),
          static_cast<std::uint32_t>(number / extent.x % extent.y),
          static_cast<std::uint32_t>(number / extent.x / extent.y)};
}

}  // namespace warpwise::emulator
