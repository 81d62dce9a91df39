#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// Writes reports of a program's run in the file formats of other tools.
namespace warpwise::emulator::runtime {

/// A fault that matches one of the program's suppressions.
struct SuppressedFault {
  Fault fault;
  std::string reason;
};

/// A kernel of the program, by its readable name, over all its launches.
struct KernelReport {
  std::string name;
  std::uint64_t launches = 0;  ///< number that ran, with or without faults
  double seconds = 0;          ///< total time of these launches on this machine
  std::vector<Fault> faults;
  std::vector<SuppressedFault> suppressed;
  std::vector<ModelledUse> modelled;  ///< each kind once, over all launches
  double order_rounding = 0;          ///< largest LaunchResult::order_rounding
  bool orders_not_compared = false;   ///< true if LaunchResult's member is true for any launch
  /// Reason why the emulator did not run a launch. Empty if an earlier fault prevented all
  /// launches.
  std::string refusal;
};

/// An error of the program itself, in or outside of a CUDA call.
struct HostFault {
  FaultKind kind = FaultKind::copy;
  std::string function;  ///< the called CUDA function; empty outside of a call
  SourcePlace source;    ///< place of the call, if known
  std::string place;     ///< source place as text
  std::string message;
  std::string suppressed_because = {};  ///< empty: not suppressed
};

/// The state of a program's run.
struct RunReport {
  std::string program;           ///< file name; for Python the script's or module's name
  std::filesystem::path folder;  ///< absolute working folder at the start
  std::vector<KernelReport> kernels;
  std::vector<HostFault> host_faults;
  std::vector<HostFault> suppressed_host_faults;
  std::vector<std::string> calls_not_run;  ///< CUDA functions and libraries, each once

  std::uint64_t launches() const;
  std::uint64_t faults() const;
  std::uint64_t suppressed() const;
  /// Returns the number of kernels that were launched but not run.
  std::uint64_t not_run() const;
  /// Returns the number of kernels, functions and libraries that the emulator does not run.
  std::uint64_t refused() const;
  /// Returns true if no kernel was launched and nothing was found.
  bool is_empty() const;
};

/// Text in place of an unknown source line, with the options that make compilers state lines.
inline constexpr std::string_view no_source_line =
    "no source line (compile with -lineinfo; numba: lineinfo=True)";

/// Formats a fault as a line: kind, kernel, block, thread, count, source line, message.
/// \param kernel  its readable name
std::string describe(const std::string& kernel, const Fault& fault);

/// Formats a fault of the program itself: kind, function, place, message.
std::string describe(const HostFault& fault);

/// Formats a run as JUnit XML. Test cases:
///
/// - one for each kernel: failed if it has faults, error if the emulator does not run it, skipped
///   if an earlier fault prevented it
/// - one error for each CUDA function or library that is not run
/// - one failure for the program itself, if it has faults
///
/// Suppressed faults do not fail a test case.
std::string junit_of(const RunReport& report);

/// Returns one line with the numbers of a run's launches and faults.
std::string summary_of(const RunReport& report);

/// Formats a process's run for `warpwise run`, which joins all processes' records. JSON members:
///
/// - `is_empty`, `has_ended`
/// - counts: `launches`, `faults`, `suppressed`, `refused`
/// - names: `kernels`
/// - texts: `summary`, `junit` (its test suite), `sarif`
/// - `junit_counts` (tests, failures, errors, skipped) and `junit_seconds`, of this suite
/// - `unused_suppressions`
///
/// \param has_ended  true if the process has ended, so that its counts are final
std::string record_of(const RunReport& report, bool has_ended,
                      const std::vector<std::string>& unused_suppressions);

/// Formats a run as SARIF 2.1.0, with a result for each fault. Source paths below the run's folder
/// are relative to it. A fault without a known source line is placed at the program's first line,
/// because readers like GitHub's reject results without a place. A suppressed fault carries its
/// reason.
std::string sarif_of(const RunReport& report);

}  // namespace warpwise::emulator::runtime
