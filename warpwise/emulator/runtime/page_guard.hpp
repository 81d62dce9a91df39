#pragma once

#include <map>
#include <vector>

#include "warpwise/emulator/memory_uses.hpp"
#include "warpwise/emulator/runtime/page_signal.hpp"

namespace warpwise::emulator::runtime {

/// Keeps the program off pages that work which it has not waited for may still write or read: its
/// first touch of one opens it, and is reported when the program next calls CUDA, or ends, as a
/// fault of kind `unsynchronised` where the very byte is such work's. Whoever calls holds
/// StreamOrder's lock.
class PageGuard {
 public:
  /// What lies wholly in these bytes can be protected: nothing but the program's own data is there.
  void allow(Address begin, std::uint64_t bytes);
  /// Ends what allow() began at this address.
  void disallow(Address begin);

  /// Lets everybody at everything, before work is done.
  void lift();
  /// The work has been done: the pages that it touched are protected too.
  void work_done(MemoryUses& uses);
  /// The host has waited for something: protects each page as long as it has to be.
  void renew(MemoryUses& uses);

  /// From here to close() nothing is protected.
  void open();
  void close();

  /// Reports what was touched too early. Is asked before work is added or known to be done.
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
  std::map<Address, PageState> pages_;  ///< that have to be protected, with how
  std::vector<Run> runs_;               ///< of them
  bool runs_are_true_ = true;           ///< else `pages_` has changed
  bool is_lifted_ = true;
  int open_ = 0;
};
PageGuard& page_guard();

}  // namespace warpwise::emulator::runtime
