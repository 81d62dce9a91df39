#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpwise::lab {

/// " (did you mean "sobel"?)" with the name of `names` that is nearest to `name` by the letters
/// that have to change; nothing where none is near.
std::string suggestion(std::string_view name, std::span<const std::string> names);

}  // namespace warpwise::lab
