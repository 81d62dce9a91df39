#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <span>
#include <string>

namespace warpwise::io {

/// A file that appears whole or not at all. A regular file is written beside its target, and
/// finish() renames it. An existing file stays unchanged until then, so it may be the input; its
/// permissions are kept. "-" (standard output), pipes and devices are written
/// directly. Move-only.
class OutputFile {
 public:
  /// \throws IoError  the folder is missing, the folder or file does not allow writing, …
  explicit OutputFile(const std::string& path);
  /// Removes the unfinished file unless finish() was called.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// Returns the name for messages: the path, or "standard output".
  const std::string& name() const { return name_; }

  /// Writes bytes. \throws IoError  the disk is full, the pipe's reader has closed it, …
  void write(std::span<const std::byte> bytes);

  /// Renames the file to its target. \throws IoError
  void finish();

 private:
  [[noreturn]] void fail(int error) const;
  void open_beside();
  void make(const char* beside);
  void close();

  std::string name_;
  std::string target_;  // path that finish() renames to; empty if written directly
  int slot_ = -1;       // slot with the unfinished file's path, see remove_unfinished_files
  int descriptor_ = -1;
};

/// Returns true if `path` is "-" or names a pipe, a device, a socket or an open file (/dev/fd/1).
/// These take bytes, but are not files that can be replaced.
bool written_directly(const std::string& path);

/// Follows the links at the end of a path: an OutputFile replaces their target, or makes it if it
/// is missing, and the links stay.
std::string behind_links(const std::string& path);

/// Refuses a path that an OutputFile could not write, as far as this is known beforehand: it
/// is a folder, or its folder is missing, or either does not allow writing. \throws IoError
void require_place(const std::string& path);

/// Returns true if `path` means standard output: "-", "/dev/stdout", …
bool is_standard_output(const std::string& path);

/// Removes all unfinished files. A signal handler may call it. The program has to end afterwards: a
/// thread that begins another file, or cannot finish its own, waits for that end.
void remove_unfinished_files() noexcept;

/// Maximum number of files that may be written at once.
inline constexpr std::size_t most_unfinished_files = 512;

/// Signals that end a program from outside but leave it time to clean up.
inline constexpr std::array ending_signals = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGXCPU,
                                              SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2};

}  // namespace warpwise::io
