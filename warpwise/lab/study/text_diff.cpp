#include "warpwise/lab/study/text_diff.hpp"

#include <algorithm>
#include <vector>

namespace warpwise::lab {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Line {
  char mark;  // ' ', '-', '+'
  std::string_view text;
};

// By the longest common subsequence: common[i][j] is its length from line i and line j on.
std::vector<Line> edits(const std::vector<std::string_view>& a,
                        const std::vector<std::string_view>& b) {
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Line> result;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      result.push_back({' ', a[i]});
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      result.push_back({'-', a[i++]});
    } else {
      result.push_back({'+', b[j++]});
    }
  }
  return result;
}

}  // namespace

std::string text_diff(std::string_view before, std::string_view after) {
  constexpr std::size_t around = 2;
  const std::vector<Line> lines = edits(lines_of(before), lines_of(after));
  std::vector<bool> shown(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].mark == ' ') continue;
    for (std::size_t k = i - std::min(i, around); k <= std::min(i + around, lines.size() - 1);
         ++k) {
      shown[k] = true;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (shown[i]) {
      text += lines[i].mark + std::string(lines[i].text) + "\n";
    } else if (i > 0 && shown[i - 1]) {
      text += "  ...\n";
    }
  }
  return text;
}

}  // namespace warpwise::lab
