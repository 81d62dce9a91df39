#include "warpwise/cli/interruption.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace warpwise::cli {
namespace {

using Handler = void (*)(int);

constexpr std::array asking = {SIGINT, SIGTERM};
std::array<Handler, asking.size()> before{};
std::atomic<int> asked_by = 0;
std::atomic<const char*> said = "";
static_assert(std::atomic<int>::is_always_lock_free && decltype(said)::is_always_lock_free,
              "a signal handler uses them");

void put_back() {
  for (std::size_t i = 0; i < asking.size(); ++i) std::signal(asking[i], before[i]);
}

extern "C" void ask(int signal) {
  asked_by = signal;
  put_back();
  const std::string_view text = said.load();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Interruption::Interruption(const char* what) {
  said = what;
  for (std::size_t i = 0; i < asking.size(); ++i) {
    before[i] = std::signal(asking[i], ask);
    if (before[i] == SIG_IGN) std::signal(asking[i], SIG_IGN);
  }
}

Interruption::~Interruption() { put_back(); }

bool Interruption::is_requested() { return asked_by != 0; }

void Interruption::raise_signal() {
  std::signal(asked_by, SIG_DFL);
  std::raise(asked_by);
  std::abort();  // not reached, because the signal ends the program
}

}  // namespace warpwise::cli
