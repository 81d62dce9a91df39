#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::cli {

/// Refuses a place to which no report can be written. \throws UsageError, IoError
void require_explanation_place(const std::string& file);

/// Runs a program that keeps a record of its kernels' costs, in a process of its own, to its end,
/// and writes what is to be said of them: to a FILE.json, a FILE.html, another file as text, or
/// "-", standard output. Then this process ends as the program did.
/// \param become  what the program's process does, told where the record is to be; does not return
[[noreturn]] void run_and_explain(
    const std::string& file, const lab::ExplainRequest& request,
    const std::function<void(const std::filesystem::path& record)>& become);

}  // namespace warpwise::cli
