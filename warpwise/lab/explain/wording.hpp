#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "warpwise/emulator/emulator.hpp"

// How reports put counts into words.
namespace warpwise::lab {

inline double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

/// "4", "31.5".
inline std::string number(double value) {
  const double tenths = std::round(value * 10) / 10;
  return tenths == std::floor(tenths) ? fmt::format("{:.0f}", tenths)
                                      : fmt::format("{:.1f}", tenths);
}

/// 1234567 as "1,234,567".
inline std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

inline std::string passes_text(double value) {
  return number(value) + (number(value) == "1" ? " pass" : " passes");
}

inline std::uint64_t transactions(const emulator::TrafficCounts& traffic) {
  return traffic.transactions_32 + traffic.transactions_64 + traffic.transactions_128;
}

/// Where docs/hardware-rules.md has a rule.
inline std::string cite(const std::string& rule, const std::string& section) {
  return rule + " (docs/hardware-rules.md, " + section + ")";
}

}  // namespace warpwise::lab
