#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The reports of all processes that a program under `warpwise run` has started, itself included.
namespace warpwise::cli {

/// Several processes' reports as one.
struct GatheredReports {
  std::uint64_t faults = 0;
  std::uint64_t refused = 0;  ///< kernels and functions that the emulator does not run
  std::vector<std::string> unused_suppressions;  ///< unused in every process
  std::string summary;                           ///< counts all launches and faults, in one line
  std::string junit;                             ///< a test suite for each process
  std::string sarif;                             ///< one run with all results
};

/// Joins the records in a folder; emulator/runtime writes them.
/// \param program  its file name, for reports without any process
GatheredReports gather_reports(const std::filesystem::path& folder, const std::string& program);

}  // namespace warpwise::cli
