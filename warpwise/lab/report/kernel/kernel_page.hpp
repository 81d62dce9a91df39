#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

// Writes a page on one kernel, or on all kernels of one call or one program.
namespace warpwise::lab::report {

/// Writes the advice, the bounds of the time, the counts, and the source with counts in its margin.
/// \param explained  explain's JSON of a file, a rung, a primitive or a program
/// \param sources    texts of the files that are shown whole, by their names in this JSON; other
///                   files show only the lines that have counts
/// \throws InvalidArgument  the JSON is not explain's
std::string kernel_page(const nlohmann::ordered_json& explained,
                        const std::map<std::string, std::string>& sources);

}  // namespace warpwise::lab::report
