#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/rules/access.hpp"

namespace warpwise::rules {
namespace {

constexpr ComputeCapability known[] = {
    {1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0},  {2, 1},  {3, 0},  {3, 2},  {3, 5}, {3, 7},
    {5, 0}, {5, 2}, {5, 3}, {6, 0}, {6, 1},  {6, 2},  {7, 0},  {7, 2},  {7, 5}, {8, 0},
    {8, 6}, {8, 7}, {8, 9}, {9, 0}, {10, 0}, {10, 3}, {11, 0}, {12, 0}, {12, 1}};

/// Element `major` has a bit for each known minor number. This makes the look-up fast, which every
/// access needs.
constexpr auto known_minors = [] {
  std::array<std::uint32_t, 13> minors{};
  for (const auto& cc : known) minors[cc.major] |= std::uint32_t{1} << cc.minor;
  return minors;
}();

std::string list_of_known() {
  std::string list;
  for (const auto& cc : known) list += (list.empty() ? "" : ", ") + to_string(cc);
  return list;
}

[[noreturn]] void refuse_text(std::string_view text) {
  throw InvalidArgument("\"" + std::string(text) +
                        "\" is no compute capability that Warpwise knows; it knows " +
                        list_of_known());
}

}  // namespace

namespace detail {

bool is_known(ComputeCapability cc) {
  return cc.major >= 0 && cc.major < static_cast<int>(known_minors.size()) && cc.minor >= 0 &&
         cc.minor < 32 && (known_minors[cc.major] >> cc.minor & 1) != 0;
}

void refuse(ComputeCapability cc) { refuse_text(to_string(cc)); }

void refuse_bytes(int bytes) {
  throw InvalidArgument("a lane accesses 1, 2, 4, 8 or 16 bytes at once, not " +
                        std::to_string(bytes));
}

}  // namespace detail

std::span<const ComputeCapability> known_compute_capabilities() { return known; }

std::int64_t max_linear_texels(ComputeCapability cc) {
  if (!detail::is_known(cc)) detail::refuse(cc);
  // Technical specifications of the CUDA programming guide: before 7.5, only the large GPUs of 6.x
  // and 7.x have the greater limit.
  const bool is_large = cc >= ComputeCapability{7, 5} || cc == ComputeCapability{6, 0} ||
                        cc == ComputeCapability{7, 0};
  return std::int64_t{1} << (is_large ? 28 : 27);
}

ComputeCapability parse_compute_capability(std::string_view text) {
  std::string_view digits = text;
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (digits.starts_with(prefix)) {
      digits.remove_prefix(prefix.size());
      break;
    }
  }
  const bool prefixed = digits.size() != text.size();
  const auto dot = digits.find('.');
  std::string_view major = digits.substr(0, dot);
  std::string_view minor;
  if (dot != std::string_view::npos) {
    minor = digits.substr(dot + 1);
  } else if (digits.size() >= 2) {  // "90", "120": the last digit is the minor number
    major = digits.substr(0, digits.size() - 1);
    minor = digits.substr(digits.size() - 1);
  }
  const auto number = [&](std::string_view part) {
    if (part.starts_with('-')) refuse_text(text);
    int value = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size()) refuse_text(text);
    return value;
  };
  if (prefixed && dot != std::string_view::npos) refuse_text(text);
  const ComputeCapability cc{number(major), number(minor)};
  if (!detail::is_known(cc)) refuse_text(text);
  return cc;
}

std::string to_string(ComputeCapability cc) {
  return std::to_string(cc.major) + "." + std::to_string(cc.minor);
}

}  // namespace warpwise::rules
