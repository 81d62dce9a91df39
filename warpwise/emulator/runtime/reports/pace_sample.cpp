#include "warpwise/emulator/runtime/reports/pace_sample.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <shared_mutex>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"

namespace warpwise::emulator::runtime {
namespace {

// Limits the time of the forked copy. fork_locks.hpp frees some locks in the copy. Any other lock
// that a thread held at the fork is never released there, so a wait for that lock never ends.
constexpr unsigned most_seconds = 60;

int blocks_per_sm(const KernelInfo& info, Dim3 block, std::uint64_t dynamic_shared_bytes) {
  const rules::BlockResources resources{
      static_cast<int>(block.count()), assumed_registers,
      static_cast<int>(info.static_shared_bytes + dynamic_shared_bytes)};
  try {
    return rules::occupancy(emulated().cc, resources).blocks_per_sm;
  } catch (const InvalidArgument&) {
    return 1;
  }
}

RecordJson unavailable(const std::string& why) { return {{"unavailable", why}}; }

bool holds_part_of(const Device::State& device, std::uint64_t begin, std::uint64_t end) {
  const std::shared_lock lock(device.mutex);
  return std::ranges::any_of(device.allocations, [&](const auto& each) {
    const std::uint64_t own = address_of(each.second.host.get());
    return own < end && begin < own + each.second.bytes;
  });
}

// Returns true if kernels can write memory that a copy of the process would share.
bool shares_memory() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = 0;
    std::string permissions;
    words >> std::hex >> begin >> dash >> end >> permissions;
    if (permissions.ends_with('s') && holds_part_of(emulated().device.state(), begin, end))
      return true;
  }
  return false;
}

// Ends the copy with its process, and after a time limit. Resets SIGALRM, which the program may
// handle.
void limit_life() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGALRM, SIG_DFL);
  sigset_t alarm_alone;
  ::sigemptyset(&alarm_alone);
  ::sigaddset(&alarm_alone, SIGALRM);
  ::pthread_sigmask(SIG_UNBLOCK, &alarm_alone, nullptr);
  ::alarm(most_seconds);
}

void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return;  // the reader finds an incomplete object
    at += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
}

std::string read_all(int file) {
  std::string text(static_cast<std::size_t>(std::max<off_t>(::lseek(file, 0, SEEK_END), 0)), 0);
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t read = ::pread(file, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (read <= 0 && errno != EINTR) break;
    at += static_cast<std::size_t>(std::max<ssize_t>(read, 0));
  }
  return text;
}

}  // namespace

PaceSample::PaceSample(Program& program, const std::string& kernel, Dim3 grid, Dim3 block,
                       std::uint64_t dynamic_shared_bytes, std::span<const std::byte> parameters,
                       const SampleModel& model, const LaunchOptions& options) {
  if (options.cooperative) {
    why_not_ = "the blocks of a cooperative launch wait for each other, so no part can run alone";
    return;
  }
  if (shares_memory()) {
    why_not_ =
        "the emulated GPU's memory has shared mappings, so no copy of the process can run a "
        "part alone";
    return;
  }
  LaunchOptions own =
      model.options(emulated().cc, block.count(),
                    blocks_per_sm(program.kernel(kernel), block, dynamic_shared_bytes));
  own.cluster = options.cluster;
  own.heap_bytes = options.heap_bytes;
  own.stack_bytes = options.stack_bytes;
  file_ = ::memfd_create("warpwise sample", MFD_CLOEXEC);
  if (file_ >= 0) copy_ = ::fork();
  if (copy_ < 0) why_not_ = std::string("no process could be started: ") + std::strerror(errno);
  if (copy_ != 0) return;
  limit_life();
  RecordJson object;
  try {
    object = json_of_launch(program.launch(emulated().device, kernel, grid, block,
                                           dynamic_shared_bytes, parameters, own));
  } catch (const std::exception& error) {
    object = unavailable(error.what());
  }
  write_all(file_, object.dump(-1, ' ', false, RecordJson::error_handler_t::replace));
  ::_exit(0);  // skips the program's exit functions in the copy
}

PaceSample::~PaceSample() {
  if (copy_ > 0) {
    ::kill(copy_, SIGKILL);
    wait();
  }
  if (file_ >= 0) ::close(file_);
}

void PaceSample::wait() {
  // ECHILD: the program ignores the ends of its processes, or has waited for this one.
  while (::waitpid(copy_, nullptr, 0) < 0 && errno == EINTR) {
  }
  copy_ = -1;
}

RecordJson PaceSample::result() {
  if (copy_ > 0) wait();
  if (!why_not_.empty()) return unavailable(why_not_);
  RecordJson object = RecordJson::parse(read_all(file_), nullptr, false);
  if (!object.is_discarded()) return object;
  return unavailable("the sample of its blocks did not end within " + std::to_string(most_seconds) +
                     " s");
}

}  // namespace warpwise::emulator::runtime
