#pragma once

// Internal to the emulator: the state of a launch, which decoded code reads and changes.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
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

// Windows of generic addresses, 2^40 bytes each: a block's shared memory, a thread's local memory,
// the kernel's parameters. Global memory begins above them.
inline constexpr Address shared_window = Address{1} << 40;
inline constexpr Address local_window = Address{2} << 40;
inline constexpr Address parameter_window = Address{3} << 40;
inline constexpr Address global_base = Address{16} << 40;
inline constexpr Address window_bytes = Address{1} << 40;
// Distance between the shared memories of a cluster's blocks, in the cluster's space and in the
// generic window of shared memory. The memory of the block of rank r begins at r + 1 times this
// distance. Lower addresses belong to the warp's own block.
inline constexpr Address block_window_bytes = Address{1} << 24;
// Addresses of host-visible memory begin here, above the addresses of the emulated GPU's memory.
inline constexpr Address host_visible_base = Address{64} << 40;

/// Returns true for a generic address of global memory. Addresses below the windows are global too,
/// because the host's memory lies there if the system has addresses of 39 bits.
constexpr bool is_global(Address address) {
  return address - shared_window >= global_base - shared_window;
}

/// Returns true for a global address that may be of host-visible memory.
constexpr bool may_be_host_visible(Address address) {
  return address - shared_window >= host_visible_base - shared_window;
}

struct Block;
struct Worker;
struct Launch;
class Schedule;
struct Watch;
class LazyHostCode;
struct HostCount;

/// Uninitialised bytes, aligned to a cache line.
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

// A byte of shadow memory is the state of a byte of memory or of a register:
// - 0: the byte is defined
// - unwritten, copied or unset: the byte is entirely undefined
// - any other value is a mask of the byte's undefined bits, which were computed from undefined
//   bits. The mask is usually `computed`, which has all bits. After sums, logic, shifts and writes
//   of bit-fields it may have only some.
inline constexpr unsigned char unwritten = 0x55;  ///< never written
inline constexpr unsigned char copied = 0xaa;     ///< written with a copy of undefined bits
inline constexpr unsigned char unset = 0xad;      ///< a register that was never set
inline constexpr unsigned char computed = 0xff;

constexpr bool is_computed(unsigned char state) {
  return state != 0 && state != unwritten && state != copied && state != unset;
}
constexpr unsigned char undefined_bits(unsigned char state) {
  return state == 0 || is_computed(state) ? state : computed;
}
/// Returns the state of a byte with these undefined bits, which were computed from undefined bits.
/// If the mask equals unwritten, copied or unset, which mean something else, all bits count as
/// undefined.
constexpr unsigned char state_of_bits(unsigned char bits) {
  return bits == 0 || is_computed(bits) ? bits : computed;
}

struct AllocationView {
  Address begin = 1;
  Address end = 0;
  std::byte* host = nullptr;
  std::byte* shadow = nullptr;  ///< states of its bytes; null: all defined
};

/// Lanes of a warp at one place of the code.
struct Group {
  enum class State : std::uint8_t { ready, converging, barrier };
  std::uint32_t pc = 0;
  Mask mask = 0;
  State state = State::ready;
  bool yielded = false;       ///< has spun in vain; other groups run first
  std::uint32_t barrier = 0;  ///< barrier that a group in State::barrier waits at
  std::uint32_t depth = 0;    ///< number of calls at run time that have not returned
};

/// A call that lanes have made together, from one frame, and that some have not returned from.
struct Call {
  std::uint32_t site = 0;      ///< index into Code::call_sites
  std::uint32_t function = 0;  ///< index into Code::functions
  std::uint32_t return_to = 0;
  std::int32_t before = -1;      ///< the call that the lanes were in; -1: none
  std::uint32_t depth = 0;       ///< number of nested calls, including this one
  Mask lanes = 0;                ///< lanes that called
  Mask left = 0;                 ///< lanes that have not returned
  std::uint64_t base = 0;        ///< begin of the caller's frame
  std::uint64_t top = 0;         ///< the begin of free local memory before the call
  std::uint64_t taken = 0;       ///< bytes that this and outer calls have saved, per thread
  std::vector<std::byte> saved;  ///< values of the caller's registers for `lanes`
  std::vector<std::byte> saved_shadow;
};

/// Lanes that continue at one operation after a call or return.
struct Destination {
  std::uint32_t pc = 0;
  Mask lanes = 0;
};

/// The calls of a warp, and each lane's place in them.
struct CallStack {
  std::vector<Call> calls;
  std::vector<std::int32_t> unused;              ///< calls that all lanes have returned from
  std::array<std::int32_t, warp_lanes> current;  ///< index of the innermost call; -1: none
  std::array<std::uint64_t, warp_lanes> base;    ///< begin of the current frame in local memory
  std::array<std::uint64_t, warp_lanes> top;     ///< begin of free local memory
  /// Each lane's local memory has values of this block below this offset. The memory above it is
  /// not cleared yet (clear_local()).
  std::uint64_t cleared = 0;
  std::vector<Destination> destinations;  ///< destinations of the last call or return
};

/// A warp's last access that may have polled for another thread.
struct Poll {
  bool known = false;
  Space space = Space::generic;
  std::uint32_t operation = 0;
  Address address = 0;  ///< address of one lane
};

/// The value of a clock that a warp has read. While its worker holds the clocks (livelock.hpp), the
/// warp reads this value again.
struct HeldClock {
  std::uint64_t value = 0;
  std::uint64_t hold = 0;  ///< Worker::clock_hold when the clock was read
};

struct Warp {
  std::byte* registers = nullptr;
  const std::byte* constants = nullptr;
  std::byte* shadow = nullptr;  ///< shadow of the registers (shadow.hpp); null without Check::init
  std::uint32_t poisoned = 0;   ///< number of registers with an undefined lane
  Mask active = 0;              ///< lanes of the current operation
  Mask live = 0;                ///< lanes that have not exited
  bool whole = false;        ///< all live lanes are active; values of exited lanes are never read
  Mask carry = 0;            ///< CC.CF of each lane
  Mask cluster_arrived = 0;  ///< lanes that have arrived at the cluster's barrier in this phase
  Mask cluster_owes = 0;     ///< lanes that arrived at the cluster's barrier and must wait there
  std::uint32_t index = 0;   ///< index in its block
  Block* block = nullptr;
  Worker* worker = nullptr;
  std::vector<Group> groups;
  bool polled = false;  ///< has polled since the last backward branch
  int spins = 0;        ///< backward branches of polling loops since a group last yielded
  bool spun = false;    ///< in its last turn, all ready groups polled in vain
  bool looped = false;  ///< its last turn spun, or was of full length and ended in a loop
  bool wrote = false;   ///< has written memory since livelock.hpp last looked
  bool timed = false;   ///< has read a clock since livelock.hpp last looked
  std::array<HeldClock, 2> clocks{};  ///< clock of instructions, clock of the host
  std::uint64_t turn_ends = 0;        ///< value of `executed` at which the turn ends
  Poll poll;
  std::uint64_t polls = 0;           ///< number of accesses that may have polled
  std::uint64_t executed = 0;        ///< warp instructions
  std::uint64_t accesses = 0;        ///< accesses to global memory and textures, if counted
  HostCount* host_counts = nullptr;  ///< counts of each operation, if counted; see host_code.hpp

  /// Returns a lane's index in its block.
  std::uint32_t thread(int lane) const {
    return index * warp_lanes + static_cast<std::uint32_t>(lane);
  }
};

/// A texture that a worker reads.
struct BoundTexture {
  Texture texture;
  std::byte* texels = nullptr;  ///< null: the texture has none, or they were freed
  bool exists = false;
};

// Number of a cluster's barrier. The block's own barriers are 0 to 15.
inline constexpr std::uint32_t cluster_barrier = 16;
// Number of the first warpgroup's barrier. Warpgroup n of the block, from 0 to 7, adds n.
inline constexpr std::uint32_t first_warpgroup_barrier = 17;
inline constexpr std::uint32_t all_barriers = 25;

/// Blocks that run together, on one worker.
struct Cluster {
  std::vector<Block*> blocks;  ///< blocks by rank; null: the block has ended
  std::uint32_t live = 0;      ///< number of live threads
  std::uint32_t arrived = 0;   ///< number of threads at its barrier
  bool moved = false;          ///< a thread has made progress in this round
};

struct Block {
  std::shared_ptr<Cluster> cluster;
  std::uint32_t rank = 0;  ///< rank in the cluster
  bool is_stuck = false;   ///< no progress in this round; other blocks of its cluster may make some
  Dim3 index;
  std::uint64_t linear = 0;
  std::vector<Warp> warps;
  AlignedBytes registers;  ///< registers of all warps
  AlignedBytes specials;   ///< initial values of special registers: [warp][special][lane]
  AlignedBytes shared;
  AlignedBytes local;  ///< local memory of all threads, consecutively
  // Shadows of the registers, of shared and of local memory, for Check::init; else empty.
  AlignedBytes register_shadow;
  AlignedBytes shared_shadow;
  AlignedBytes local_shadow;
  std::vector<CallStack> stacks;  ///< stacks of all warps, if the code uses them
  std::uint32_t live = 0;         ///< number of live threads
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  ///< 0: all live threads
    std::uint32_t votes = 0;     ///< number of votes in a reduction
    std::uint32_t count_true = 0;
  };
  std::array<Barrier, all_barriers> barriers{};
  /// Threads that exited at one operation: the first one, and their number; only for Check::sync.
  struct Exit {
    std::uint32_t operation = 0;
    std::uint32_t thread = 0;
    std::uint32_t threads = 0;
  };
  std::vector<Exit> exits;
  std::uint32_t repeats = 0;  ///< rounds in which a warp has polled the same address again
  std::uint64_t state = 0;    ///< hash of registers and positions, when livelock.hpp last looked
  bool state_is_known = false;
};

/// A fault in a worker: its first place, and its count.
struct FaultRecord {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::uint64_t count = 0;
  std::string message;
  bool may_follow_from_race = false;  ///< another order of the threads might not show the fault
  bool is_known = false;              ///< known by LaunchOptions::is_known
};

// Number of faults, over all threads and accesses, that stops a launch; a GPU stops at the first.
inline constexpr std::uint64_t most_faults = std::uint64_t{1} << 20;

/// Depth to which kernels may launch kernels, as on a GPU.
inline constexpr int most_nested_launches = 24;

/// State of one CPU thread of a launch.
struct Worker {
  const Launch* launch = nullptr;
  const Code* code = nullptr;
  Device::State* device = nullptr;
  AllocationView last;  ///< allocation of the last global access
  /// A cache for quick accesses (host_code/): the allocation that an access found last, at the
  /// index of the access's site, modulo the size.
  std::array<AllocationView, 16> quick_views;
  std::map<std::pair<FaultKind, std::uint32_t>, FaultRecord> faults;  ///< by kind and operation
  std::map<std::uint64_t, std::string> printed;                       ///< text by block
  std::vector<std::shared_ptr<std::byte>> freed;  ///< freed by kernels; other workers may read it
  std::map<Address, DeviceWork> prepared;         ///< launches not queued yet, by parameter buffer
  std::map<std::uint64_t, std::vector<DeviceWork>> launched;  ///< launches by block
  /// Errors (cudaError_t) that threads have not read yet, by block and thread.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> launch_errors;
  std::map<std::uint64_t, BoundTexture> textures;  ///< read by its warps, by handle
  std::vector<std::uint8_t> modelled_executed;     ///< by operation; 1: inexact and executed
  std::shared_ptr<Schedule> schedule;              ///< only with Launch::order
  /// Value of Block::repeats at which a block counts as waiting for other blocks. A block that
  /// polls and then waits at a barrier, again and again, repeats a poll every round or two. If the
  /// block does not wait after all, another block begins early, which costs little. The number
  /// becomes 1 as soon as a block waits, because other blocks will wait too.
  std::uint32_t patience = 16;
  bool holds_clocks = false;     ///< see livelock.hpp
  std::uint64_t clock_hold = 0;  ///< incremented when the clocks are held, released or set ahead

  std::uint64_t frees = 0;  ///< value of Progress::frees when the AllocationViews were last valid

  /// Makes all workers forget where allocations are, after this worker has freed one.
  void forget_views();
  /// Forgets where allocations are if a worker has freed one. Called before a view is used.
  void look_at_frees();
};

/// State that the workers of a launch share and change.
struct Progress {
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> next_cluster = 0;
  std::atomic<std::uint64_t> executed = 0;  ///< warp instructions, updated now and then
  std::atomic<std::uint64_t> printed = 0;   ///< bytes that the kernel printed
  std::atomic<std::uint64_t> faults = 0;
  std::atomic<std::uint64_t> frees = 0;  ///< number of allocations freed by kernels
  std::atomic<std::uint64_t> still =
      0;  ///< number of workers whose blocks stand still, see livelock.cpp
  std::atomic<std::uint64_t> ended = 0;  ///< number of workers without blocks
  std::atomic<bool> livelock = false;
  std::atomic<std::uint64_t> clock_ahead = 0;  ///< added to all clocks
  std::atomic<std::uint64_t> clock_step = 0;   ///< last addition to clock_ahead; 0: none
  std::atomic<int> clock_holders = 0;          ///< number of workers that hold their clocks
};

/// State that the workers of a launch share; only its progress changes.
struct Launch {
  const Code* code = nullptr;
  Device::State* device = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint64_t shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t local_bytes = 0;  ///< local memory of a thread, with its stack
  Address grid_workspace = 0;     ///< workspace for a cooperative launch
  std::uint64_t heap_bytes = 0;   ///< limit of memory that kernels take by malloc
  int depth = 0;                  ///< 0: launched by the host
  std::vector<std::byte> parameters;
  AlignedBytes constants;  ///< the code's constants, with addresses filled in
  std::vector<rules::ComputeCapability> ccs;
  bool atomic = false;  ///< with several workers, global atomics must be atomic on the CPU
  std::uint64_t budget = 0;
  const std::atomic<bool>* interrupted = nullptr;
  Dim3 cluster{1, 1, 1};
  bool explicit_cluster = false;  ///< stated by the launch or the kernel
  std::uint64_t clusters = 0;     ///< number of clusters to run
  std::uint64_t workers = 1;
  Checks checks;
  std::function<bool(const std::string& kernel, const Fault& fault)> is_known;
  bool fidelity = false;
  std::optional<PaceModel> pace;
  unsigned order = 0;  ///< order of blocks and warps; 0: by index, others: see Schedule
  std::uint64_t order_seed = 0;
  Watch* watch = nullptr;  ///< the byte whose last writer is sought; null: none
  Progress* progress = nullptr;
  LazyHostCode* host_code = nullptr;  ///< null: the interpreter executes all
  /// Number of executed instructions after which machine code is made.
  std::uint64_t host_code_after = 0;

  std::uint64_t all_clusters() const { return grid.count() / cluster.count(); }

  /// Returns a cluster in the i-th of `clusters` equal parts of the grid. Its position in the part
  /// is pseudo-random, because a regular step would select the same column of blocks in every row.
  std::uint64_t sampled_cluster(std::uint64_t i, std::uint64_t all) const {
    const std::uint64_t part = all / clusters;
    const std::uint64_t rest = all % clusters;
    const std::uint64_t begin = i * part + i * rest / clusters;
    const std::uint64_t end = (i + 1) * part + (i + 1) * rest / clusters;
    // The final steps of a 64-bit hash.
    std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return begin + (mixed ^ (mixed >> 31)) % (end - begin);
  }

  /// Returns the cluster of the grid, usually one block, that runs as the `i`-th of `clusters`.
  std::uint64_t cluster_number(std::uint64_t i) const {
    const std::uint64_t all = all_clusters();
    if (clusters == all) return i;
    if (!pace) return sampled_cluster(i, all);
    // The sample consists of runs of neighbours, because neighbours share cached data. There are
    // several runs, because distant blocks may do other work. Each run is near the middle of its
    // part of the grid, so that blocks at the grid's ends are not over-represented. Equal distances
    // between the runs could select the same columns of each row, or blocks that read the same
    // data. Each run is therefore shifted by up to half a row. In a grid of a single row, the limit
    // is a quarter of the run's part.
    const std::uint64_t runs =
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(16, clusters / 8));
    const std::uint64_t run = i * runs / clusters;
    const double part = static_cast<double>(all - clusters) / static_cast<double>(runs);
    const double row = static_cast<double>(grid.x) / cluster.x;
    const double moves = grid.x < grid.count() ? std::min(part, row) : part / 2;
    constexpr double golden_ratio = 0.6180339887498949;
    const double place = std::fmod((static_cast<double>(run) + 0.5) * golden_ratio, 1.0);
    const double skipped = (static_cast<double>(run) + 0.5) * part + (place - 0.5) * moves;
    const std::uint64_t number = i + static_cast<std::uint64_t>(skipped);
    // The second half of a run is in the next row of the grid, below the first half, because such
    // neighbours share data too. This needs rows longer than a run, and runs that are far apart.
    const std::uint64_t first = (run * clusters + runs - 1) / runs;
    const std::uint64_t size = ((run + 1) * clusters + runs - 1) / runs - first;
    const bool has_rows = row < static_cast<double>(all) && row >= static_cast<double>(size) &&
                          part >= 3 * row + 2 * static_cast<double>(size);
    if (!has_rows || i - first < size / 2) return number;
    return number - size / 2 + static_cast<std::uint64_t>(row);
  }
};

inline void Worker::forget_views() {
  ++launch->progress->frees;
  look_at_frees();
}

inline void Worker::look_at_frees() {
  const std::uint64_t now = launch->progress->frees.load(std::memory_order_acquire);
  if (now == frees) return;
  frees = now;
  last = {};
  quick_views.fill({});
}

/// Converts the index of a thread in its block, or of a block in its grid, to coordinates.
inline Dim3 place_in(std::uint64_t number, Dim3 extent) {
  return {static_cast<std::uint32_t>(number % extent.x),
          static_cast<std::uint32_t>(number / extent.x % extent.y),
          static_cast<std::uint32_t>(number / extent.x / extent.y)};
}

}  // namespace warpwise::emulator
