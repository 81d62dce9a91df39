#pragma once

#include <filesystem>
#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::cli {

/// Refuses a file to which no report can be written. \throws UsageError, IoError
void require_explanation_place(const std::string& file);

/// Writes a report on the costs of a program's kernels: to a FILE.json, a FILE.html, any other file
/// as text, or "-", standard output.
/// \param tells   name on standard error the kernels to look at first, unless the report goes to
///                standard output
/// \param record  written by the program's process
void explain_run(const std::string& file, const lab::ExplainRequest& request, bool tells,
                 const std::filesystem::path& record);

}  // namespace warpwise::cli
