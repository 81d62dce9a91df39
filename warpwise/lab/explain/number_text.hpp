#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// Puts counts into words for reports.
namespace warpwise::lab {

/// Longest source line that is searched: std::regex needs stack space for each character.
inline constexpr std::size_t longest_line = 500;

inline double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

/// Formats a number with at most one decimal: "4", "31.5".
inline std::string number(double value) {
  const double tenths = std::round(value * 10) / 10;
  return tenths == std::floor(tenths) ? fmt::format("{:.0f}", tenths)
                                      : fmt::format("{:.1f}", tenths);
}

/// Formats 1234567 as "1,234,567".
inline std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

/// Formats microseconds with three significant digits, or from 1000 on as a whole number.
inline std::string time_text(double value) {
  constexpr double of_four_digits = 1000;
  return value < of_four_digits ? fmt::format("{:.3g}", value)
                                : grouped(static_cast<std::uint64_t>(std::llround(value)));
}

inline std::string passes_text(double value) {
  return number(value) + (number(value) == "1" ? " pass" : " passes");
}

inline std::uint64_t transactions(const emulator::TrafficCounts& traffic) {
  return traffic.transactions_32 + traffic.transactions_64 + traffic.transactions_128;
}

/// Estimates the distinct bytes that requests need: a word that all lanes of a warp read counts
/// once.
inline double needed_bytes(const emulator::TrafficCounts& traffic) {
  const auto requested = static_cast<double>(traffic.bytes_requested);
  const std::uint64_t made = transactions(traffic);
  return made == 0 ? requested
                   : std::min(requested, static_cast<double>(traffic.bytes_moved) *
                                             ratio(traffic.ideal_transactions, made));
}

/// Breaks a text at blanks into lines of at most 100 columns. Every line after the first begins
/// with `indent` blanks.
inline std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t text_width = 100;
  std::string result;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, blank - at);
    if (column > indent && column + 1 + word.size() > text_width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    at = blank + 1;
  }
  return result;
}

/// Cites a rule in docs/hardware-rules.md.
inline std::string cite(const std::string& rule, const std::string& section) {
  return rule + " (docs/hardware-rules.md, " + section + ")";
}

}  // namespace warpwise::lab
