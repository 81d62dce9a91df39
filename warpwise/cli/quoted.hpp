#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace warpwise::cli {

/// Returns a word as a shell reads it: in quotes if it has special characters.
inline std::string quoted(const std::string& word) {
  const bool is_plain = std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-,.:/").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain && !word.empty()) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace warpwise::cli
