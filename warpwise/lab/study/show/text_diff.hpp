#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwise::lab {

/// Returns a text's lines without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// Returns the lines that turn one text into the other, marked with + and -, and two lines around
/// each change. "..." stands for lines left out. Empty if the texts are the same. For texts of at
/// most a few thousand lines.
std::string text_diff(std::string_view before, std::string_view after);

/// Finds a longest common subsequence of lines. Returns each line's index in both texts. If the
/// texts differ in more than some thousand lines, only their common beginning and end are returned.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(
    const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace warpwise::lab
