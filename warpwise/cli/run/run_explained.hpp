#pragma once

#include <filesystem>
#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::cli {

/// Refuses a file to which no report can be written. \throws UsageError, IoError
void require_explanation_place(const std::string& file);

/// Writes a report on the costs of a program's kernels: JSON to FILE.json, a page to FILE.html, and
/// text to any other file. The file "-" is standard output.
/// \param print_hotspots  true: also names the kernels to look at first on standard error, unless
///                        the report goes to standard output
/// \param record  file with the launches that the emulated CUDA runtime recorded; if it is missing,
///                prints the reason instead of a report
void explain_run(const std::string& file, const lab::ExplainRequest& request, bool print_hotspots,
                 const std::filesystem::path& record);

}  // namespace warpwise::cli
