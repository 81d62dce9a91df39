#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Joins the reports of all processes of a program under `warpwise run`.
namespace warpwise::cli {

/// The reports of several processes, joined.
struct JoinedReports {
  std::uint64_t faults = 0;
  std::uint64_t refused = 0;  ///< kernels and functions that the emulator does not run
  std::vector<std::string> unused_suppressions;  ///< suppressions that no process used
  std::string summary;                           ///< one line that counts all launches and faults
  std::string junit;                             ///< a test suite for each process
  std::string sarif;                             ///< a SARIF run with all results
};

/// Joins the records in a folder, which emulator/runtime has written.
/// \param program  the program's file name, for a report without any process
JoinedReports join_reports(const std::filesystem::path& folder, const std::string& program);

}  // namespace warpwise::cli
