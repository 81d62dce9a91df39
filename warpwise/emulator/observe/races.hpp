#pragma once

// Internal to the emulator: a check for races in shared and global memory.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"
#include "warpwise/emulator/observe/pending_accesses.hpp"
#include "warpwise/emulator/observe/race_order.hpp"
#include "warpwise/emulator/observe/race_sections.hpp"
#include "warpwise/emulator/observe/race_shadow.hpp"

namespace warpwise::emulator {

/// Reports unordered accesses of two threads to the same byte of shared or global memory, if at
/// least one of them writes. A report is made for the access that the emulator ran later. It names
/// the thread and source line of the earlier access. A checked launch runs on one CPU thread.
///
/// Order within a block:
///
/// - A barrier orders the threads that wait at it or arrive at it. A barrier of all threads also
///   orders the accesses of exited threads before what follows the barrier.
/// - __syncwarp orders the lanes of its mask. Shuffles, votes and accesses of matrices do not.
/// - Atomic, volatile, relaxed, acquiring and releasing accesses of any memory are strong. A strong
///   access orders everything before it in its lane with everything in a lane after a later strong
///   access of the same place. This makes locks and flags work. Strong accesses are not reported
///   against each other.
/// - Volatile accesses of shared memory by which lanes of a warp exchange data are faults of their
///   own kind, `lockstep`, if nothing orders them.
///
/// Order between blocks needs a strong write of global memory, and later a strong read of the same
/// place:
///
/// - The write must release, or follow a fence for the whole device (__threadfence). The fence may
///   be in its lane, or in another one that a barrier or a strong access orders before it.
/// - A strong access or a fence only for the block (atomicAdd_block, __threadfence_block) orders
///   nothing between blocks. If two blocks access a place strongly and one does so only for its
///   block, that is a fault of its own kind, `narrow_scope`.
/// - The barrier of a cluster also orders its blocks, unless they arrive with .relaxed. Mbarriers
///   and strong accesses in a block's shared memory order them too.
///
/// An asynchronous copy runs at some time between its start and its end. Until then no thread may
/// touch its destination or write its source, not even its own thread. Its end is ordered like an
/// access of the thread that waits for its group. If an mbarrier tracks it, its end is ordered like
/// accesses of the threads that see the end of the mbarrier's phase. Likewise a warpgroup's product
/// reads its operands until one of its warps has waited for it.
///
/// Writing the value that is already there is not reported as a race, but as `equal_writes` if that
/// check is on.
///
/// With Check::strict:
///
/// - volatile accesses are not strong
/// - inside a block, too, a strong access orders earlier accesses of its lane only if it releases,
///   or if the lane has executed a fence after them
/// - a fence belongs after the compare-and-swap that takes a lock (race_sections.hpp)
///
/// These are not reported, because some of them would be false reports:
///
/// - lanes that write the same byte in one instruction: one of them wins, an undefined one
/// - some races on a 4-byte word that several warps have read, or whose parts several warps have
///   written. The check remembers one read and one write of each word
/// - races inside a warp whose lanes have read or written different parts of one word
/// - some races with a warp whose lanes read one word together, if two of its lanes have released
///   since. The check does not remember which lanes have read the word
/// - some races after strong accesses that several lanes execute together
/// - a strong read by one lane of a warp, and a later ordinary write by another, if lanes of the
///   warp have met in between by a shuffle or vote
/// - a missing fence on the reading side. Check::strict finds one that is missing after a
///   compare-and-swap, if several threads take the lock
/// - a missing fence inside a block, unless Check::strict is on
/// - races that only another order of the warps would show: a strong access happened to order them
///   here, or some lanes of a warp passed a barrier without the others
/// - a write to a word that several copies read, before the last of the copies has ended
/// - the source of a copy between the shared memories of two blocks
/// - accesses to the registers of a warpgroup's product before its end
/// - a missing fence.proxy.async
/// - reads through textures
///
/// Memory that the check takes:
///
/// - for each page of 4096 bytes: 8 bytes for each word if any word is read, and 8 if any word is
///   written. All are kept until the launch ends; a later block reuses those of shared memory
/// - 12 bytes for each epoch. An epoch is the span between two synchronisations of a warp
/// - 464 bytes for up to 32 address ranges of an unfinished copy
///
/// When 2^25 epochs are recorded, the check discards its whole history.
class Races : public Observer {
 public:
  explicit Races(const Launch& launch);
  Races(Races&&) noexcept;
  ~Races();

  void on_block_begin(Block& block);
  void on_block_end(Block& block);
  void before_access(Warp& warp, const Operation& op, const Access& access);
  void after_access(Warp& warp, const Operation& op, const Access& access);
  /// Largest access of a lane that passes() accepts, in bytes.
  static constexpr std::size_t most_passing_bytes = 8;
  /// Fast path for a load or store that is not strong, by 32 lanes with adjacent addresses. It
  /// replaces before_access(). Returns false, and records nothing, if there is something to report,
  /// or if only before_access() can handle the access.
  /// \param first  address of lane 0
  bool passes(Warp& warp, const Operation& op, Space space, AccessKind kind, std::uint64_t first,
              std::size_t bytes);
  /// Replaces after_access() for an access of global memory for which passes() has returned true.
  void after_passing(Warp& warp, const Operation& op, AccessKind kind, Address first,
                     std::size_t bytes);
  static constexpr std::size_t most_repeated = 4;  ///< limit of on_repeated_loads()'s accesses
  /// A load whose addresses are those of an entry of `accesses`, plus a distance.
  struct RepeatedLoad {
    const Operation* op = nullptr;
    std::size_t access = 0;      ///< index of the entry
    std::uint64_t distance = 0;  ///< bytes to be added to the entry's addresses
  };
  /// Fast path for a sequence of loads from shared memory by all lanes. It replaces before_access()
  /// and after_access(). Loads that differ only in their offset share one entry of `accesses`. It
  /// must not be used with Check::strict.
  void on_repeated_loads(Warp& warp, std::span<const Access> accesses,
                         std::span<const RepeatedLoad> loads);
  void on_converge(Warp& warp, const Operation&, Mask);
  void on_fence(Warp& warp, bool for_device);
  void on_barrier_arrive(Warp& warp, const Operation&, Mask, std::uint32_t barrier);
  void on_barrier_release(Warp& warp, Mask, std::uint32_t barrier);
  void on_barrier_complete(Block& block, std::uint32_t barrier);
  void on_exit(Warp& warp, Mask);
  void on_group_commit(Warp& warp, Asynchronous what, Mask lanes);
  void on_group_wait(Warp& warp, Asynchronous what, Mask lanes, std::uint32_t left,
                     bool reads_only);
  void on_mbarrier_track(Warp& warp, Asynchronous what, Mask lanes, const MbarrierPhase& phase);
  void on_mbarrier_end(Warp& warp, const MbarrierPhase& phase);

  bool is_on() const { return is_on_; }
  bool is_strict() const { return is_strict_; }

 private:
  struct History;
  struct Found;
  class Decision;

  /// The block, time and warp of an epoch.
  struct Owner {
    // Limit of epochs, whose owners then take about 400 MB. Only warps that spin for long reach it.
    static constexpr std::size_t most = std::size_t{1} << 25;
    /// Time of a copy or product that has not ended. No clock reaches this time, so no access is
    /// ordered after it.
    static constexpr Time never = ~Time{0};
    std::uint32_t block = 0;
    Time time = 0;
    std::uint32_t warp = 0;
  };

  /// Clocks of a cluster's barrier: the accesses that it orders before what follows it.
  struct Meeting {
    BlockClocks arriving;  ///< accesses before the arrivals so far
    BlockClocks met;       ///< accesses before the arrivals of the last completed phase
  };

  /// How an earlier epoch is ordered with the current access.
  struct Before {
    Mask are = 0;              ///< lanes whose accesses in the epoch precede the current access
    bool of_own_warp = false;  ///< true: an epoch of the same warp, not of its unfinished copies
    bool met = false;          ///< true: the warp is the same, and has had a shuffle or vote since
  };
  /// A cache of the order of recent epochs. It is cleared before the order of accesses may change.
  struct Verdicts {
    const Past* past = nullptr;  ///< the past that the entries are for; null: none is valid
    std::array<Epoch, 16> epochs{};
    std::array<Before, 16> before;  ///< the order of each of `epochs`
  };

  History& history_of(const Block& block);
  /// Returns a block's history, for a change to the order of accesses. Clears the cache of that
  /// order.
  History& changing_history_of(const Block& block) {
    verdicts_.past = nullptr;
    return history_of(block);
  }
  /// Returns true if an access orders others.
  bool is_strong(const Operation& op) const { return op.strong && !(is_strict_ && op.is_volatile); }
  bool carries_data(std::uint32_t operation);
  Epoch epoch_of(History& history, std::size_t warp);
  Epoch new_epoch(const History& history, Time time, std::size_t warp);
  void forget_all();
  void start(History& history, Warp& warp, const Operation& op, const Access& access);
  void end(const PendingAccess& access, Epoch epoch);
  void drop_flags();
  void look_in_sections(Warp& warp, const Operation& op, const Access& access);
  void note_sections(const Warp& warp, const Operation& op, const Access& access);
  void tell(Warp& warp, const Operation& op, const Access& access);
  std::string message(const Warp& warp, const Access& access, const Found& found) const;
  std::string described(Touch rival, bool reads, int byte, const Warp& warp, int lane) const;

  const Launch* launch_;
  bool is_on_;  ///< false: the launch asks only for other checks of the set
  bool is_strict_;
  std::unordered_map<std::uint32_t, bool> carrying_;  ///< results of carries_data()
  Shadow global_;
  ToldPlaces told_;
  CriticalSections sections_;  ///< used only with Check::strict
  std::vector<Owner> owners_;  ///< indexed by epoch
  Verdicts verdicts_;
  /// Warps that started copies whose end a warp has seen at an mbarrier. The key is the epoch in
  /// which the end was seen. Reports name the warp that started the copy.
  std::unordered_map<Epoch, Owner> starters_;
  std::vector<Found> found_;                                              ///< of the current access
  std::unordered_map<const Block*, std::unique_ptr<History>> histories_;  ///< of resident blocks
  std::vector<std::unique_ptr<History>> unused_;
  std::unordered_map<const Cluster*, Meeting> meetings_;  ///< of clusters with resident blocks
  const Block* last_block_ = nullptr;
  History* last_history_ = nullptr;
};

}  // namespace warpwise::emulator
