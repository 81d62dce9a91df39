#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// Writes the report for people: occupancy, resources, the annotated source, faults, advice.
/// \param colour  true to add a terminal's colour codes
std::string text_of(const Explanation& explanation, bool colour);

/// Writes the report for machines; warpwise/lab/README.md lists the keys.
nlohmann::ordered_json json_of(const Explanation& explanation);

}  // namespace warpwise::lab
