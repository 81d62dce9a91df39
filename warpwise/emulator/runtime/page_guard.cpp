#include "warpwise/emulator/runtime/page_guard.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <iterator>
#include <string>

#include "warpwise/emulator/device_checks.hpp"
#include "warpwise/emulator/runtime/allocations.hpp"
#include "warpwise/emulator/runtime/registry.hpp"
#include "warpwise/emulator/runtime/reports.hpp"
#include "warpwise/emulator/runtime/stream_order.hpp"

namespace warpwise::emulator::runtime {
namespace {

constexpr std::uint64_t page_bytes = MemoryUses::page_bytes;
constexpr int open_to_all = PROT_READ | PROT_WRITE;

struct sigaction program_handler{};
bool is_handling = false;

/// Whether the instruction that was stopped writes; taken for a read where the CPU does not tell.
bool writes(const ucontext_t& context) {
#if defined(__x86_64__)
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  static_cast<void>(context);
  return false;
#endif
}

const void* program_counter(const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((program_handler.sa_flags & SA_SIGINFO) != 0)
    return program_handler.sa_sigaction(signal, info, context);
  if (program_handler.sa_handler != SIG_DFL && program_handler.sa_handler != SIG_IGN)
    return program_handler.sa_handler(signal);
  // The instruction comes again, to what there was before.
  ::sigaction(SIGSEGV, &program_handler, nullptr);
  is_handling = false;
}

void handle(int signal, siginfo_t* info, void* context) {
  const auto& interrupted = *static_cast<const ucontext_t*>(context);
  if (!stream_order()->host_touches(reinterpret_cast<Address>(info->si_addr), writes(interrupted),
                                    program_counter(interrupted)))
    pass_on(signal, info, context);
}

/// The program may have set another handler meanwhile, which ours goes before.
void start_handling() {
  struct sigaction now{};
  ::sigaction(SIGSEGV, nullptr, &now);
  if (is_handling && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle) return;
  program_handler = now;
  struct sigaction own{};
  own.sa_sigaction = handle;
  own.sa_flags = SA_SIGINFO | SA_NODEFER | (now.sa_flags & SA_ONSTACK);
  ::sigemptyset(&own.sa_mask);
  is_handling = ::sigaction(SIGSEGV, &own, nullptr) == 0;
}

void stop_handling() {
  if (!is_handling) return;
  struct sigaction now{};
  ::sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle)
    ::sigaction(SIGSEGV, &program_handler, nullptr);
  is_handling = false;
}

}  // namespace

PageGuard& page_guard() {
  static PageGuard& instance = *new PageGuard;
  return instance;
}

void PageGuard::allow(Address begin, std::uint64_t bytes) { allowed_[begin] = bytes; }

void PageGuard::disallow(Address begin) {
  const auto found = allowed_.find(begin);
  if (found == allowed_.end()) return;
  for (auto each = pages_.lower_bound(begin);
       each != pages_.end() && each->first < begin + found->second;) {
    protect(each->first, open_to_all);
    each = pages_.erase(each);
  }
  allowed_.erase(found);
}

bool PageGuard::is_allowed(Address page) const {
  const auto after = allowed_.upper_bound(page);
  if (after == allowed_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return page + page_bytes <= begin + bytes;
}

void PageGuard::protect(Address page, int protection) {
  int& now = pages_.at(page);
  if (now == protection) return;
  now = protection;
  ::mprotect(reinterpret_cast<void*>(page), page_bytes, protection);
}

void PageGuard::lift() {
  for (const auto& [page, protection] : pages_) protect(page, open_to_all);
}

void PageGuard::add(Address page) {
  if (is_allowed(page)) pages_.try_emplace(page, open_to_all);
}

void PageGuard::renew(MemoryUses& uses) {
  bool is_any = false;
  for (auto each = pages_.begin(); each != pages_.end();) {
    const MemoryUses::Pending pending = uses.pending(each->first);
    if (!pending.writes && !pending.reads) {
      protect(each->first, open_to_all);
      each = pages_.erase(each);
      continue;
    }
    if (!is_any) start_handling();
    is_any = true;
    protect(each->first, pending.writes ? PROT_NONE : PROT_READ);
    ++each;
  }
  if (!is_any) stop_handling();
}

bool PageGuard::meets(Address address, MemoryUses& uses, bool writes, const void* program_counter) {
  const auto page = pages_.find(address / page_bytes * page_bytes);
  if (page == pages_.end()) return false;
  // Another thread may have been here before this one's turn.
  protect(page->first, open_to_all);
  const std::string wrong = uses.host_conflict(address, writes);
  const CallSite site = CallSite::of_signal(program_counter);
  // What the program gives a call to look at is no touch of its own.
  if (wrong.empty() || site.is_in_library()) return true;
  note_host_fault(FaultKind::unsynchronised, site,
                  with_origins(std::string(writes ? "writes " : "reads ") +
                               described(emulated().device, address) + ", which " + wrong +
                               ": nothing has waited for that"));
  return true;
}

}  // namespace warpwise::emulator::runtime
