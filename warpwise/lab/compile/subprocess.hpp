#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "warpwise/base/error.hpp"

// Runs other programs without a shell, for a bounded time, with their files in a private folder.
namespace warpwise::lab {

/// A folder that only this user may read. The destructor removes it with everything in it. While
/// a TemporaryFolder exists, signals that would end this program are blocked, so that an
/// interrupted run leaves nothing behind. run_program() notices the blocked signals. The thread
/// that made the folder must destroy it.
class TemporaryFolder {
 public:
  /// \throws IoError  no folder can be made in $TMPDIR (or /tmp)
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Returns the signal mask from before the folder was made. run_program() starts its program with
  /// this mask.
  const sigset_t& signals_before() const { return signals_before_; }

 private:
  std::filesystem::path path_;
  sigset_t signals_before_{};
};

/// Returns true if the path names an executable file.
bool is_program(const std::filesystem::path& path);

/// Returns the first program of this name in an absolute folder of PATH; empty if there is none.
std::filesystem::path in_search_path(const std::string& program);

/// A signal told this program to stop while run_program() ran another program.
class Interrupted : public IoError {
 public:
  using IoError::IoError;
};

struct ProgramRun {
  int exit_code = 0;   ///< 128 + N when signal N ended it
  std::string output;  ///< standard output and errors, the first 16 MiB
};

/// Limits of a program's address space in bytes. Some compilers ask for all memory if their input
/// is bad. A program that uses a GPU maps far more memory than it takes, and gets no limit.
inline constexpr std::uint64_t usual_address_space = std::uint64_t{6} << 30;
inline constexpr std::uint64_t any_address_space = ~std::uint64_t{0};

/// Runs `arguments[0]`, a path, to its end. TMPDIR is in `folder`, messages are in English, and
/// there is no input. If run_program() stops waiting, it ends the program with all its children.
/// \throws IoError  the program cannot be started, or runs longer than `limit`
/// \throws Interrupted  a signal told this program to stop
ProgramRun run_program(const std::vector<std::string>& arguments, const TemporaryFolder& folder,
                       std::chrono::seconds limit = std::chrono::seconds(120),
                       std::uint64_t address_space = usual_address_space);

}  // namespace warpwise::lab
