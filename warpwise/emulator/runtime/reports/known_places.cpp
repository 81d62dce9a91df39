#include "warpwise/emulator/runtime/reports/known_places.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "warpwise/emulator/suppressions.hpp"

namespace warpwise::emulator::runtime {
namespace {

constexpr std::string_view listed =
#include "known_places.inc"
    ;

/// Returns suppressions by the version mark in CCCL's namespaces: "_300001_SM_".
std::map<std::string, Suppressions> read_list() {
  std::map<std::string, std::string> texts;
  for (std::string_view rest = listed; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t blank = line.find(' ');
    if (line.empty() || line.front() == '#' || blank == std::string_view::npos) continue;
    texts["_" + std::string(line.substr(0, blank)) + "_SM_"] +=
        std::string(line.substr(blank + 1)) + "\n";
  }
  std::map<std::string, Suppressions> all;
  for (const auto& [mark, text] : texts) all.emplace(mark, Suppressions(text));
  return all;
}

}  // namespace

std::optional<std::string> why_known(const std::string& kernel, const Fault& fault) {
  static const std::map<std::string, Suppressions>& all =
      *new std::map<std::string, Suppressions>(read_list());
  for (const auto& [mark, suppressions] : all) {
    const auto is_of_version = [&mark = mark](const std::string& name) {
      return name.find(mark) != std::string::npos;
    };
    if (!is_of_version(kernel) && !std::ranges::any_of(fault.functions, is_of_version)) continue;
    if (const auto known = suppressions.covering(kernel, fault))
      return suppressions.all()[*known].reason;
  }
  return std::nullopt;
}

}  // namespace warpwise::emulator::runtime
