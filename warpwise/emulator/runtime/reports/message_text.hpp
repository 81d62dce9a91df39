#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// Shortens texts of places and names: the program's own line comes first, libraries are folded.
namespace warpwise::emulator::runtime {

/// Replaces template arguments and parameter lists of more than 40 characters by an ellipsis, the
/// innermost first: "sort<…>(int*)".
std::string shortened(std::string_view text);

/// Returns the index of the innermost line of the program itself; 0 if all belong to libraries.
/// \param places  a line, and the lines that it was inlined at or called from, the innermost first
std::size_t own_line(const std::vector<SourcePlace>& places);

/// Formats a line with its callers: "a.cu:12 (in atomics.hpp:85), inlined at a.cu:40".
/// \param places  as for own_line(); not empty
/// \param verb  "inlined at" or "called from"
std::string place_text(const std::vector<SourcePlace>& places, std::string_view verb);

/// Shortens names in a fault's message, and folds its chains of callers.
std::string short_message(const std::string& message);

}  // namespace warpwise::emulator::runtime
