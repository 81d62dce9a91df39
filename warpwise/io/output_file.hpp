#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <span>
#include <string>

namespace warpwise::io {

/// Writes a file that appears whole or not at all. A regular file is written under a temporary name
/// beside its target, and finish() renames it. Before that an existing target stays unchanged, so
/// it may be the input. The new file gets the permissions of an existing target. "-" (standard
/// output), pipes and devices are written directly. Move-only.
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
  void open_temporary();
  void create_temporary(const char* beside);
  void close();

  std::string name_;
  std::string target_;  // path that finish() renames to; empty if written directly
  int slot_ = -1;       // number of the slot that keeps the unfinished file's path; -1: none
  int descriptor_ = -1;
};

/// Returns true if `path` is "-" or names a pipe, a device, a socket or an open file (/dev/fd/1).
/// Bytes can be written to all of these, but a rename cannot replace them.
bool written_directly(const std::string& path);

/// Returns the path that `path` leads to if it is a symbolic link. An OutputFile replaces or
/// creates the file at the end of the links, and the links stay.
std::string resolve_links(const std::string& path);

/// Checks before any work that an OutputFile could write `path`.
/// \throws IoError  it is a folder, its folder is missing, or one of the two forbids writing.
void require_writable_path(const std::string& path);

/// Returns true if `path` means standard output: "-", "/dev/stdout", …
bool is_standard_output(const std::string& path);

/// Removes all unfinished files. A signal handler may call it. The program has to end afterwards,
/// because a thread that then creates a file, or fails to write one, waits forever.
void remove_unfinished_files() noexcept;

/// Maximum number of files that may be written at once.
inline constexpr std::size_t most_unfinished_files = 512;

/// Signals that end a program from outside but leave it time to clean up.
inline constexpr std::array ending_signals = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGXCPU,
                                              SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2};

}  // namespace warpwise::io
