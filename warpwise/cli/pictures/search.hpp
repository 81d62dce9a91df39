#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/primitives/match/match.hpp"

// Parses options and formats reports for subcommands and stages that compare blocks of pixels.
namespace warpwise::cli {

/// Parses "A:B", a range that includes both ends; A must not exceed B. \throws UsageError
SearchRange parse_range(std::string_view option, std::string_view text);

/// Parses "X,Y,W,H": left and top are at least 0, width and height at least 1. \throws UsageError
Box parse_box(std::string_view option, std::string_view text);

/// Returns a range as [first, last], for --json.
nlohmann::ordered_json json_of_range(SearchRange range);

}  // namespace warpwise::cli
