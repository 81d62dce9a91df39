#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Joins the reports of all processes of a program under `warpwise run`.
namespace warpwise::cli {

/// The joined reports of several processes.
struct JoinedReports {
  std::uint64_t faults = 0;
  std::uint64_t refused = 0;  ///< number of kernels and functions that the emulator cannot run
  std::vector<std::string> unused_suppressions;  ///< suppressions that no process used
  std::string summary;                           ///< one line that counts all launches and faults
  std::string junit;                             ///< a test suite for each process
  std::string sarif;                             ///< a SARIF run with all results
};

/// Joins the records that the processes' emulated runtime has written into a folder.
/// \param program  the program's file name, which is reported if there is no record
JoinedReports join_reports(const std::filesystem::path& folder, const std::string& program);

}  // namespace warpwise::cli
