#pragma once

// Internal to the emulator: a check for races in shared and in global memory.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"
#include "warpwise/emulator/observe/pending_accesses.hpp"
#include "warpwise/emulator/observe/race_order.hpp"
#include "warpwise/emulator/observe/race_shadow.hpp"

namespace warpwise::emulator {

/// Reports two threads that touch the same byte of shared or global memory, at least one of them
/// with a write, where nothing orders the two accesses. A report is of the later access, in the
/// order in which the emulator ran them, and names the other one's thread and source line. A launch
/// that is checked runs on one thread of the CPU.
///
/// What orders accesses of a block: its barriers, between those that wait at one or arrive at it;
/// between lanes of a warp also every instruction with a member mask (__syncwarp, shuffles, votes).
/// Atomic, volatile, relaxed, acquiring and releasing accesses of any memory ("strong" ones) order
/// what comes before them in one warp with what comes behind them in another that accesses the same
/// place later, so that locks and flags work; they are not reported against each other.
///
/// What orders accesses of different blocks: a strong write of global memory that releases, or that
/// a fence for the whole device (__threadfence) comes before, in its warp or in one from which a
/// barrier or a strong access leads to it; and a strong read of the same place later. A strong
/// access or a fence for the block alone (atomicAdd_block, __threadfence_block) orders nothing
/// between blocks; two strong accesses of a place by different blocks, of which one is for its
/// block alone, are a fault of their own kind, `narrow_scope`. Blocks of a cluster are ordered by
/// its barrier too, unless they arrive there with .relaxed, and by mbarriers and strong accesses of
/// a block's shared memory.
///
/// An asynchronous copy takes place between its start and its end, so that nothing in between may
/// touch what it writes or write what it reads: not its thread either. Its end is ordered as
/// accesses of the thread that waits for its group, or of threads that see the phase of the
/// mbarrier end that tracks it. What a product by a warpgroup reads is likewise read until one of
/// its warps has waited for it.
///
/// Writes of the value that is there already are no race but `equal_writes`, reported if asked for.
///
/// What it does not report, so that what it reports is a race:
/// - lanes that write the same byte in one instruction: one of them wins, it is not told which;
/// - of several warps that have read a word of 4 bytes, or have written parts of it, races with all
///   but one of them; of lanes that do so in different parts of a word, races inside of their warp;
/// - lanes of one warp between which any of them has made a strong access, a fence or a call of a
///   converging instruction;
/// - a missing fence on the side that reads;
/// - races that another order of the warps would show, where a strong access happens to order them
///   in this one, and such as hide because some lanes of a warp passed a barrier without others;
/// - of several copies that read a word, a write before the last of them has ended; the source of a
///   copy from one block's shared memory to another one's;
/// - registers of a product before its end, and a missing fence.proxy.async;
/// - reads through textures.
///
/// Memory: 8 bytes for each word that is read, and 8 for each that is written, in pages of 4096
/// bytes: of shared memory until its block ends, of global memory until the launch does; 12 for
/// each time that warps reach; and 400 for each 32 pieces of copies that nobody has waited for.
/// When these are too many all that was is forgotten.
class Races : public Observer {
 public:
  explicit Races(const Launch& launch);
  Races(Races&&) noexcept;
  ~Races();

  void begins(Block& block);
  void ends(Block& block);
  void precedes(Warp& warp, const Operation& op, const Access& access);
  void accesses(Warp& warp, const Operation& op, const Access& access);
  void converges(Warp& warp, const Operation&, Mask);
  void fences(Warp& warp);
  void arrives(Warp& warp, const Operation&, Mask, std::uint32_t barrier);
  void passes(Warp& warp, Mask, std::uint32_t barrier);
  void completes(Block& block, std::uint32_t barrier);
  void leaves(Warp& warp, Mask);
  void commits(Warp& warp, Asynchronous what, Mask lanes);
  void awaits(Warp& warp, Asynchronous what, Mask lanes, std::uint32_t left, bool reads_only);
  void tracks(Warp& warp, Asynchronous what, Mask lanes, const MbarrierPhase& phase);
  void sees_end(Warp& warp, const MbarrierPhase& phase);

 private:
  struct History;
  struct Found;
  class Look;

  /// Whose epoch it is.
  struct Owner {
    // Some 400 MB of them. Only warps that spin for long reach so many times.
    static constexpr std::size_t most = std::size_t{1} << 25;
    /// Of what nobody has waited for: nothing comes behind it.
    static constexpr Time never = ~Time{0};
    std::uint32_t block = 0;
    Time time = 0;
    std::uint32_t warp = 0;
  };

  /// What those who have arrived at a cluster's barrier know: in this phase, in the last one.
  struct Meeting {
    KnownBlocks arriving;
    KnownBlocks met;
  };

  History& history_of(const Block& block);
  Epoch epoch_of(History& history, std::size_t warp);
  Epoch new_epoch(const History& history, Time time, std::size_t warp);
  void forget_all();
  void start(History& history, Warp& warp, const Operation& op, const Access& access);
  void end(const PendingAccess& access, Epoch epoch);
  void tell(Warp& warp, const Operation& op, const Access& access);
  std::string message(const Warp& warp, const Access& access, const Found& found) const;
  std::string described(Touch rival, bool reads, int byte, const Warp& warp, int lane) const;

  const Launch* launch_;
  bool is_on_;  ///< else only other checks of the set are asked for
  Shadow global_;
  ToldPlaces told_;
  std::vector<Owner> owners_;  ///< of each epoch, from the first on
  /// Of epochs in which a warp has seen others' copies end: who started them.
  std::unordered_map<Epoch, Owner> starters_;
  std::vector<Found> found_;                                              ///< by the access at hand
  std::unordered_map<const Block*, std::unique_ptr<History>> histories_;  ///< of resident blocks
  std::vector<std::unique_ptr<History>> unused_;
  std::unordered_map<const Cluster*, Meeting> meetings_;  ///< of clusters that have blocks
  const Block* last_block_ = nullptr;
  History* last_history_ = nullptr;
};

}  // namespace warpwise::emulator
