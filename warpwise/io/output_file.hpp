#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <span>
#include <string>

namespace warpwise::io {

/// A file that appears whole or not at all. A regular file is written beside its place and renamed
/// by finish(); a file that was there before is replaced, keeps its permissions, and stays as it
/// was until then, so that it may be the input. "-" (standard output), pipes and devices are
/// written directly. Move-only.
class OutputFile {
 public:
  /// \throws IoError  the folder is missing, or nothing may be written there.
  explicit OutputFile(const std::string& path);
  /// Removes what was written unless finish() was reached.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// For messages: the path, or "standard output".
  const std::string& name() const { return name_; }

  /// \throws IoError  a full disk, a reader that went away, …
  void write(std::span<const std::byte> bytes);

  /// Puts the file in its place. \throws IoError
  void finish();

 private:
  [[noreturn]] void fail(int error) const;
  void open_beside();
  void make(const std::string& beside);
  void close();

  std::string name_;
  std::string target_;  // where finish() puts it; empty when written directly
  int slot_ = -1;       // of the unfinished file's path, see remove_unfinished_files
  int descriptor_ = -1;
};

/// Whether `path` is "-" or names a pipe, a device or a socket: something that takes bytes but is
/// no file to be replaced.
bool written_directly(const std::string& path);

/// Refuses a path to which an OutputFile could not be written, as far as that is known beforehand:
/// its folder is missing, or nothing may be written there. \throws IoError
void require_place(const std::string& path);

/// Whether `path` stands for standard output: "-", "/dev/stdout", …
bool is_standard_output(const std::string& path);

/// Removes all files that are being written. Safe in a signal handler. The program has to end then:
/// a thread that would begin another file, or whose file cannot be finished, waits for that.
void remove_unfinished_files() noexcept;

/// How many files may be written at once.
inline constexpr std::size_t most_unfinished_files = 512;

/// What ends a program from outside, where it may clean up first.
inline constexpr std::array ending_signals = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGXCPU,
                                              SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2};

}  // namespace warpwise::io
