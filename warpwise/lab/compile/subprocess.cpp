#include "warpwise/lab/compile/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"

extern char** environ;

namespace warpwise::lab {
namespace {

constexpr std::size_t most_output = std::size_t{16} << 20;
// Limit in bytes of a file that a program writes: more than a compiler of kernels needs. Without
// the limit, a macro that includes a device without an end would fill the disk.
constexpr rlim_t most_file = rlim_t{1} << 30;
constexpr int poll_milliseconds = 50;  // longest delay until a signal or the time limit is noticed

sigset_t set_of_ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : io::ending_signals) sigaddset(&set, signal);
  return set;
}

bool told_to_stop() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return std::any_of(io::ending_signals.begin(), io::ending_signals.end(),
                     [&](int signal) { return sigismember(&pending, signal) == 1; });
}

std::vector<std::string> environment_with(const std::filesystem::path& folder) {
  std::vector<std::string> result = {"TMPDIR=" + folder.string(), "LC_ALL=C"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    // NVCC_*_FLAGS and similar variables stay: users configure nvcc with them.
    if (!text.starts_with("TMPDIR=") && !text.starts_with("LC_ALL=")) result.emplace_back(text);
  }
  return result;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) {
      throw IoError(std::string("no pipe to a compiler: ") + std::strerror(errno));
    }
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

void lower_limit(pid_t child, __rlimit_resource resource, rlim_t most) {
  rlimit limit{};
  if (::prlimit(child, resource, nullptr, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, most);
  ::prlimit(child, resource, &limit, nullptr);
}

// Limits the child's resources. Programs that the child starts inherit the limits.
void limit_resources(pid_t child, std::uint64_t address_space) {
  lower_limit(child, RLIMIT_AS, address_space);
  lower_limit(child, RLIMIT_FSIZE, most_file);
}

// Starts a child in a process group of its own, so that its own children can be ended with it.
pid_t start(const std::vector<std::string>& arguments, const TemporaryFolder& folder, int output,
            std::uint64_t address_space) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &folder.signals_before());
  sigset_t defaults = set_of_ending_signals();
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);

  const std::vector<std::string> environment = environment_with(folder.path());
  pid_t child = -1;
  const int error = ::posix_spawn(&child, arguments[0].c_str(), &actions, &attributes,
                                  pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    throw IoError(arguments[0] + " cannot be started: " + std::strerror(error));
  }
  limit_resources(child, address_space);
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reads available output. Returns true at the end of the output.
bool read_some(int descriptor, std::string& output) {
  char buffer[65536];
  const ssize_t count = ::read(descriptor, buffer, sizeof(buffer));
  if (count < 0) return errno != EINTR && errno != EAGAIN;
  const std::size_t room = most_output - std::min(most_output, output.size());
  output.append(buffer, std::min(room, static_cast<std::size_t>(count)));
  return count == 0;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TMPDIR");
  std::string name =
      std::string(parent != nullptr && *parent != 0 ? parent : "/tmp") + "/warpwise-XXXXXX";
  const sigset_t held = set_of_ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &held, &signals_before_);
  if (::mkdtemp(name.data()) == nullptr) {
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
    throw IoError("no temporary folder " + name + ": " + std::strerror(error));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::filesystem::path in_search_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const auto candidate = std::filesystem::path(rest.substr(0, colon)) / program;
    if (candidate.is_absolute() && is_program(candidate)) return candidate;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return {};
}

ProgramRun run_program(const std::vector<std::string>& arguments, const TemporaryFolder& folder,
                       std::chrono::seconds limit, std::uint64_t address_space) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  Pipe pipe;
  const pid_t child = start(arguments, folder, pipe.writer(), address_space);
  pipe.close_writer();
  ProgramRun run;
  const auto end_it = [&] {
    ::kill(-child, SIGKILL);
    wait_for(child);
  };
  for (bool ended = false; !ended;) {
    pollfd waiting = {.fd = pipe.reader(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, poll_milliseconds) > 0) ended = read_some(pipe.reader(), run.output);
    if (told_to_stop()) {
      end_it();
      throw Interrupted(arguments[0] + " was interrupted");
    }
    if (std::chrono::steady_clock::now() > deadline) {
      end_it();
      throw IoError(arguments[0] + " did not end within " + std::to_string(limit.count()) + " s");
    }
  }
  run.exit_code = wait_for(child);
  return run;
}

}  // namespace warpwise::lab
