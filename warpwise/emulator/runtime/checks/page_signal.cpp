#include "warpwise/emulator/runtime/checks/page_signal.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/memory_uses.hpp"

namespace warpwise::emulator::runtime {
namespace {

// ---- one byte for each page, for handlers to read without a lock

using State = std::atomic<PageState>;
static_assert(sizeof(State) == 1 && State::is_always_lock_free);

// Upper end of a program's address space.
#if defined(__x86_64__)
constexpr Address end_of_addresses = Address{1} << 47;
#else
constexpr Address end_of_addresses = Address{1} << 48;
#endif
constexpr std::size_t most_pages = (end_of_addresses - host_visible_base) / MemoryUses::page_bytes;

State* states_of_all() {
  static State* const states = []() -> State* {
    if (::sysconf(_SC_PAGESIZE) != static_cast<long>(MemoryUses::page_bytes)) return nullptr;
    // The mapping takes physical memory only for pages that are written.
    void* const mapped = ::mmap(nullptr, most_pages, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    ::madvise(mapped, most_pages, MADV_NOHUGEPAGE);
    ::madvise(mapped, most_pages, MADV_DONTDUMP);
    return static_cast<State*>(mapped);
  }();
  return states;
}

// The table of states_of_all(), for handlers. They must not call that function, because they could
// wait there for the initialisation of a static variable.
std::atomic<State*> all_states = nullptr;

// ---- touches recorded by handlers

struct Slot {
  enum class State : std::uint8_t { free, being_written, full };
  std::atomic<State> state = State::free;
  std::uint64_t number = 0;
  HostTouch touch;
};
std::array<Slot, 1024> slots;
std::atomic<std::uint64_t> touches = 0;

// Copies memory through the system, which returns an error for unreadable memory instead of a
// signal.
void read_memory(const void* from, void* to, std::size_t bytes) {
  const iovec there{const_cast<void*>(from), bytes};
  const iovec here{to, bytes};
  [[maybe_unused]] const ssize_t read = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0);
}

void note(Address address, const ucontext_t& context) {
  for (Slot& slot : slots) {
    Slot::State expected = Slot::State::free;
    if (!slot.state.compare_exchange_strong(expected, Slot::State::being_written)) continue;
    HostTouch& touch = slot.touch;
    touch.address = address;
    touch.writes = false;
    touch.program_counter = nullptr;
    touch.stack.fill(nullptr);
    const auto& machine = context.uc_mcontext;
#if defined(__x86_64__)
    touch.writes = (machine.gregs[REG_ERR] & 2) != 0;
    touch.program_counter = reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
    read_memory(reinterpret_cast<const void*>(machine.gregs[REG_RSP]), touch.stack.data(),
                sizeof(touch.stack));
#elif defined(__aarch64__)
    // Counts as a read, because the position of the write bit in the CPU's report varies.
    touch.program_counter = reinterpret_cast<const void*>(machine.pc);
    touch.stack[0] = reinterpret_cast<const void*>(machine.regs[30]);
    read_memory(reinterpret_cast<const void*>(machine.sp), &touch.stack[1],
                sizeof(touch.stack) - sizeof(touch.stack[0]));
#else
    static_cast<void>(machine);
#endif
    slot.number = touches.fetch_add(1);
    slot.state = Slot::State::full;
    return;
  }
}

// ---- handlers

// Returns true if an access to an open page keeps failing. The page may have been opened after the
// signal, so the access is tried again up to a thousand times.
bool comes_again(Address address) {
  static std::atomic<Address> last = 0;
  static std::atomic<int> count = 0;
  if (last.exchange(address) != address) count = 0;
  return ++count > 1000;
}

/// Opens the guarded page that an access has met, and notes the access. Returns false if the page
/// is not guarded, or if the access fails though the page is open.
bool meets(Address address, const ucontext_t& context) {
  State* const states = all_states;
  if (states == nullptr || address < host_visible_base || address >= end_of_addresses) return false;
  State& state = states[(address - host_visible_base) / MemoryUses::page_bytes];
  PageState was = state;
  if (was == PageState::unknown) return false;
  if (was == PageState::open && comes_again(address)) return false;
  if (!state.compare_exchange_strong(was, PageState::open)) return true;  // the access is repeated
  void* const page =
      reinterpret_cast<void*>(address / MemoryUses::page_bytes * MemoryUses::page_bytes);
  if (::mprotect(page, MemoryUses::page_bytes, PROT_READ | PROT_WRITE) != 0) return false;
  if (was != PageState::open) note(address, context);
  return true;
}

void pass_on(const struct sigaction& to, int signal, siginfo_t* info, void* context) {
  if ((to.sa_flags & SA_SIGINFO) != 0) return to.sa_sigaction(signal, info, context);
  if (to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN) return to.sa_handler(signal);
  const bool is_sent = info->si_code <= 0;
  if (is_sent && to.sa_handler == SIG_IGN) return;
  // Restores the earlier handler and repeats the instruction, whose signal then reaches it.
  ::sigaction(SIGSEGV, &to, nullptr);
  if (is_sent) ::raise(signal);
}

// below[i] is the handler that handlers[i] replaced, and that gets the signals of other pages. The
// program may install its own handler above ours, and pass signals that it does not know to ours.
// The next of our functions is then installed above the program's handler. If one function were
// installed twice, it and the program's handler would pass a signal to each other forever.
constexpr std::size_t most_handlers = 8;
std::array<struct sigaction, most_handlers> below;
std::size_t handlers_used = 0;

template <std::size_t number>
void handle(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_ours = info->si_code > 0 && meets(reinterpret_cast<Address>(info->si_addr),
                                                  *static_cast<const ucontext_t*>(context));
  errno = error;
  if (!is_ours) pass_on(below[number], signal, info, context);
}

using Handler = void (*)(int, siginfo_t*, void*);
constexpr std::array<Handler, most_handlers> handlers =
    []<std::size_t... number>(std::index_sequence<number...>) {
      return std::array<Handler, most_handlers>{handle<number>...};
    }(std::make_index_sequence<most_handlers>());

std::size_t number_of(const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) == 0) return most_handlers;
  return static_cast<std::size_t>(std::find(handlers.begin(), handlers.end(), action.sa_sigaction) -
                                  handlers.begin());
}

bool are_same(const struct sigaction& a, const struct sigaction& b) {
  if (a.sa_flags != b.sa_flags) return false;
  return (a.sa_flags & SA_SIGINFO) != 0 ? a.sa_sigaction == b.sa_sigaction
                                        : a.sa_handler == b.sa_handler;
}

}  // namespace

bool can_watch_pages() { return states_of_all() != nullptr; }

bool can_watch(Address begin, std::uint64_t bytes) {
  return can_watch_pages() && begin >= host_visible_base && begin + bytes <= end_of_addresses;
}

bool are_read_and_written(Address begin, std::uint64_t bytes) {
  std::ifstream maps("/proc/self/maps");
  Address reached = begin;  // all earlier addresses are checked
  // Parses lines like "7f0c2a000000-7f0c2a021000 rw-p …", in order of addresses.
  for (std::string line; reached < begin + bytes && std::getline(maps, line);) {
    std::istringstream fields(line);
    Address first = 0;
    Address end = 0;
    char dash = 0;
    std::string permissions;
    if (!(fields >> std::hex >> first >> dash >> end >> permissions)) return false;
    if (end <= reached) continue;
    if (first > reached || !permissions.starts_with("rw-")) return false;
    reached = end;
  }
  return reached >= begin + bytes;
}

bool set_pages(Address begin, std::uint64_t bytes, PageState state) {
  State* const first = states_of_all() + (begin - host_visible_base) / MemoryUses::page_bytes;
  State* const end = first + (bytes + MemoryUses::page_bytes - 1) / MemoryUses::page_bytes;
  const auto tell = [&](PageState told) {
    for (State* each = first; each != end; ++each) each->store(told, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  };
  if (state == PageState::unknown) {
    tell(state);
    return true;
  }
  // A page's state must be set before its first signal, and remain until after its last.
  if (state != PageState::open) tell(state);
  const int protection = state == PageState::closed      ? PROT_NONE
                         : state == PageState::read_only ? PROT_READ
                                                         : PROT_READ | PROT_WRITE;
  const bool is_done = ::mprotect(reinterpret_cast<void*>(begin), bytes, protection) == 0;
  if (state == PageState::open) tell(state);
  return is_done;
}

bool start_handling() {
  all_states = states_of_all();
  struct sigaction now{};
  ::sigaction(SIGSEGV, nullptr, &now);
  if (number_of(now) < most_handlers) return true;
  const auto used = below.begin() + static_cast<std::ptrdiff_t>(handlers_used);
  const auto known = std::find_if(
      below.begin(), used, [&](const struct sigaction& each) { return are_same(each, now); });
  if (known == below.end()) return false;
  if (known == used) ++handlers_used;
  *known = now;
  struct sigaction own{};
  own.sa_sigaction = handlers[static_cast<std::size_t>(known - below.begin())];
  own.sa_flags = SA_SIGINFO | SA_NODEFER | (now.sa_flags & SA_ONSTACK);
  ::sigemptyset(&own.sa_mask);
  // The loader finds process_vm_readv() at its first call. This call makes the loader find it here,
  // and not in a handler on a small stack.
  static const bool has_read = [] {
    char from = 0;
    char to = 0;
    read_memory(&from, &to, 1);
    return true;
  }();
  return has_read && ::sigaction(SIGSEGV, &own, nullptr) == 0;
}

void stop_handling() {
  struct sigaction now{};
  ::sigaction(SIGSEGV, nullptr, &now);
  const std::size_t number = number_of(now);
  if (number < most_handlers) ::sigaction(SIGSEGV, &below[number], nullptr);
}

std::vector<HostTouch> take_touches() {
  static std::uint64_t seen = 0;
  if (touches == seen) return {};
  seen = touches;
  std::vector<std::pair<std::uint64_t, HostTouch>> numbered;
  for (Slot& slot : slots) {
    if (slot.state != Slot::State::full) continue;
    numbered.emplace_back(slot.number, slot.touch);
    slot.state = Slot::State::free;
  }
  std::sort(numbered.begin(), numbered.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<HostTouch> all;
  for (const auto& each : numbered) all.push_back(each.second);
  return all;
}

}  // namespace warpwise::emulator::runtime
