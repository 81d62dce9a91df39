#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

// Writes a page on one kernel, or on all kernels that a call or a program launched.
namespace warpwise::lab::report {

/// Writes the advice, the bounds of the time, the counts, and the source with counts in the margin.
/// \param explained  the JSON that `explain` writes for a file, a rung, a primitive or a program
/// \param sources    texts of the files to show whole, by their names in this JSON; other files
///                   are shown by their lines with counts alone
/// \throws InvalidArgument  the JSON was not written by `explain`
std::string kernel_page(const nlohmann::ordered_json& explained,
                        const std::map<std::string, std::string>& sources);

}  // namespace warpwise::lab::report
