#include "warpwise/emulator/runtime/fork_locks.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace warpwise::emulator::runtime {
namespace {

using namespace std::chrono_literals;

// Limit of fork()'s wait. Without a limit, a kernel that waits for the thread in fork() would block
// it for ever.
constexpr auto longest_fork_wait = 10s;
constexpr auto between_tries = 1ms;
constexpr std::string_view waited_enough =
    "warpwise: fork() has waited 10 s for another thread's launch or call: the child may find the "
    "emulator's data half changed\n";

struct ForkLocks {
  std::mutex mutex;
  std::vector<ForkLock> all;
  bool are_taken = false;  ///< taken by fork()
};
ForkLocks& fork_locks() {
  static ForkLocks& instance = *new ForkLocks;
  return instance;
}

void release_first(std::size_t count) {
  while (count > 0) {
    --count;
    fork_locks().all[count].release(fork_locks().all[count].lock);
  }
}

// Holds no lock while it waits for another, because threads take the locks in different orders.
void take_all() {
  ForkLocks& own = fork_locks();
  own.mutex.lock();
  own.are_taken = false;
  const auto end = std::chrono::steady_clock::now() + longest_fork_wait;
  while (true) {
    std::size_t taken = 0;
    while (taken < own.all.size() && own.all[taken].try_to_take(own.all[taken].lock)) ++taken;
    own.are_taken = taken == own.all.size();
    if (own.are_taken) return;
    release_first(taken);
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(between_tries);
  }
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, waited_enough.data(), waited_enough.size());
}

void release_in_parent() {
  if (fork_locks().are_taken) release_first(fork_locks().all.size());
  fork_locks().mutex.unlock();
}

void make_anew_in_child() {
  for (const ForkLock& each : fork_locks().all) each.make_anew(each.lock);
  fork_locks().mutex.unlock();
}

}  // namespace

void add_fork_lock(const ForkLock& lock) {
  static const int registered = ::pthread_atfork(take_all, release_in_parent, make_anew_in_child);
  static_cast<void>(registered);
  const std::lock_guard guard(fork_locks().mutex);
  fork_locks().all.push_back(lock);
}

}  // namespace warpwise::emulator::runtime
