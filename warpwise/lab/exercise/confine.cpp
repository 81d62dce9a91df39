#include "warpwise/lab/exercise/confine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/exercise/said.hpp"

namespace warpwise::lab {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;
constexpr int kept_descriptor = STDERR_FILENO + 1;  // write end of a confined process's pipe
constexpr char kind_succeeded = '=';
constexpr char kind_failed = '!';

// Thrown when the system refuses a call.
struct Refused : Error {
  explicit Refused(const char* what) : Error(fmt::format("{}: {}", what, std::strerror(errno))) {}
};

[[noreturn]] void refuse(const char* what) { throw Refused(what); }

// Returns `most`, or the hard limit that this process inherited if that is lower. Only root may
// raise a hard limit.
rlim_t allowed(__rlimit_resource resource, rlim_t most) {
  rlimit inherited{};
  if (::getrlimit(resource, &inherited) != 0) refuse("getrlimit");
  return std::min(most, inherited.rlim_max);
}

void limit(__rlimit_resource resource, rlim_t most, rlim_t hard) {
  const rlimit both = {allowed(resource, most), allowed(resource, hard)};
  if (::setrlimit(resource, &both) != 0) refuse("setrlimit");
}

void limit_all(const Limits& limits) {
  limit(RLIMIT_AS, limits.memory, limits.memory);
  // The soft limit of CPU time is below the hard one, so a process that exceeds its time gets
  // SIGXCPU. SIGKILL then means that the system lacks memory.
  const auto seconds = static_cast<rlim_t>(limits.time.count());
  const rlim_t hard = std::max<rlim_t>(allowed(RLIMIT_CPU, seconds + 1), 1);
  limit(RLIMIT_CPU, std::min(seconds, hard - 1), hard);
  limit(RLIMIT_FSIZE, 0, 0);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_NPROC, 0, 0);
}

// Closes all descriptors except the standard ones and the pipe to the parent. The closed ones are
// the reports' files and the pipes of other processes.
void close_descriptors() {
  if (::syscall(SYS_close_range, kept_descriptor + 1, ~0U, 0) != 0) refuse("close_range");
}

void write_map(const char* file, const std::string& text) {
  const int map = ::open(file, O_WRONLY | O_CLOEXEC);
  const bool is_written =
      map >= 0 && ::write(map, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (map >= 0) ::close(map);
  if (!is_written) refuse(file);
}

// Moves this process into its own mount, network and IPC namespaces, with an empty folder as the
// root. A user other than root also gets a user namespace, since only there may the user mount.
void take_namespaces() {
  const std::string user = fmt::format("{0} {0} 1", ::geteuid());
  const std::string group = fmt::format("{0} {0} 1", ::getegid());
  constexpr int spaces = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC;
  if (::unshare(spaces) != 0) {
    if (::unshare(spaces | CLONE_NEWUSER) != 0) refuse("unshare");
    write_map("/proc/self/setgroups", "deny");
    write_map("/proc/self/uid_map", user);
    write_map("/proc/self/gid_map", group);
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) refuse("mount /");
  constexpr unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("none", "/tmp", "tmpfs", flags, "size=4k") != 0) refuse("mount tmpfs");
  if (::chdir("/tmp") != 0) refuse("chdir");
  // pivot_root() stacks the old root on the new one. The old root is then unmounted.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) refuse("pivot_root");
  if (::umount2(".", MNT_DETACH) != 0) refuse("umount");
  if (::chdir("/") != 0) refuse("chdir");
}

// Switches from root to the user nobody, and drops all capabilities.
void become_nobody() {
  constexpr ::uid_t nobody = 65534;
  if (::geteuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setresgid(nobody, nobody, nobody) != 0 ||
       ::setresuid(nobody, nobody, nobody) != 0))
    refuse("setresuid");
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) refuse("capset");
}

// Makes this process end when its parent ends. It must run after become_nobody(), because a change
// of the user clears this setting.
void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

// Allows only the system calls that a compilation and the emulator need, on open files and on the
// process itself. All other calls give EPERM: they could open a file, start a process, signal
// another process, or reach the network.
void filter_calls() {
#if defined(__x86_64__)
  constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::array allowed = {SYS_read,
                                  SYS_write,
                                  SYS_close,
                                  SYS_fstat,
                                  SYS_mmap,
                                  SYS_munmap,
                                  SYS_mprotect,
                                  SYS_mremap,
                                  SYS_madvise,
                                  SYS_brk,
                                  SYS_futex,
                                  SYS_clock_gettime,
                                  SYS_gettimeofday,
                                  SYS_getpid,
                                  SYS_getcwd,
                                  SYS_gettid,
                                  SYS_getrandom,
                                  SYS_getrusage,
                                  SYS_sysinfo,
                                  SYS_sched_yield,
                                  SYS_sched_getaffinity,
                                  SYS_rt_sigaction,
                                  SYS_rt_sigprocmask,
                                  SYS_rt_sigreturn,
                                  SYS_sigaltstack,
                                  SYS_restart_syscall,
                                  SYS_exit,
                                  SYS_exit_group};
  const auto load = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  // Makes an instruction that skips the next `skipped` ones unless the loaded word is `value`.
  const auto unless = [](std::int64_t value, std::uint8_t skipped) {
    return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), 0,
                                skipped);
  };
  const sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_filter forbid = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> program = {load(offsetof(seccomp_data, arch)), unless(architecture, 1),
                                      load(offsetof(seccomp_data, nr))};
  for (const auto call : allowed) program.insert(program.end(), {unless(call, 1), allow});
  // A process may end itself by a signal.
  program.insert(program.end(), {unless(SYS_tgkill, 3), load(offsetof(seccomp_data, args)),
                                 unless(::getpid(), 1), allow, forbid});
  // Call numbers of another architecture have other meanings. The check of the architecture thus
  // jumps to the last instruction, which forbids the call.
  program[1].jf = static_cast<std::uint8_t>(program.size() - 3);
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) refuse("seccomp");
#else
  errno = ENOSYS;
  refuse("seccomp");
#endif
}

// Sets up all restrictions that the system allows. Returns why the system refused the others.
std::string restrict_process() {
  std::string refused;
  for (const auto restriction :
       {close_descriptors, take_namespaces, become_nobody, end_with_parent, filter_calls}) {
    try {
      restriction();
    } catch (const Refused& error) {
      refused += (refused.empty() ? "" : ", ") + std::string(error.what());
    }
  }
  return refused;
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
  writer = ::dup2(writer, kept_descriptor);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int each = STDIN_FILENO; each <= STDERR_FILENO; ++each) ::dup2(nowhere, each);
  std::uint64_t memory = limits.memory;
  try {
    memory = allowed(RLIMIT_AS, memory);
    limit_all(limits);
    restrict_process();  // refused_restrictions() has reported the refused ones
    send(writer, kind_succeeded, work());
  } catch (const std::bad_alloc&) {
    send(writer, kind_failed, said("needed more than {} MiB of memory", memory >> 20));
  } catch (const std::exception& error) {
    send(writer, kind_failed, error.what());
  }
  ::_exit(0);
}

// Returns true if a process neither runs, nor waits for a core or a disk.
bool is_asleep(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.find_first_of("RD", name_end) != name_end + 2;
}

}  // namespace

Confined::Confined(const std::function<std::string()>& work, const Limits& limits)
    : limits_(limits), looked_(std::chrono::steady_clock::now()) {
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
      ::kill(child_, SIGKILL);  // the process may still run after it has closed the pipe
      end();
      return true;
    }
  }
  // Only sleep counts here. A process that waits for a core on a busy machine is not asleep.
  const auto now = std::chrono::steady_clock::now();
  constexpr std::chrono::milliseconds most_at_once{200};
  if (is_asleep(child_)) asleep_ += std::min<std::chrono::nanoseconds>(now - looked_, most_at_once);
  looked_ = now;
  const bool is_late = asleep_ > limits_.time;
  if (!is_late && output_.size() <= most_output + 1) return false;
  ::kill(child_, SIGKILL);
  output_.clear();
  end();
  failure_ = is_late ? said("slept longer than {} s", limits_.time.count())
                     : said("wrote more than 1 MiB");
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
    failure_ = signal == SIGXCPU
                   ? said("used more than {} s of CPU time", limits_.time.count())
                   : said("was ended by signal {}: most often memory or a stack ran out", signal);
  } else if (kind != kind_succeeded) {
    failure_ = output_.empty() ? said("wrote no output") : output_.substr(1);
  }
  output_ = kind == kind_succeeded ? output_.substr(1) : "";
}

std::string refused_restrictions() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::strerror(errno);
  const pid_t child = ::fork();
  if (child == 0) {
    const int writer = ::dup2(ends[1], kept_descriptor);
    const std::string text = restrict_process();
    ::_exit(::write(writer, text.data(), text.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  const ssize_t count = child < 0 ? -1 : ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return count < 0 ? "no process" : std::string(buffer.data(), static_cast<std::size_t>(count));
}

}  // namespace warpwise::lab
