#pragma once

#include <filesystem>
#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::cli {

/// Refuses a file that no report can be written to. \throws UsageError, IoError
void require_explanation_place(const std::string& file);

/// Writes a report on the costs of a program's kernels: JSON to FILE.json, a page to FILE.html,
/// text to any other file or, for "-", to standard output.
/// \param tells   true: names on standard error the kernels to look at first, unless the report
///                goes to standard output
/// \param record  file that the program's process has written
void explain_run(const std::string& file, const lab::ExplainRequest& request, bool tells,
                 const std::filesystem::path& record);

}  // namespace warpwise::cli
