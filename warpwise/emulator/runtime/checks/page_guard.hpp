#pragma once

#include <map>
#include <vector>

#include "warpwise/emulator/memory_uses.hpp"
#include "warpwise/emulator/runtime/checks/page_signal.hpp"

namespace warpwise::emulator::runtime {

/// Protects pages that work in flight may still write or read. In flight means that the program has
/// not waited for it.
///
/// - The program's first touch of a page opens it.
/// - The next CUDA call, or the program's end, reports the touch as an `unsynchronised` fault if
///   the very byte belongs to such work.
///
/// Callers hold StreamOrder's lock.
class PageGuard {
 public:
  /// Allows protecting the whole pages in these bytes: they hold only the program's own data.
  void allow(Address begin, std::uint64_t bytes);
  /// Undoes allow() of this address.
  void disallow(Address begin);

  /// Opens all pages, before work runs.
  void lift();
  /// Protects pages that the finished work has touched, and renews the protection.
  void work_done(MemoryUses& uses);
  /// Updates each page's protection after the host has waited.
  void renew(MemoryUses& uses);

  /// Suspends the protection until close().
  void open();
  void close();

  /// Reports early touches. Called before work is added or becomes known to be done.
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
  std::map<Address, PageState> pages_;  ///< pages to protect, and how
  std::vector<Run> runs_;               ///< of neighbouring pages in one state
  bool runs_are_true_ = true;           ///< false: `pages_` has changed since
  bool is_lifted_ = true;
  int open_ = 0;
};
PageGuard& page_guard();

}  // namespace warpwise::emulator::runtime
