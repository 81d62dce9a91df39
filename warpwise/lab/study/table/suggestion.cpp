#include "warpwise/lab/study/table/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace warpwise::lab {
namespace {

// Returns the number of letters to insert, remove or replace to turn one name into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string> names) {
  const auto found =
      std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return distance(name, a) < distance(name, b);
      });
  if (found == names.end()) return "";
  constexpr std::size_t fewest_of_a_beginning = 3;
  const std::size_t far = distance(name, *found);
  // A name is not similar if all of its letters would have to change.
  const bool is_near = (far <= std::max<std::size_t>(2, name.size() / 3) &&
                        far < std::min(name.size(), found->size())) ||
                       (name.size() >= fewest_of_a_beginning && found->starts_with(name));
  return is_near ? fmt::format(" (did you mean \"{}\"?)", *found) : "";
}

}  // namespace warpwise::lab
