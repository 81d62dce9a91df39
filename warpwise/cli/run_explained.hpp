#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::cli {

/// Refuses a file to which no report can be written. \throws UsageError, IoError
void require_explanation_place(const std::string& file);

/// Runs a program to its end in a process of its own, where it records its kernels' costs. Then
/// writes a report on them: to a FILE.json, a FILE.html, any other file as text, or "-", standard
/// output. This process ends as the program did.
/// \param tells  name on standard error the kernels to look at first, unless the report goes to
/// standard output
/// \param become  runs in the program's process with the path for the record; does not return
[[noreturn]] void run_and_explain(
    const std::string& file, const lab::ExplainRequest& request, bool tells,
    const std::function<void(const std::filesystem::path& record)>& become);

}  // namespace warpwise::cli
