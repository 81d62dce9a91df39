#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpwise::lab {

/// Returns " (did you mean "sobel"?)" with the most similar name in `names`: the one that differs
/// from `name` in the fewest letters. Returns an empty text if no name is similar.
std::string suggestion(std::string_view name, std::span<const std::string> names);

}  // namespace warpwise::lab
