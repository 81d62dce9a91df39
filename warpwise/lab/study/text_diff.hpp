#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwise::lab {

/// A text's lines, without what ends them.
std::vector<std::string_view> lines_of(std::string_view text);

/// The lines that turn one text into the other, with two lines around each change, as `diff -u` has
/// them; empty when the texts are the same. For texts of at most a few thousand lines.
std::string text_diff(std::string_view before, std::string_view after);

/// Of lines that both texts have in the same order, as many as there are, the index in each. Of
/// texts that differ in more than some thousand lines nothing but what they begin and end with
/// alike.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(
    const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace warpwise::lab
