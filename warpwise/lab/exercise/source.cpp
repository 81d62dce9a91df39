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
#include "warpwise/lab/exercise/said.hpp"

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

// Replaces each '#' of a part of a source by a blank, also in its other spellings %: and ?\?=.
void blank_hashes(std::string& source, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    const std::string_view before = std::string_view(source).substr(begin, at - begin);
    const bool is_hash = source[at] == '#' || (source[at] == ':' && before.ends_with('%')) ||
                         (source[at] == '=' && before.ends_with("?\?"));
    if (is_hash) source[at] = ' ';
  }
}

// Calls `visit` with the begin and the end of each line. Both '\n' and '\r' end a line.
template <class Visit>
void for_each_line(const std::string& source, const Visit& visit) {
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find_first_of("\r\n", begin), source.size());
    if (!visit(begin, end)) return;
    begin = end + 1;
  }
}

// Blanks each '#' that follows // or /* on its line, if the line has no */ between the two. Only
// blanks and comments may precede a directive's '#' on its line. The two characters are thus in a
// comment, and that comment does not end before the '#'. This holds for any text around the line,
// such as a raw string or an outer comment.
void blank_within_lines(std::string& source) {
  for_each_line(source, [&](std::size_t begin, std::size_t end) {
    std::size_t open = end;
    for (std::size_t at = begin; at + 1 < end; ++at) {
      const std::string_view two = std::string_view(source).substr(at, 2);
      const bool closes = open < at && two == "*/";
      if (closes) blank_hashes(source, open, at);
      if (closes) open = end;
      if (open == end && (two == "//" || two == "/*")) open = at;
    }
    blank_hashes(source, open, end);
    return true;
  });
}

// Returns true if a source may have literals that go on in the next line, or lines that another
// reader would end elsewhere.
bool has_unclear_lines(const std::string& source) {
  if (source.find("R\"") != std::string::npos || source.find("?\?") != std::string::npos)
    return true;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\r' && source.compare(at, 2, "\r\n") != 0) return true;
    if (source[at] != '\\') continue;
    const std::size_t next = source.find_first_not_of(" \t\v\f\r", at + 1);
    if (next == std::string::npos || source[next] == '\n') return true;
  }
  return false;
}

// Blanks each '#' in the comments of several lines that begin their line. Stops at the first line
// on which it is not clear without a compiler's knowledge whether a comment begins.
void blank_within_comments(std::string& source) {
  if (has_unclear_lines(source)) return;
  bool is_inside = false;
  for_each_line(source, [&](std::size_t begin, std::size_t end) {
    const std::string_view line = std::string_view(source).substr(begin, end - begin);
    const std::size_t first = std::min(line.find_first_not_of(" \t\v\f"), line.size());
    std::size_t rest = 0;
    if (is_inside || line.substr(first).starts_with("/*")) {
      const std::size_t close = line.find("*/", is_inside ? 0 : first + 2);
      is_inside = close == std::string_view::npos;
      blank_hashes(source, begin, is_inside ? end : begin + close);
      if (is_inside) return true;
      rest = close + 2;
    }
    const std::size_t open = line.rfind("/*");
    const bool may_open = open != std::string_view::npos && open >= rest;
    return !may_open || line.find("*/", open + 2) != std::string_view::npos;
  });
}

}  // namespace

void require_alone(std::string source) {
  if (source.find('\0') != std::string::npos)
    throw InvalidArgument(said("{} has NUL bytes, as UTF-16 has: save it as UTF-8", kernel_file));
  blank_within_lines(source);
  blank_within_comments(source);
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
      throw InvalidArgument(
          said("\"#{}\" includes another file, but {} must be complete in itself: remove this line",
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
