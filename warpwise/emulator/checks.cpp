#include "warpwise/emulator/checks.hpp"

#include <algorithm>

#include "warpwise/base/error.hpp"

namespace warpwise::emulator {

Checks parse_checks(std::string_view list) {
  if (list == "none") return {};
  Checks checks;
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view word = list.substr(0, comma);
    const auto check = value_named<Check>(word);
    if (word == "all") {
      checks.add(Checks::all());
    } else if (check) {
      checks.add(*check);
    } else {
      std::string names;
      for (const Check each : all_values<Check>()) names += std::string(name_of(each)) + ", ";
      throw InvalidArgument("'" + std::string(word) + "' is no check: a list of " + names +
                            "all, or none alone");
    }
    if (comma == list.size()) return checks;
    list.remove_prefix(comma + 1);
  }
}

std::string to_string(Checks checks) {
  if (checks.empty()) return "none";
  if (checks == Checks::all()) return "all";
  std::string list;
  for (const Check each : all_values<Check>()) {
    if (checks.has(each)) list += (list.empty() ? "" : ",") + std::string(name_of(each));
  }
  return list;
}

}  // namespace warpwise::emulator
