#include "warpwise/emulator/decode/counted_lines.hpp"

#include <string_view>

#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator {
namespace {

/// Returns true for the mangled name of a copy or move of an object: "_ZN4BodyC1ERKS_".
bool copies_object(std::string_view function) {
  for (const std::string_view parameter : {"ERKS", "EOS"}) {
    const std::size_t at = function.rfind(parameter);
    if (at == std::string_view::npos) continue;
    const std::string_view before = function.substr(0, at);
    const std::string_view number = function.substr(at + parameter.size());
    const bool is_copy = before.ends_with("C1") || before.ends_with("C2") || before.ends_with("aS");
    const bool is_last =
        number.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1 == number.size();
    if (is_copy && is_last && number.ends_with('_')) return true;
  }
  return false;
}

}  // namespace

std::vector<ptx::SourceLine> counted_lines(const Code& code) {
  std::vector<bool> foreign;
  for (const std::string& file : code.files) foreign.push_back(is_of_toolkit(file));
  std::vector<bool> copies;
  for (const std::string& function : code.functions_inlined)
    copies.push_back(copies_object(function));
  const auto is_in = [](const std::vector<bool>& set, int index) {
    return index >= 0 && static_cast<std::size_t>(index) < set.size() &&
           set[static_cast<std::size_t>(index)];
  };
  std::vector<ptx::SourceLine> lines = code.lines;
  for (ptx::SourceLine& line : lines) {
    while (line.caller >= 0 && (is_in(foreign, line.file) || is_in(copies, line.function))) {
      line = code.callers[static_cast<std::size_t>(line.caller)];
    }
  }
  return lines;
}

}  // namespace warpwise::emulator
