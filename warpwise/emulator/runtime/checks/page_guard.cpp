#include "warpwise/emulator/runtime/checks/page_guard.hpp"

#include <cstdio>
#include <iterator>
#include <string>

#include "warpwise/emulator/device_checks.hpp"
#include "warpwise/emulator/runtime/checks/allocations.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

namespace warpwise::emulator::runtime {
namespace {

// Limit of runs of neighbouring protected pages. Each run splits one mapping into up to three, and
// a process may have 65530 mappings. Each run also costs two system calls for each piece of work.
constexpr std::size_t most_runs = 512;
// Limit of protected pages: 64 MiB. Protecting that much takes some milliseconds a call.
constexpr std::size_t most_protected = 16384;

void say_once(const char* text) {
  static bool is_said = false;
  if (!is_said) std::fprintf(stderr, "warpwise: %s\n", text);
  is_said = true;
}

}  // namespace

PageGuard& page_guard() {
  static PageGuard& instance = *new PageGuard;
  return instance;
}

void PageGuard::allow(Address begin, std::uint64_t bytes) {
  if (can_watch(begin, bytes))
    allowed_[begin] = bytes;
  else if (!can_watch_pages())
    say_once("accesses without synchronisation are not checked: pages cannot be protected");
}

void PageGuard::disallow(Address begin) {
  const auto found = allowed_.find(begin);
  if (found == allowed_.end()) return;
  const std::uint64_t bytes = found->second;
  const bool was_lifted = is_lifted_;
  lift();
  const auto first = pages_.lower_bound(begin);
  const auto end = pages_.lower_bound(begin + bytes);
  if (first != end) runs_are_true_ = false;
  pages_.erase(first, end);
  set_pages(begin, bytes, PageState::unknown);
  allowed_.erase(found);
  if (!was_lifted) protect();
}

bool PageGuard::is_allowed(Address page) const {
  const auto after = allowed_.upper_bound(page);
  if (after == allowed_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return page + MemoryUses::page_bytes <= begin + bytes;
}

void PageGuard::lift() {
  if (is_lifted_) return;
  for (const Run& run : runs_) set_pages(run.begin, run.bytes, PageState::open);
  is_lifted_ = true;
}

void PageGuard::find_runs() {
  runs_.clear();
  runs_are_true_ = true;
  std::size_t protected_pages = 0;
  for (const auto& [page, state] : pages_) {
    const bool goes_on = !runs_.empty() && runs_.back().state == state &&
                         runs_.back().begin + runs_.back().bytes == page;
    if (protected_pages++ == most_protected || (!goes_on && runs_.size() == most_runs))
      return say_once(
          "some accesses without synchronisation are not checked: work touches more pages than can "
          "be protected");
    if (goes_on)
      runs_.back().bytes += MemoryUses::page_bytes;
    else
      runs_.push_back({page, MemoryUses::page_bytes, state});
  }
}

void PageGuard::protect() {
  if (!runs_are_true_) find_runs();
  if (runs_.empty()) return stop_handling();
  if (open_ > 0) return;
  if (!start_handling())
    return say_once(
        "accesses without synchronisation are not checked: the program has too many handlers of "
        "SIGSEGV");
  is_lifted_ = false;
  for (const Run& run : runs_) {
    if (set_pages(run.begin, run.bytes, run.state)) continue;
    set_pages(run.begin, run.bytes, PageState::open);
    say_once("some accesses without synchronisation are not checked: a page cannot be protected");
  }
}

/// Updates a page's protection. Returns true if it has changed.
bool PageGuard::update(Address page, MemoryUses& uses) {
  const MemoryUses::Pending pending = uses.pending(page);
  const auto found = pages_.find(page);
  if ((!pending.writes && !pending.reads) || pending.is_shared) {
    if (found == pages_.end()) return false;
    pages_.erase(found);
    return true;
  }
  const PageState state = pending.writes ? PageState::closed : PageState::read_only;
  if (found != pages_.end() && found->second == state) return false;
  pages_[page] = state;
  return true;
}

void PageGuard::work_done(MemoryUses& uses) {
  for (const Address page : uses.visible_pages()) {
    if (is_allowed(page) && update(page, uses)) runs_are_true_ = false;
  }
  protect();
}

void PageGuard::renew(MemoryUses& uses) {
  if (pages_.empty()) return;
  lift();
  for (auto each = pages_.begin(); each != pages_.end();) {
    const Address page = (each++)->first;
    if (update(page, uses)) runs_are_true_ = false;
  }
  protect();
}

void PageGuard::open() {
  lift();
  open_ += 1;
}

void PageGuard::close() {
  open_ -= 1;
  protect();
}

void PageGuard::report_touches(const MemoryUses& uses) {
  for (const HostTouch& touch : take_touches()) {
    const std::string wrong = uses.host_conflict(touch.address, touch.writes);
    if (wrong.empty()) continue;
    const CallSite site = CallSite::of_signal(touch.program_counter, touch.stack);
    // Skips accesses by a CUDA call to memory that the program passed to the call, because the
    // program itself does not make these accesses.
    if (site.is_in_library()) continue;
    note_host_fault(FaultKind::unsynchronised, site,
                    with_origins(std::string(touch.writes ? "writes " : "reads ") +
                                 described(emulated().device, touch.address) + ", which " + wrong +
                                 ": nothing has waited for that"));
  }
}

}  // namespace warpwise::emulator::runtime
