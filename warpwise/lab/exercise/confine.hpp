#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

// Runs work on other people's input in a confined process.
namespace warpwise::lab {

/// Limits of a confined process.
struct Limits {
  std::chrono::seconds time{60};                  ///< limit of CPU time, and of the time asleep
  std::uint64_t memory = std::uint64_t{3} << 30;  ///< bytes of address space; a lower hard limit of
                                                  ///< the calling process applies instead
};

/// A process that does one piece of work, and the text that it returned.
class Confined {
 public:
  /// Starts the process with these restrictions:
  ///
  /// - limits are set, and no file can be written
  /// - the descriptors of the calling process are closed, except for one pipe
  /// - its mount, network and IPC namespaces are new, and its root is an empty folder
  /// - root becomes nobody; any other user gets a new user namespace
  /// - system calls that open files, start processes or reach other processes give EPERM
  ///
  /// refused_restrictions() names the restrictions that the system refuses.
  ///
  /// The calling process must have one thread.
  /// \param work  returns the text for output(), of at most 1 MiB
  /// \throws IoError  no process can be started
  Confined(const std::function<std::string()>& work, const Limits& limits);
  /// Kills the process if it still runs.
  ~Confined();
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;

  /// Reads the process's output so far, and ends the process when its time is over. Returns true
  /// once the process has ended.
  bool poll();
  /// Returns a descriptor that becomes readable when the process writes or ends.
  int descriptor() const { return reader_; }

  /// Returns the work's text if it succeeded.
  const std::string& output() const { return output_; }
  /// Returns why there is no output: "used more than 60 s of CPU time", "was ended by signal 11".
  /// Returns an empty text if there is output.
  const std::string& failure() const { return failure_; }

 private:
  void end();

  int child_ = -1;
  int reader_ = -1;
  Limits limits_;
  std::chrono::steady_clock::time_point looked_;  // time of the last poll()
  std::chrono::nanoseconds asleep_{0};
  std::string output_;
  std::string failure_;
};

/// Returns the restrictions that this system refuses to a process, with the reasons: "unshare:
/// Operation not permitted". Returns an empty text if the system refuses none.
std::string refused_restrictions();

}  // namespace warpwise::lab
