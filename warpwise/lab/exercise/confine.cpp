#include "warpwise/lab/exercise/confine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;
// A process may wait for cores that others use: it may last this many times its time of a core.
constexpr int waits = 4;
constexpr char succeeded = '=';
constexpr char failed = '!';

// A call that the system refused.
struct Refused : Error {
  explicit Refused(const char* what)
      : Error(fmt::format("{}: {}", what, std::strerror(errno))), error(errno) {}
  int error;
};

[[noreturn]] void refuse(const char* what) { throw Refused(what); }

void limit(__rlimit_resource resource, rlim_t most, rlim_t hard) {
  const rlimit both = {most, hard};
  if (::setrlimit(resource, &both) != 0) refuse("setrlimit");
}

void limit_all(const Limits& limits) {
  limit(RLIMIT_AS, limits.memory, limits.memory);
  // SIGXCPU comes first, so that SIGKILL is the system's, which lacks memory.
  const auto seconds = static_cast<rlim_t>(limits.time.count());
  limit(RLIMIT_CPU, seconds, seconds + 1);
  limit(RLIMIT_FSIZE, 0, 0);
  limit(RLIMIT_CORE, 0, 0);
}

void write_map(const char* file, const std::string& text) {
  const int map = ::open(file, O_WRONLY | O_CLOEXEC);
  const bool is_written =
      map >= 0 && ::write(map, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (map >= 0) ::close(map);
  if (!is_written) refuse(file);
}

// Takes namespaces, and an empty folder as the root. The maps are needed to mount anything.
void take_namespaces() {
  const std::string user = fmt::format("0 {} 1", ::geteuid());
  const std::string group = fmt::format("0 {} 1", ::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC) != 0) refuse("unshare");
  write_map("/proc/self/setgroups", "deny");
  write_map("/proc/self/uid_map", user);
  write_map("/proc/self/gid_map", group);
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) refuse("mount /");
  constexpr unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("none", "/tmp", "tmpfs", flags, "size=4k") != 0) refuse("mount tmpfs");
  if (::chdir("/tmp") != 0) refuse("chdir");
  // The new root lies over the old one, which is then taken away.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) refuse("pivot_root");
  if (::umount2(".", MNT_DETACH) != 0) refuse("umount");
  if (::chdir("/") != 0) refuse("chdir");
}

void send(int writer, char kind, const std::string& text) {
  const std::string all = kind + text.substr(0, most_output);
  for (std::size_t at = 0; at < all.size();) {
    const ssize_t count = ::write(writer, all.data() + at, all.size() - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += static_cast<std::size_t>(count);
  }
}

[[noreturn]] void work_in_child(const std::function<std::string()>& work, const Limits& limits,
                                int writer) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The reports' files and the pipes of other processes stay with the teacher.
  writer = ::dup2(writer, STDERR_FILENO + 1);
  ::syscall(SYS_close_range, writer + 1, ~0U, 0);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int each = STDIN_FILENO; each <= STDERR_FILENO; ++each) ::dup2(nowhere, each);
  try {
    try {
      take_namespaces();
    } catch (const Refused&) {
      // why_no_namespaces() has told it.
    }
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit_all(limits);
    send(writer, succeeded, work());
  } catch (const std::bad_alloc&) {
    send(writer, failed, fmt::format("needed more than {} MiB of memory", limits.memory >> 20));
  } catch (const std::exception& error) {
    send(writer, failed, error.what());
  }
  ::_exit(0);
}

}  // namespace

Confined::Confined(const std::function<std::string()>& work, const Limits& limits)
    : limits_(limits), deadline_(std::chrono::steady_clock::now() + waits * limits.time) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw IoError(std::string("no pipe: ") + std::strerror(errno));
  child_ = ::fork();
  if (child_ == 0) work_in_child(work, limits, ends[1]);
  ::close(ends[1]);
  reader_ = ends[0];
  if (child_ < 0) {
    ::close(reader_);
    throw IoError(std::string("no process can be started: ") + std::strerror(errno));
  }
}

Confined::~Confined() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    end();
  }
  ::close(reader_);
}

bool Confined::poll() {
  if (child_ <= 0) return true;
  pollfd waiting = {.fd = reader_, .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, 0) > 0) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(reader_, buffer.data(), buffer.size());
    if (count > 0) output_.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0) {
      end();
      return true;
    }
  }
  const bool is_late = std::chrono::steady_clock::now() > deadline_;
  if (!is_late && output_.size() <= most_output + 1) return false;
  ::kill(child_, SIGKILL);
  output_.clear();
  end();
  failure_ = is_late ? fmt::format("took longer than {} s", waits * limits_.time.count())
                     : "said more than 1 MiB";
  return true;
}

void Confined::end() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  const char kind = output_.empty() ? '\0' : output_[0];
  if (kind == '\0' && WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    failure_ =
        signal == SIGXCPU
            ? fmt::format("took longer than {} s of a core", limits_.time.count())
            : fmt::format("was ended by signal {}: most often memory or a stack ran out", signal);
  } else if (kind != succeeded) {
    failure_ = output_.empty() ? "said nothing" : output_.substr(1);
  }
  output_ = kind == succeeded ? output_.substr(1) : "";
}

std::string why_no_namespaces() {
  const pid_t child = ::fork();
  if (child == 0) {
    int error = 0;
    try {
      take_namespaces();
    } catch (const Refused& refused) {
      error = refused.error;
    }
    ::_exit(error);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return child > 0 && WIFEXITED(status) ? std::strerror(WEXITSTATUS(status)) : "unknown";
}

}  // namespace warpwise::lab
