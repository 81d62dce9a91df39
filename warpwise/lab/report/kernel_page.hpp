#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

// One kernel, or those of one call, as a page: what `explain --html` writes.
namespace warpwise::lab::report {

/// What to do, the bounds of the time, the counts, and the source with these in its margin.
/// \param explained  explain's JSON, of a file, a rung or a primitive
/// \param sources    the texts of files that are shown whole, by the names that this JSON has; of
///                   others the lines that have counts
/// \throws InvalidArgument  the JSON is something else
std::string kernel_page(const nlohmann::ordered_json& explained,
                        const std::map<std::string, std::string>& sources);

}  // namespace warpwise::lab::report
