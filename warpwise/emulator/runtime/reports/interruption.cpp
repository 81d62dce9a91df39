#include "warpwise/emulator/runtime/reports/interruption.hpp"

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <system_error>
#include <thread>

namespace warpwise::emulator::runtime {
namespace {

using namespace std::chrono_literals;

// After an interruption, running launches get at most this time to end. A kernel looks for the
// interruption after each scheduler turn of a thread block, so it usually ends earlier.
constexpr auto longest_wait = 5s;
constexpr auto between_looks = 5ms;
// Signals within this time after the first are the same request: timeout(1) sends one signal to
// `warpwise run`, which forwards it, and one to all processes of the group.
constexpr auto one_request = 1s;

struct Watch {
  sem_t wake{};
  std::atomic<int> caught = 0;  ///< the first signal's number; 0: none
  std::atomic<std::chrono::steady_clock::rep> caught_at = 0;  ///< 0: not known yet
  std::atomic<bool> interrupted = false;
  std::atomic<int> running = 0;  ///< number of InterruptibleScopes
  std::atomic<pid_t> process = 0;
  int seconds = 0;
  int (*conclude)(const std::string&, bool) = nullptr;
};
Watch& watch() {
  static Watch& instance = *new Watch;
  return instance;
}

bool is_another_request(const Watch& own) {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  const std::chrono::steady_clock::duration first(own.caught_at);
  return first.count() != 0 && since_start - first > one_request;
}

// Handles SIGINT and SIGTERM. The first signal wakes the watching thread, which ends the process:
//
// - If no launch runs, the handler sleeps, so that its thread does not go on with the program.
// - If a launch runs, the handler returns, so that the launch can end.
//
// A second request ends the program at once.
void on_signal(int number) {
  Watch& own = watch();
  const bool is_in_fork = ::getpid() != own.process;
  if (is_in_fork || is_another_request(own)) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  const int error = errno;
  if (int none = 0; own.caught.compare_exchange_strong(none, number)) {
    own.caught_at = std::chrono::steady_clock::now().time_since_epoch().count();
    ::sem_post(&own.wake);
  }
  const timespec pause{0, 5'000'000};
  for (auto left = longest_wait / between_looks; left > 0 && own.running == 0; --left)
    ::nanosleep(&pause, nullptr);
  errno = error;
}

void handle_if_by_default(int number) {
  struct sigaction now{};
  if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction own{};
  own.sa_handler = on_signal;
  own.sa_flags = SA_RESTART;
  ::sigaction(number, &own, nullptr);
}

/// Returns false at the time limit.
bool wait_for_signal(const Watch& own, sem_t* wake) {
  timespec until{};
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += own.seconds;
  for (;;) {
    const int ended =
        own.seconds == 0 ? ::sem_wait(wake) : ::sem_clockwait(wake, CLOCK_MONOTONIC, &until);
    if (ended == 0) return true;
    if (errno == ETIMEDOUT) return false;
  }
}

void end_when_told() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);  // signals are for the program's threads
  Watch& own = watch();
  const bool is_time_limit = !wait_for_signal(own, &own.wake);
  own.interrupted = true;
  for (auto left = longest_wait / between_looks; left > 0 && own.running > 0; --left)
    std::this_thread::sleep_for(between_looks);
  const int code = own.conclude(why_interrupted(), is_time_limit);
  if (is_time_limit) ::_exit(code);
  const int number = own.caught;
  ::signal(number, SIG_DFL);
  ::kill(::getpid(), number);
}

/// Starts the watching thread. Returns false if the system has no thread for it.
bool begin_to_watch(Watch& own) {
  ::sem_init(&own.wake, 0, 0);
  try {
    std::thread(end_when_told).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

/// Starts the watching thread in a forked child, so that the time limit also ends the child.
void watch_in_child(Watch& own) {
  pid_t parent = own.process;
  const pid_t child = ::getpid();
  if (own.seconds == 0 || parent == child) return;
  if (!own.process.compare_exchange_strong(parent, child)) return;  // another thread has done it
  own.caught = 0;
  own.caught_at = 0;
  own.interrupted = false;
  own.running = 0;
  begin_to_watch(own);
}

}  // namespace

void end_at_interruption(int seconds, int (*conclude)(const std::string& why, bool is_time_limit)) {
  Watch& own = watch();
  own.process = ::getpid();
  own.seconds = seconds;
  own.conclude = conclude;
  if (!begin_to_watch(own)) return;  // signals end the program as by default
  for (const int number : {SIGINT, SIGTERM}) handle_if_by_default(number);
}

const std::atomic<bool>* interruption() { return &watch().interrupted; }

std::string why_interrupted() {
  const Watch& own = watch();
  const int number = own.caught;
  if (number == 0) return "the time limit of " + std::to_string(own.seconds) + " s has passed";
  return std::string(number == SIGINT ? "SIGINT" : "SIGTERM") + " has ended the run";
}

InterruptibleScope::InterruptibleScope() {
  watch_in_child(watch());
  ++watch().running;
}

InterruptibleScope::~InterruptibleScope() {
  --watch().running;
  // A forked child without a time limit has no watching thread.
  while (watch().interrupted && watch().process == ::getpid())
    std::this_thread::sleep_for(between_looks);
}

}  // namespace warpwise::emulator::runtime
