#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// What a program's kernels did, as the files that other people's tools read.
namespace warpwise::emulator::runtime {

/// A fault that the program's suppressions cover.
struct SuppressedFault {
  Fault fault;
  std::string reason;
};

/// A kernel of the program, by its readable name, and all of its launches.
struct KernelReport {
  std::string name;
  std::uint64_t launches = 0;  ///< that ran, faults or not
  double seconds = 0;          ///< that these took here
  std::vector<Fault> faults;
  std::vector<SuppressedFault> suppressed;
  std::vector<ModelledUse> modelled;  ///< of all launches, each kind once
  double order_rounding = 0;          ///< as LaunchResult's, the largest
  bool orders_not_compared = false;   ///< as LaunchResult's, of any launch
  /// Why the emulator did not run a launch; empty too where an earlier fault kept all from running.
  std::string refusal;
};

/// What the program itself did wrong, in its calls of CUDA's functions or beside them.
struct HostFault {
  FaultKind kind = FaultKind::copy;
  std::string function;  ///< of CUDA's; empty where none is at fault
  SourcePlace source;    ///< that called it, where it is known
  std::string place;     ///< the same in words
  std::string message;
  std::string suppressed_because = {};  ///< empty: it is not
};

/// A program's run so far.
struct RunReport {
  std::string program;           ///< its name, without a folder
  std::filesystem::path folder;  ///< that it was started in, absolute
  std::vector<KernelReport> kernels;
  std::vector<HostFault> host_faults;
  std::vector<HostFault> suppressed_host_faults;
  std::vector<std::string> calls_not_run;  ///< functions of the CUDA runtime, each once

  std::uint64_t launches() const;
  std::uint64_t faults() const;
  std::uint64_t suppressed() const;
  /// Kernels that the program launched and that did not run.
  std::uint64_t not_run() const;
};

/// A fault's line: kind, kernel, block, thread, count, source line, message.
/// \param kernel  its readable name
std::string describe(const std::string& kernel, const Fault& fault);

/// The same of a fault of the program itself: kind, function, place, message.
std::string describe(const HostFault& fault);

/// JUnit's XML: a test case for each kernel, failed with its faults, in error where the emulator
/// does not run it, skipped where an earlier fault kept it from running; one in error for each
/// function of the CUDA runtime that is not run; and one that failed for the program itself, where
/// that has faults. Suppressed faults fail nothing.
std::string junit_of(const RunReport& report);

/// SARIF 2.1.0: a result for each fault, at its source line, by a path relative to the run's folder
/// where the source lies below it; at the program's first line where no source line is known,
/// because a reader as GitHub's takes no result without a place. One that is
/// suppressed has its reason.
std::string sarif_of(const RunReport& report);

}  // namespace warpwise::emulator::runtime
