#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpwise::lab {

/// Returns the fields of each line of a CSV text, without quotes. The first line has the names.
inline std::vector<std::vector<std::string>> csv_fields(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
      lines.back().back() += text[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      lines.back().emplace_back();
    else if (c == '\n' && !quoted)
      lines.push_back({""});
    else
      lines.back().back() += c;
  }
  EXPECT_FALSE(quoted);
  lines.pop_back();
  return lines;
}

}  // namespace warpwise::lab
