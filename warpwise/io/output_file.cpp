#include "warpwise/io/output_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

namespace fs = std::filesystem;

// Holds the path of one unfinished file. All slots are in static memory, so that a signal handler
// can read the paths and remove the files.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> present = false;
  std::array<char, PATH_MAX> path{};
};
std::array<Slot, most_unfinished_files> slots;

// Set when a signal is about to end the program. Other threads may still run.
std::atomic<bool> ending = false;
// Number of threads that are creating or removing a file and updating its slot.
std::atomic<int> unfinished_file_updates = 0;

void wait_for_the_end() {
  for (;;) ::pause();
}

// Marks the time in which a file and its slot may disagree, because the file is being created or
// removed. A signal handler waits until no such object exists. The constructor blocks the signals
// on its thread, because a handler on this thread would wait forever.
class UnfinishedFileUpdate {
 public:
  UnfinishedFileUpdate() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : ending_signals) ::sigaddset(&signals, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
    ++unfinished_file_updates;
  }
  ~UnfinishedFileUpdate() {
    --unfinished_file_updates;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  UnfinishedFileUpdate(const UnfinishedFileUpdate&) = delete;
  UnfinishedFileUpdate& operator=(const UnfinishedFileUpdate&) = delete;

 private:
  sigset_t before_{};
};

int take_slot() {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].taken.exchange(true)) return static_cast<int>(i);
  }
  throw IoError("more than " + std::to_string(slots.size()) + " files are being written at once");
}

[[noreturn]] void refuse(const std::string& name, int error) {
  if (ending) wait_for_the_end();  // the handler has removed the file: not an error
  std::string reason = std::strerror(error);
  if (error == ENOENT) {
    std::error_code ignored;
    const fs::path folder = fs::path(name).parent_path();
    const bool is_there = folder.empty() || fs::is_directory(folder, ignored);
    reason = is_there ? "no file can be made in its folder" : "its folder does not exist";
  }
  if (error == EPIPE) reason = "its reader went away";
  throw IoError("cannot write " + name + ": " + reason);
}

}  // namespace

std::string resolve_links(const std::string& path) {
  constexpr int most_links = 40;  // limit of Linux; stat() refuses a path with more links
  fs::path place = path;
  std::error_code error;
  for (int link = 0; link < most_links && fs::is_symlink(place, error); ++link) {
    const fs::path target = fs::read_symlink(place, error);
    if (error) break;
    place = place.parent_path() / target;
  }
  return place.string();
}

namespace {

// Returns the permissions of the file to be replaced, or nullopt if it does not exist. Messages
// call the file `name`.
std::optional<mode_t> permissions_of(const std::string& path, const std::string& name) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    refuse(name, errno);  // most often a name that is too long
  }
  if (S_ISDIR(status.st_mode)) refuse(name, EISDIR);
  if (::access(path.c_str(), W_OK) != 0) refuse(name, errno);
  return status.st_mode & 07777;
}

}  // namespace

void require_writable_path(const std::string& path) {
  if (written_directly(path)) return;
  const std::string target = resolve_links(path);
  permissions_of(target, path);
  const std::string folder = fs::path(target).parent_path().string();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) refuse(path, errno);
}

void remove_unfinished_files() noexcept {
  ending = true;
  const timespec a_moment{.tv_sec = 0, .tv_nsec = 100'000};
  while (unfinished_file_updates > 0) ::nanosleep(&a_moment, nullptr);
  for (Slot& slot : slots) {
    if (slot.present.exchange(false)) ::unlink(slot.path.data());
  }
}

bool written_directly(const std::string& path) {
  if (path == "-") return true;
  // /dev/stdout may be a regular file that the shell has opened. That file must not be replaced.
  for (const char* opened : {"/dev/std", "/dev/fd/", "/proc/self/fd/"}) {
    if (path.starts_with(opened)) return true;
  }
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

namespace {

/// Returns the open descriptor that a path such as /dev/fd/3 names; -1 for other paths.
int descriptor_named(const std::string& path) {
  if (is_standard_output(path)) return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [read, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && read == end) return number;
  }
  return -1;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  if (path.empty()) throw IoError("cannot write '': the file's name is empty");
  // The shell may have opened the file for appending. Opening its path again would overwrite it.
  if (const int open = descriptor_named(path); open >= 0) {
    descriptor_ = open <= STDERR_FILENO ? open : ::fcntl(open, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor_ < 0) fail(errno);
  } else if (written_directly(path)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
  } else {
    target_ = path;
    open_temporary();
  }
}

void OutputFile::open_temporary() {
  target_ = resolve_links(target_);
  const std::optional<mode_t> permissions = permissions_of(target_, name_);

  // The temporary name has a random number. A process number would not be unique, because processes
  // in other containers and on other hosts may have the same one and write to the same folder.
  constexpr std::size_t digits = 16;
  const std::string start = (fs::path(target_).parent_path() / ".warpwise-").string();
  if (start.size() + digits >= PATH_MAX) fail(ENAMETOOLONG);
  slot_ = take_slot();
  char* const beside = slots[slot_].path.data();
  std::memcpy(beside, start.data(), start.size());
  do {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) < 0) break;
    std::snprintf(beside + start.size(), digits + 1, "%016" PRIx64, number);
    create_temporary(beside);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0 || (permissions && ::fchmod(descriptor_, *permissions) != 0)) {
    const int error = errno;
    close();
    fail(error);
  }
}

void OutputFile::create_temporary(const char* beside) {
  {
    const UnfinishedFileUpdate here;
    if (!ending) {
      descriptor_ = ::open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      slots[slot_].present = descriptor_ >= 0;  // a file that another program made is not removed
      return;
    }
  }
  wait_for_the_end();
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)), target_(std::move(other.target_)),
      slot_(std::exchange(other.slot_, -1)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() { close(); }

void OutputFile::close() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  if (slot_ < 0) return;
  Slot& slot = slots[std::exchange(slot_, -1)];
  const UnfinishedFileUpdate here;
  if (ending) return;  // the signal handler removes the file and may be reading its path
  if (slot.present.exchange(false)) ::unlink(slot.path.data());
  slot.taken = false;
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void OutputFile::finish() {
  if (descriptor_ > STDERR_FILENO && ::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (slot_ >= 0) {
    Slot& slot = slots[slot_];
    if (std::rename(slot.path.data(), target_.c_str()) != 0) fail(errno);
    slot.present = false;
  }
  close();
}

void OutputFile::fail(int error) const { refuse(name_, error); }

}  // namespace warpwise::io
