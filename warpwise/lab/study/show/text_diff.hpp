#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwise::lab {

/// Returns the lines of a text, without line ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// Returns the lines that were removed (marked with -) and added (marked with +) between two texts,
/// with two unchanged lines around each change. "..." stands for lines that are left out. Returns
/// an empty text if the texts are equal. The texts may have a few thousand lines at most.
std::string text_diff(std::string_view before, std::string_view after);

/// Finds a longest common subsequence of lines. Returns each common line's index in both texts. If
/// the texts differ in more than some thousand lines, returns only their common beginning and end.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(
    const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace warpwise::lab
