#include "warpwise/lab/study/show/text_diff.hpp"

#include <algorithm>
#include <vector>

namespace warpwise::lab {
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

namespace {

struct EditedLine {
  char mark;  // ' ' for a kept line, '-' for a removed one, '+' for an added one
  std::string_view text;
};

// Returns all lines of both texts with their marks. In the table, common[i][j] is the length of the
// longest common subsequence of two suffixes: a from line i on, and b from line j on.
std::vector<EditedLine> edits(const std::vector<std::string_view>& a,
                              const std::vector<std::string_view>& b) {
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<EditedLine> result;
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

std::vector<std::pair<std::size_t, std::size_t>> common_lines(
    const std::vector<std::string>& before, const std::vector<std::string>& after) {
  std::vector<std::pair<std::size_t, std::size_t>> common;
  std::size_t first = 0;
  while (first < std::min(before.size(), after.size()) && before[first] == after[first]) {
    common.emplace_back(first, first);
    ++first;
  }
  std::size_t last = 0;  // number of equal lines at the end
  while (last < std::min(before.size(), after.size()) - first &&
         before[before.size() - 1 - last] == after[after.size() - 1 - last])
    ++last;
  const auto middle = [&](const std::vector<std::string>& lines) {
    return std::vector<std::string_view>(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                         lines.end() - static_cast<std::ptrdiff_t>(last));
  };
  const std::vector<std::string_view> a = middle(before);
  const std::vector<std::string_view> b = middle(after);
  constexpr std::size_t most_cells = 16'000'000;  // most cells of the table in edits(): 64 MB
  if (a.empty() || b.size() <= most_cells / a.size()) {
    std::size_t i = first;
    std::size_t j = first;
    for (const EditedLine& line : edits(a, b)) {
      if (line.mark == ' ') common.emplace_back(i, j);
      i += line.mark != '+';
      j += line.mark != '-';
    }
  }
  for (std::size_t k = last; k-- > 0;)
    common.emplace_back(before.size() - 1 - k, after.size() - 1 - k);
  return common;
}

std::string text_diff(std::string_view before, std::string_view after) {
  constexpr std::size_t around = 2;
  const std::vector<EditedLine> lines = edits(lines_of(before), lines_of(after));
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
