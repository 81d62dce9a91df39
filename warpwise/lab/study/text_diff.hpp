#pragma once

#include <string>
#include <string_view>

namespace warpwise::lab {

/// The lines that turn one text into the other, with two lines around each change, as `diff -u` has
/// them; empty when the texts are the same. For texts of at most a few thousand lines.
std::string text_diff(std::string_view before, std::string_view after);

}  // namespace warpwise::lab
