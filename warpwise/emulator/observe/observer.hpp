#pragma once

// Internal to the emulator: what a check or a count sees of a running kernel.
//
// An observer is a class that derives from Observer and defines those of its hooks that it needs. A
// set of them, Observers<A, B>, is put together when the emulator is compiled: the scheduler and
// the handlers that access memory exist once for each set of observe/sets.hpp, and decoding a
// kernel picks the handlers of its launch's set. A hook that an observer leaves out is an empty
// function that the compiler removes; with the empty set nothing is left at all.
//
// Each worker (a thread of the CPU that runs blocks) has its own object of each observer, so that
// hooks need no locks. A block stays with its worker from begin to end.

#include <cstdint>
#include <tuple>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

enum class AccessKind : std::uint8_t { load, store, atomic };
/// As the text of a fault calls them.
constexpr auto enum_names(AccessKind) {
  return std::to_array<EnumName<AccessKind>>({{AccessKind::load, "read"},
                                              {AccessKind::store, "write"},
                                              {AccessKind::atomic, "atomic access"}});
}

/// Where the lanes of an access lie on the host: base + at[i] for the lanes of `valid`; the other
/// lanes have some valid lane's place, so that a load need not branch.
struct Resolved {
  std::byte* base = nullptr;
  alignas(64) std::uint64_t at[warp_lanes];
  Mask valid = 0;
  bool contiguous = false;  ///< all lanes valid, each right behind the one before
  bool steady = false;      ///< all lanes valid, their addresses going up by equal steps
  Block* owner = nullptr;   ///< of memory in Space::cluster
};

/// One access of a warp's lanes to one space of memory, which has taken place: what a store or an
/// atomic has written is in memory. Lanes whose access was a fault are not among `lanes`.
struct Access {
  Space space = Space::global;  ///< never generic, never cluster
  AccessKind kind = AccessKind::load;
  int bytes = 0;                             ///< of each lane
  const std::uint64_t* addresses = nullptr;  ///< of 32 lanes, in that space
  Mask lanes = 0;
  bool steady = false;              ///< all 32 lanes, their addresses going up by equal steps
  std::int32_t site = -1;           ///< in Code::sites; -1: of printf and assert, which have none
  const Resolved* place = nullptr;  ///< on the host; null for a kernel's own parameters
  Block* owner = nullptr;  ///< of shared memory: another one of the cluster, or the warp's own
  bool tells = false;      ///< as a strong operation that releases
  /// Not none: it takes place at some time before the end of what the operation starts.
  Asynchronous ends_by = Asynchronous::none;
  int starter = -1;  ///< the lane whose accesses they all are; -1: each lane's is its own

  /// The host's copy of the first byte of a lane.
  const std::byte* host(int lane) const { return place->base + place->at[lane]; }
};

/// One read through textures, or an access to surfaces, whose registers have not been written yet;
/// each lane has a handle and coordinates of its own. Lanes whose read was a fault are not among
/// `lanes`.
struct TextureRead {
  Mask lanes = 0;
  const std::uint64_t* handles = nullptr;  ///< of 32 lanes
  /// Of 32 lanes, the place of an access to a surface, null where it has none; null for textures.
  std::byte* const* places = nullptr;
};

/// A phase of an mbarrier.
struct MbarrierPhase {
  Block* owner = nullptr;  ///< in whose shared memory it is
  Address address = 0;     ///< there
  std::uint64_t parity = 0;
};

/// The hooks. Derived classes define them again with the same parameters.
struct Observer {
  explicit Observer(const Launch&) {}

  /// A block's warps are set up; they have all ended, or were stopped by a deadlock, a trap or the
  /// budget. A block that is resident when another worker stops the launch is not told to end.
  void begins(Block&) {}
  void ends(Block&) {}

  /// Lanes come to an operation that has a guard; executes() follows for those that it lets
  /// through.
  void guards(Warp&, const Operation&, Mask) {}
  /// A warp executes an operation for some lanes, which may be none; before its handler runs.
  void executes(Warp&, const Operation&, Mask) {}
  /// A branch sends a warp's lanes to different places.
  void diverges(Warp&, const Operation&) {}

  /// An access is about to take place; accesses() follows.
  void precedes(Warp&, const Operation&, const Access&) {}
  void accesses(Warp&, const Operation&, const Access&) {}
  void reads_texture(Warp&, const Operation&, const TextureRead&) {}

  /// Lanes execute an operation with a member mask (bar.warp.sync, shfl.sync, ...) together.
  void converges(Warp&, const Operation&, Mask) {}
  /// Lanes execute a fence for the whole device.
  void fences(Warp&) {}
  /// Lanes put into a group what they have started since their last one; they wait until all but
  /// their last `left` groups have ended, or have read what they copy.
  void commits(Warp&, Asynchronous, Mask) {}
  void awaits(Warp&, Asynchronous, Mask, std::uint32_t /*left*/, bool /*reads_only*/) {}
  /// What lanes have started ends before a phase of an mbarrier does; a lane has seen its end.
  void tracks(Warp&, Asynchronous, Mask, const MbarrierPhase&) {}
  void sees_end(Warp&, const MbarrierPhase&) {}
  /// Lanes come to a barrier of the block, at which they wait unless it is a bar.arrive.
  void arrives(Warp&, const Operation&, Mask, std::uint32_t) {}
  /// Lanes that waited at a barrier go on: of each warp in turn, when the last one has arrived.
  void passes(Warp&, Mask, std::uint32_t) {}
  /// Lanes exit: no barrier waits for them from now on.
  void leaves(Warp&, Mask) {}
  /// All lanes that waited at a barrier have been let go.
  void completes(Block&, std::uint32_t) {}

  /// Puts what the workers' observers found into the result, after the last block. `Own` is the
  /// derived class.
  template <class Own>
  static void collect(const Launch&, const std::vector<const Own*>&, LaunchResult&) {}
};

template <class Set>
struct ObservedWorker;

/// A set of observers, each of which sees everything, in this order.
template <class... Each>
class Observers {
 public:
  static constexpr bool any = sizeof...(Each) > 0;

  explicit Observers([[maybe_unused]] const Launch& launch) : each_(Each(launch)...) {}

  /// The observers of the worker that runs a warp.
  static Observers& of(const Warp& warp) { return of(*warp.worker); }
  static Observers& of(Worker& worker) {
    return static_cast<ObservedWorker<Observers>&>(worker).observers;
  }

  void begins([[maybe_unused]] Block& block) { (get<Each>().begins(block), ...); }
  void ends([[maybe_unused]] Block& block) { (get<Each>().ends(block), ...); }
  void executes([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                [[maybe_unused]] Mask lanes) {
    (get<Each>().executes(warp, op, lanes), ...);
  }
  void guards([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
              [[maybe_unused]] Mask lanes) {
    (get<Each>().guards(warp, op, lanes), ...);
  }
  void diverges([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op) {
    (get<Each>().diverges(warp, op), ...);
  }
  void precedes([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                [[maybe_unused]] const Access& access) {
    (get<Each>().precedes(warp, op, access), ...);
  }
  void accesses([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                [[maybe_unused]] const Access& access) {
    (get<Each>().accesses(warp, op, access), ...);
  }
  void reads_texture([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                     [[maybe_unused]] const TextureRead& read) {
    (get<Each>().reads_texture(warp, op, read), ...);
  }
  void converges([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
                 [[maybe_unused]] Mask lanes) {
    (get<Each>().converges(warp, op, lanes), ...);
  }
  void fences([[maybe_unused]] Warp& warp) { (get<Each>().fences(warp), ...); }
  void commits([[maybe_unused]] Warp& warp, [[maybe_unused]] Asynchronous what,
               [[maybe_unused]] Mask lanes) {
    (get<Each>().commits(warp, what, lanes), ...);
  }
  void awaits([[maybe_unused]] Warp& warp, [[maybe_unused]] Asynchronous what,
              [[maybe_unused]] Mask lanes, [[maybe_unused]] std::uint32_t left,
              [[maybe_unused]] bool reads_only) {
    (get<Each>().awaits(warp, what, lanes, left, reads_only), ...);
  }
  void tracks([[maybe_unused]] Warp& warp, [[maybe_unused]] Asynchronous what,
              [[maybe_unused]] Mask lanes, [[maybe_unused]] const MbarrierPhase& phase) {
    (get<Each>().tracks(warp, what, lanes, phase), ...);
  }
  void sees_end([[maybe_unused]] Warp& warp, [[maybe_unused]] const MbarrierPhase& phase) {
    (get<Each>().sees_end(warp, phase), ...);
  }
  void arrives([[maybe_unused]] Warp& warp, [[maybe_unused]] const Operation& op,
               [[maybe_unused]] Mask lanes, [[maybe_unused]] std::uint32_t barrier) {
    (get<Each>().arrives(warp, op, lanes, barrier), ...);
  }
  void passes([[maybe_unused]] Warp& warp, [[maybe_unused]] Mask lanes,
              [[maybe_unused]] std::uint32_t barrier) {
    (get<Each>().passes(warp, lanes, barrier), ...);
  }
  void leaves([[maybe_unused]] Warp& warp, [[maybe_unused]] Mask lanes) {
    (get<Each>().leaves(warp, lanes), ...);
  }
  void completes([[maybe_unused]] Block& block, [[maybe_unused]] std::uint32_t barrier) {
    (get<Each>().completes(block, barrier), ...);
  }

  static void collect([[maybe_unused]] const Launch& launch,
                      [[maybe_unused]] const std::vector<const Observers*>& workers,
                      [[maybe_unused]] LaunchResult& result) {
    (collect_one<Each>(launch, workers, result), ...);
  }

 private:
  template <class One>
  One& get() {
    return std::get<One>(each_);
  }

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
