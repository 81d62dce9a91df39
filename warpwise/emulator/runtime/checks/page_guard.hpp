#pragma once

#include <map>
#include <vector>

#include "warpwise/emulator/memory_uses.hpp"
#include "warpwise/emulator/runtime/checks/page_signal.hpp"

namespace warpwise::emulator::runtime {

/// Protects pages that work in flight may still access. Work is in flight until the program has
/// waited for it.
///
/// - The program's first touch of a page opens it.
/// - The next CUDA call, or the program's end, reports an `unsynchronised` fault if work in flight
///   uses the touched byte.
///
/// Callers hold StreamOrder's lock.
class PageGuard {
 public:
  /// Allows protecting all whole pages among these bytes, which hold only the program's data.
  void allow(Address begin, std::uint64_t bytes);
  /// Reverts allow() of this address.
  void disallow(Address begin);

  /// Opens all pages, before work runs.
  void lift();
  /// Protects the pages that the finished work has touched, and renews the protection.
  void work_done(MemoryUses& uses);
  /// Updates every page's protection after a wait of the host.
  void renew(MemoryUses& uses);

  /// Suspends the protection until close().
  void open();
  void close();

  /// Reports early touches. Called before work is added, and before work counts as done.
  void report_touches(const MemoryUses& uses);

 private:
  struct Run {
    Address begin = 0;
    std::uint64_t bytes = 0;
    PageState state = PageState::open;
  };

  bool is_allowed(Address page) const;
  bool update(Address page, MemoryUses& uses);
  void protect();
  void find_runs();

  std::map<Address, std::uint64_t> allowed_;
  std::map<Address, PageState> pages_;  ///< pages to protect, with their state
  std::vector<Run> runs_;               ///< runs of neighbouring pages in one state
  bool runs_are_true_ = true;           ///< false if `pages_` has changed since `runs_` was made
  bool is_lifted_ = true;
  int open_ = 0;
};
PageGuard& page_guard();

}  // namespace warpwise::emulator::runtime
