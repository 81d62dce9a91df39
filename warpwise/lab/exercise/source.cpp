#include "warpwise/lab/exercise/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/nvrtc.hpp"
#include "warpwise/lab/exercise/exercise.hpp"

namespace warpwise::lab {
namespace {

// Returns the rest of a text behind its leading blanks and comments.
std::string_view behind_blanks(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\v\f\r"), text.size()));
    if (!text.starts_with("/*")) return text;
    const std::size_t end = text.find("*/", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
}

bool is_standard_header(std::string_view rest) {
  rest = behind_blanks(rest);
  const std::size_t close = rest.find('>');
  if (!rest.starts_with('<') || close == std::string_view::npos) return false;
  return std::ranges::find(stub_headers(), rest.substr(1, close - 1), &StubHeader::name) !=
         stub_headers().end();
}

}  // namespace

void require_alone(std::string source) {
  // Joins spliced lines, and replaces the digraph of '#' and the trigraphs of '#' and backslash.
  const std::array<std::pair<std::string_view, std::string_view>, 6> spellings = {
      {{"\r\n", "\n"}, {"?\?/", "\\"}, {"\\\n", ""}, {"?\?=", "#"}, {"%:", "#"}, {"\r", "\n"}}};
  for (const auto& [from, to] : spellings) {
    for (std::size_t at = source.find(from); at != std::string::npos; at = source.find(from, at))
      source.replace(at, from.size(), to);
  }
  for (std::size_t at = source.find('#'); at != std::string::npos; at = source.find('#', at + 1)) {
    const std::string_view directive = behind_blanks(std::string_view(source).substr(at + 1));
    for (const std::string_view word : {"include_next", "include", "import", "embed"}) {
      if (!directive.starts_with(word)) continue;
      if (word == "include" && is_standard_header(directive.substr(word.size()))) break;
      throw InvalidArgument(fmt::format(
          "\"#{}\" includes another file, but {} must be complete in itself: remove this line",
          directive.substr(0, std::min<std::size_t>(directive.find('\n'), 60)), kernel_file));
    }
  }
}

std::string with_own_name(std::string text) {
  for (const std::string& name :
       {std::filesystem::absolute(source_name).string(), std::string(source_name)}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, name.size(), kernel_file);
  }
  return text;
}

}  // namespace warpwise::lab
