#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/primitives/match/match.hpp"

// Options of the subcommands that compare blocks of pixels.
namespace warpwise::cli {

void add_measure(CLI::App& app, Measure& measure);

/// Adds --search S, --search-x A:B, --search-y A:B; the latter two win, wherever they stand.
void add_search(CLI::App& app, SearchRange& x, SearchRange& y);

/// "A:B", both included, A not above B. \throws UsageError
SearchRange parse_range(std::string_view option, std::string_view text);

/// "X,Y,W,H", left and top from 0, width and height from 1. \throws UsageError
Box parse_box(std::string_view text);

/// [first, last], as --json reports a range.
nlohmann::ordered_json json_of(SearchRange range);

/// Adds "--name N", an integer within [least, greatest].
template <class T>
void add_integer(CLI::App& app, const std::string& option, const std::string& help,
                 std::int64_t least, std::int64_t greatest, T& value) {
  app.add_option_function<std::string>(
         option,
         [option, least, greatest, &value](const std::string& text) {
           value = static_cast<T>(parse_integer(option, text, least, greatest));
         },
         help)
      ->type_name("N");
}

}  // namespace warpwise::cli
