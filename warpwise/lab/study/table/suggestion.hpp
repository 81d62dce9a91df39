#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpwise::lab {

/// Returns " (did you mean "sobel"?)" with the name in `names` that differs from `name` in the
/// fewest letters; empty if none is similar.
std::string suggestion(std::string_view name, std::span<const std::string> names);

}  // namespace warpwise::lab
