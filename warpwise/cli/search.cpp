#include "warpwise/cli/search.hpp"

namespace warpwise::cli {

void add_measure(CLI::App& app, Measure& measure) {
  add_choice(app, "--measure", "What likeness is measured by (default: sad)", all_measures,
             measure);
}

SearchRange parse_range(std::string_view option, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw UsageError(std::string(option) + " got '" + std::string(text) +
                     "', it needs a first and a last displacement such as -8:7");
  }
  const auto number = [&](const char* which, std::string_view part) {
    return static_cast<int>(parse_integer(which + std::string(option), part,
                                          -max_match_displacement, max_match_displacement));
  };
  const SearchRange range = {number("the first displacement in ", text.substr(0, colon)),
                             number("the last displacement in ", text.substr(colon + 1))};
  if (range.first > range.last) {
    throw UsageError(std::string(option) + " got '" + std::string(text) +
                     "', whose first displacement is beyond its last");
  }
  return range;
}

Box parse_box(std::string_view text) {
  std::int64_t numbers[4] = {};
  std::string_view rest = text;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (i == 3)) {
      throw UsageError("--box got '" + std::string(text) +
                       "', it needs left, top, width and height such as 120,80,64,48");
    }
    numbers[i] = parse_integer("--box", rest.substr(0, comma), i < 2 ? 0 : 1, INT32_MAX);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

void add_search(CLI::App& app, SearchRange& x, SearchRange& y) {
  app.add_option_function<std::string>(
         "--search",
         [&x, &y](const std::string& text) {
           const auto reach =
               static_cast<int>(parse_integer("--search", text, 1, max_match_displacement));
           x = y = {-reach, reach - 1};
         },
         "Displacements from -S to S-1 along both axes (default: 16)")
      ->type_name("S");
  // CLI11 calls options back in the order in which they were added: these come last.
  const auto add_axis = [&app](const std::string& option, SearchRange& range) {
    app.add_option_function<std::string>(
           option, [option, &range](const std::string& text) { range = parse_range(option, text); },
           "Displacements from A to B along this axis, both included")
        ->type_name("A:B");
  };
  add_axis("--search-x", x);
  add_axis("--search-y", y);
}

nlohmann::ordered_json json_of(SearchRange range) {
  return nlohmann::ordered_json::array({range.first, range.last});
}

}  // namespace warpwise::cli
