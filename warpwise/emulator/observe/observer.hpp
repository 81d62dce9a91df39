#pragma once

// Internal to the emulator: the interface of checks and counts to a running kernel.
//
// An observer derives from Observer and defines the hooks that it needs. A set of them,
// Observers<A, B>, is composed at compile time: the scheduler and the handlers that access memory
// are compiled once for each set in observe/sets.hpp. Decoding a kernel picks the handlers of the
// launch's set. The compiler removes hooks that an observer does not define; with the empty set no
// hook is left.
//
// Each worker (a CPU thread that runs blocks) has its own observers, so hooks need no locks. A
// block stays with one worker from begin to end.

#include <cstdint>
#include <tuple>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

enum class AccessKind : std::uint8_t { load, store, atomic };
/// Returns the names in messages of faults.
constexpr auto enum_names(AccessKind) {
  return std::to_array<EnumName<AccessKind>>({{AccessKind::load, "read"},
                                              {AccessKind::store, "write"},
                                              {AccessKind::atomic, "atomic access"}});
}

/// Host addresses of an access: base + at[i] for the lanes of `valid`. Other lanes have the address
/// of a valid lane, so that a load needs no branch.
struct Resolved {
  std::byte* base = nullptr;
  alignas(64) std::uint64_t at[warp_lanes];
  Mask valid = 0;
  bool contiguous = false;  ///< all lanes valid, with adjacent addresses in order
  bool steady = false;      ///< all lanes valid, with equal steps between their addresses
  Block* owner = nullptr;   ///< owner of memory in Space::cluster
};

/// An access of a warp's lanes to one space of memory. When after_access() is called, the written
/// values are in memory. `lanes` excludes lanes whose access was a fault.
struct Access {
  Space space = Space::global;  ///< never generic, never cluster
  AccessKind kind = AccessKind::load;
  int bytes = 0;                             ///< bytes for each lane
  const std::uint64_t* addresses = nullptr;  ///< addresses of 32 lanes, in this space
  Mask lanes = 0;
  bool steady = false;              ///< true only for 32 lanes with equal steps between addresses
  std::int32_t site = -1;           ///< index in Code::sites; -1: a system function such as printf
  const Resolved* place = nullptr;  ///< host addresses; null for the kernel's parameters
  Block* owner = nullptr;           ///< owner of shared memory: a block of the warp's cluster
  bool releases = false;            ///< a strong operation that releases
  /// If set, the access takes place at some time before its asynchronous operation ends.
  Asynchronous ends_by = Asynchronous::none;
  int starter = -1;  ///< the lane that owns all accesses; -1: each lane owns its access
  /// Offset of these bytes in each lane's vector. Observers get a vector that is longer than
  /// longest_observed as two accesses.
  int part = 0;

  /// Returns the lanes that own the accesses.
  Mask owners() const { return starter >= 0 ? Mask{1} << starter : lanes; }
  /// Returns the host address of a lane's first byte.
  const std::byte* host(int lane) const { return place->base + place->at[lane]; }
};

/// A texture read or a surface access, before its registers are written. Each lane has a handle and
/// coordinates of its own. `lanes` excludes lanes whose read was a fault.
struct TextureRead {
  Mask lanes = 0;
  const std::uint64_t* handles = nullptr;  ///< handles of 32 lanes
  /// Host addresses of 32 lanes' surface accesses; a lane without an access has null. The whole
  /// array is null for a texture read.
  std::byte* const* places = nullptr;
  /// Addresses of 32 lanes' texels, as if the texture were a CUDA array. A lane that reads no
  /// memory has 0. The whole array is null for a surface, and if no observer follows texels.
  const Address* texels = nullptr;
  int texel_bytes = 0;  ///< texel size of the last lane's texture; others may differ
};

/// A phase of an mbarrier.
struct MbarrierPhase {
  Block* owner = nullptr;  ///< the block whose shared memory holds it
  Address address = 0;     ///< address in that shared memory
  std::uint64_t parity = 0;
};

/// Hooks without effect. Derived classes define those that they need, with the same parameters.
struct Observer {
  static constexpr bool follows_texels = false;  ///< needs TextureRead::texels

  explicit Observer(const Launch&) {}

  /// on_block_begin(): a block's warps are set up. on_block_end(): all warps have ended, or a
  /// deadlock, a trap or the budget has stopped them. A block that is resident when another worker
  /// stops the launch gets no on_block_end().
  void on_block_begin(Block&) {}
  void on_block_end(Block&) {}

  /// Lanes arrive at an operation with a guard. on_execute() follows for the lanes that the guard
  /// lets through.
  void on_guard(Warp&, const Operation&, Mask) {}
  /// A warp executes an operation for some lanes, possibly none; called before its handler.
  void on_execute(Warp&, const Operation&, Mask) {}
  /// A branch sends a warp's lanes to different places.
  void on_diverge(Warp&, const Operation&) {}

  /// before_access(): an access is about to take place. after_access(): it has taken place.
  void before_access(Warp&, const Operation&, const Access&) {}
  void after_access(Warp&, const Operation&, const Access&) {}
  void on_texture_read(Warp&, const Operation&, const TextureRead&) {}

  /// Lanes execute an operation with a member mask (bar.warp.sync, shfl.sync, ...) together.
  void on_converge(Warp&, const Operation&, Mask) {}
  /// Lanes execute a fence, for the whole device or only for their block.
  void on_fence(Warp&, bool /*for_device*/) {}
  /// on_group_commit(): lanes commit what they have started to a group. on_group_wait(): they wait
  /// until all but their last `left` groups have ended, or have finished reading.
  void on_group_commit(Warp&, Asynchronous, Mask) {}
  void on_group_wait(Warp&, Asynchronous, Mask, std::uint32_t /*left*/, bool /*reads_only*/) {}
  /// on_mbarrier_track(): a phase of an mbarrier now waits for the operations that lanes have
  /// started. on_mbarrier_end(): a lane has seen the phase's end.
  void on_mbarrier_track(Warp&, Asynchronous, Mask, const MbarrierPhase&) {}
  void on_mbarrier_end(Warp&, const MbarrierPhase&) {}
  /// Lanes arrive at a barrier of the block, its cluster or a warpgroup, and maybe wait there.
  void on_barrier_arrive(Warp&, const Operation&, Mask, std::uint32_t) {}
  /// Waiting lanes pass a barrier after the last lane has arrived; called for each warp in turn.
  void on_barrier_release(Warp&, Mask, std::uint32_t) {}
  /// Lanes exit; barriers no longer wait for them.
  void on_exit(Warp&, Mask) {}
  /// All lanes that waited at a barrier have passed it. For a cluster's barrier, the call comes
  /// before they pass, and for only one of the cluster's blocks.
  void on_barrier_complete(Block&, std::uint32_t) {}

  /// Collects the workers' findings into the result, after the last block.
  /// \tparam Own  the derived class
  template <class Own>
  static void collect(const Launch&, const std::vector<const Own*>&, LaunchResult&) {}
};

template <class Set>
struct ObservedWorker;

/// A set of observers. Each of them gets every call, in the order of the parameters.
template <class... Each>
class Observers {
 public:
  static constexpr bool any = sizeof...(Each) > 0;
  static constexpr bool follows_texels = (Each::follows_texels || ...);

  explicit Observers([[maybe_unused]] const Launch& launch) : each_(Each(launch)...) {}

  /// Returns the observers of the worker that runs a warp.
  static Observers& of(const Warp& warp) { return of(*warp.worker); }
  static Observers& of(Worker& worker) {
    return static_cast<ObservedWorker<Observers>&>(worker).observers;
  }

  void on_block_begin([[maybe_unused]] Block& block) { (get<Each>().on_block_begin(block), ...); }
  void on_block_end([[maybe_unused]] Block& block) { (get<Each>().on_block_end(block), ...); }
  void on_execute([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                  [[maybe_unused]] Mask lanes) {
    (get<Each>().on_execute(warp, op, lanes), ...);
  }
  void on_guard([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                [[maybe_unused]] Mask lanes) {
    (get<Each>().on_guard(warp, op, lanes), ...);
  }
  void on_diverge([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op) {
    (get<Each>().on_diverge(warp, op), ...);
  }
  void before_access([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                     [[maybe_unused]] const Access& access) {
    (get<Each>().before_access(warp, op, access), ...);
  }
  void after_access([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                    [[maybe_unused]] const Access& access) {
    (get<Each>().after_access(warp, op, access), ...);
  }
  void on_texture_read([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                       [[maybe_unused]] const TextureRead& read) {
    (get<Each>().on_texture_read(warp, op, read), ...);
  }
  void on_converge([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                   [[maybe_unused]] Mask lanes) {
    (get<Each>().on_converge(warp, op, lanes), ...);
  }
  void on_fence([[maybe_unused]] Warp& warp, [[maybe_unused]] bool for_device) {
    (get<Each>().on_fence(warp, for_device), ...);
  }
  void on_group_commit([[maybe_unused]] Warp& warp, [[maybe_unused]] Asynchronous what,
                       [[maybe_unused]] Mask lanes) {
    (get<Each>().on_group_commit(warp, what, lanes), ...);
  }
  void on_group_wait([[maybe_unused]] Warp& warp, [[maybe_unused]] Asynchronous what,
                     [[maybe_unused]] Mask lanes, [[maybe_unused]] std::uint32_t left,
                     [[maybe_unused]] bool reads_only) {
    (get<Each>().on_group_wait(warp, what, lanes, left, reads_only), ...);
  }
  void on_mbarrier_track([[maybe_unused]] Warp& warp, [[maybe_unused]] Asynchronous what,
                         [[maybe_unused]] Mask lanes, [[maybe_unused]] const MbarrierPhase& phase) {
    (get<Each>().on_mbarrier_track(warp, what, lanes, phase), ...);
  }
  void on_mbarrier_end([[maybe_unused]] Warp& warp, [[maybe_unused]] const MbarrierPhase& phase) {
    (get<Each>().on_mbarrier_end(warp, phase), ...);
  }
  void on_barrier_arrive([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                         [[maybe_unused]] Mask lanes, [[maybe_unused]] std::uint32_t barrier) {
    (get<Each>().on_barrier_arrive(warp, op, lanes, barrier), ...);
  }
  void on_barrier_release([[maybe_unused]] Warp& warp, [[maybe_unused]] Mask lanes,
                          [[maybe_unused]] std::uint32_t barrier) {
    (get<Each>().on_barrier_release(warp, lanes, barrier), ...);
  }
  void on_exit([[maybe_unused]] Warp& warp, [[maybe_unused]] Mask lanes) {
    (get<Each>().on_exit(warp, lanes), ...);
  }
  void on_barrier_complete([[maybe_unused]] Block& block, [[maybe_unused]] std::uint32_t barrier) {
    (get<Each>().on_barrier_complete(block, barrier), ...);
  }

  static void collect([[maybe_unused]] const Launch& launch,
                      [[maybe_unused]] const std::vector<const Observers*>& workers,
                      [[maybe_unused]] LaunchResult& result) {
    (collect_one<Each>(launch, workers, result), ...);
  }

  template <class One>
  One& get() {
    return std::get<One>(each_);
  }

 private:
  template <class One>
  static void collect_one(const Launch& launch, const std::vector<const Observers*>& workers,
                          LaunchResult& result) {
    std::vector<const One*> own;
    for (const Observers* worker : workers) own.push_back(&std::get<One>(worker->each_));
    One::collect(launch, own, result);
  }

  std::tuple<Each...> each_;
};

/// A worker and its observers.
template <class Set>
struct ObservedWorker : Worker {
  explicit ObservedWorker(const Launch& of) : observers(of) {}
  Set observers;
};

}  // namespace warpwise::emulator
