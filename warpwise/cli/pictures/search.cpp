#include "warpwise/cli/pictures/search.hpp"

namespace warpwise::cli {

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

Box parse_box(std::string_view option, std::string_view text) {
  std::int64_t numbers[4] = {};
  std::string_view rest = text;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (i == 3)) {
      throw UsageError(std::string(option) + " got '" + std::string(text) +
                       "', it needs left, top, width and height such as 120,80,64,48");
    }
    numbers[i] = parse_integer(option, rest.substr(0, comma), i < 2 ? 0 : 1, INT32_MAX);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

nlohmann::ordered_json json_of_range(SearchRange range) {
  return nlohmann::ordered_json::array({range.first, range.last});
}

}  // namespace warpwise::cli
