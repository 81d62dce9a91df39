#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "warpwise/lab/explain/explain.hpp"

namespace warpwise::lab {

/// For people: occupancy, resources, the annotated source, faults, advice. \param colour  of a
/// terminal
std::string text_of(const Explanation& explanation, bool colour);

/// For machines; the keys are listed in warpwise/lab/README.md.
nlohmann::ordered_json json_of(const Explanation& explanation);

}  // namespace warpwise::lab
