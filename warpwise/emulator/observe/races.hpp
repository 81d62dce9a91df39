#pragma once

// Internal to the emulator: a check for races in shared memory.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

/// Reports two threads of a block that touch the same byte of shared memory, at least one of them
/// with a write, where nothing orders the two accesses. A report is of the later access, in the
/// order in which the emulator ran them, and names the other one's thread and source line.
///
/// What orders accesses: barriers of the block, between those that wait at one or arrive at it;
/// between lanes of a warp also every instruction with a member mask (__syncwarp, shuffles, votes).
/// Atomic, volatile, relaxed, acquiring and releasing accesses of any memory order what comes
/// before them in one warp with what comes behind them in another that accesses the same place
/// later, so that locks and flags work; they are not reported against each other.
///
/// What it does not report, so that what it reports is a race:
/// - writes of the value that another thread has just written (a flag that all set);
/// - lanes that write the same byte in one instruction: one of them wins, it is not told which;
/// - of more than two warps that have read a byte, races of the reads between the first and the
/// last;
/// - lanes of one warp between which any of them has made an atomic or volatile access;
/// - races that another order of the warps would show, where an atomic happens to order them in
///   this one, and such as hide because some lanes of a warp passed a barrier without the others;
/// - global memory, the parts of a block cluster, and cp.async before its wait (it copies at once).
///
/// Memory: some 52 bytes for each byte of shared memory that a block touches, in pages of 256
/// bytes, until the block ends. A worker has one block at once unless blocks wait for each other.
class Races : public Observer {
 public:
  explicit Races(const Launch& launch);
  Races(Races&&) noexcept;
  ~Races();

  void begins(Block& block);
  void ends(Block& block);
  void accesses(Warp& warp, const Operation& op, const Access& access);
  void converges(Warp& warp, const Operation&, Mask);
  void arrives(Warp& warp, const Operation&, Mask, std::uint32_t barrier);
  void passes(Warp& warp, Mask, std::uint32_t barrier);
  void completes(Block& block, std::uint32_t barrier);
  void leaves(Warp& warp, Mask);

 private:
  struct Touch;
  struct History;

  History& history_of(const Block& block);
  void compare(const History& history, Warp& warp, const Operation& op, const Access& access) const;
  static void remember(History& history, Warp& warp, const Operation& op, const Access& access);
  std::string described(const Touch& rival, std::uint32_t thread) const;

  const Launch* launch_;
  std::unordered_map<const Block*, std::unique_ptr<History>> histories_;  ///< of resident blocks
  std::vector<std::unique_ptr<History>> unused_;
  const Block* last_block_ = nullptr;
  History* last_history_ = nullptr;
};

}  // namespace warpwise::emulator
