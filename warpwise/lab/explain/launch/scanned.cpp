#include "warpwise/lab/explain/launch/scanned.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "warpwise/lab/explain/launch/argument_spec.hpp"
#include "warpwise/lab/explain/launch/arguments.hpp"

namespace warpwise::lab {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Removes characters of a kind from the front of a text, and returns them.
std::string_view taken(std::string_view& text, bool (*is_one)(char)) {
  const auto end = std::ranges::find_if_not(text, is_one);
  const std::string_view front = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(front.size());
  return front;
}

// Removes blanks and then a letter from the front of a text. Returns false without that letter.
bool took(std::string_view& text, char letter) {
  taken(text, is_blank);
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

// Returns the position of a whole word from `at` on; nowhere if there is none.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t at) {
  for (at = text.find(word, at); at != nowhere; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end])))
      return at;
    at = end;
  }
  return nowhere;
}

// Removes blanks and then "[32 + 1]" from the front of a text. Returns "32 + 1"; empty if there are
// no brackets.
std::string_view taken_extent(std::string_view& text) {
  if (!took(text, '[')) return {};
  constexpr std::size_t longest = 20;
  const std::size_t end = text.substr(0, longest + 1).find(']');
  if (end == nowhere) return {};
  const std::string_view extent = text.substr(0, end);
  text.remove_prefix(end + 1);
  return extent;
}

// Returns the number at the front of a text; nothing if it has more than nine digits, or if a
// letter follows it.
std::optional<std::uint64_t> number_at(std::string_view text) {
  const std::string_view digits = taken(text, is_digit);
  constexpr std::size_t most_digits = 9;
  if (digits.empty() || digits.size() > most_digits || (!text.empty() && is_of_word(text[0])))
    return std::nullopt;
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// Returns true if "#define " stands before this place.
bool follows_define(std::string_view text, std::size_t at) {
  std::string_view before = text.substr(0, at);
  while (!before.empty() && is_blank(before.back())) before.remove_suffix(1);
  return before.size() < at && before.ends_with("#define");
}

// Returns the number that a source gives a name: 32 for "#define TILE 32" or "TILE = 32"; else 0.
std::uint64_t defined_value(std::string_view source, std::string_view name) {
  for (std::size_t at = find_word(source, name, 0); at != nowhere;
       at = find_word(source, name, at + name.size())) {
    std::string_view rest = source.substr(at + name.size());
    const bool has_blanks = !taken(rest, is_blank).empty();
    if (!took(rest, '=') && !(has_blanks && follows_define(source, at))) continue;
    taken(rest, is_blank);
    if (const auto number = number_at(rest)) return *number;
  }
  return 0;
}

// Returns the number that an extent has in a source: 32 for "32", "TILE" or "TILE + 1", whose added
// column only pads. Returns 0 if the source does not tell it.
std::uint64_t extent_in(std::string_view source, std::string_view extent) {
  taken(extent, is_blank);
  const std::string_view word = taken(extent, is_of_word);
  if (took(extent, '+') && !took(extent, '1')) return 0;
  taken(extent, is_blank);
  if (!extent.empty() || word.empty()) return 0;
  return std::ranges::all_of(word, is_digit) ? number_at(word).value_or(0)
                                             : defined_value(source, word);
}

// Returns the place behind the text in quotes that begins at `at`; a line ends it too.
std::size_t end_of_quotes(std::string_view line, std::size_t at) {
  for (std::size_t end = at + 1; end < line.size(); ++end) {
    if (line[end] == '\\')
      ++end;
    else if (line[end] == line[at])
      return end + 1;
  }
  return line.size();
}

}  // namespace

std::array<std::uint64_t, 2> tile_in(const std::string& source, const std::string& plain) {
  const std::size_t begin = source.find(" " + plain.substr(0, plain.find('<')) + "(");
  if (begin == nowhere) return {};
  const std::string_view body =
      std::string_view(source).substr(begin, source.find("__global__", begin) - begin);
  constexpr std::string_view qualifier = "__shared__";
  for (std::size_t at = body.find(qualifier); at != nowhere; at = body.find(qualifier, at + 1)) {
    std::string_view rest = body.substr(at + qualifier.size());
    const bool has_type = !taken(rest, is_blank).empty() &&
                          !taken(rest, [](char c) { return is_of_word(c) || c == ':'; }).empty();
    if (!has_type || taken(rest, is_blank).empty() || taken(rest, is_of_word).empty()) continue;
    const std::string_view first = taken_extent(rest);
    const std::string_view second = taken_extent(rest);
    if (first.empty() || second.empty() || !took(rest, ';')) continue;
    const std::uint64_t rows = extent_in(source, first);
    const std::uint64_t columns = extent_in(source, second);
    return {columns == rows + 1 ? rows : columns, rows};
  }
  return {};
}

std::string texels_in(const std::string& source, const std::string& texture) {
  constexpr const char* unknown = "f32";
  for (std::size_t at = source.find("tex"); at != nowhere; at = source.find("tex", at)) {
    const bool begins = at == 0 || !is_of_word(source[at - 1]);
    std::string_view rest = std::string_view(source).substr(at);
    at += taken(rest, is_of_word).size();
    if (!begins || !rest.starts_with('<')) continue;
    rest.remove_prefix(1);
    std::string type(taken(rest, [](char c) { return is_of_word(c) || is_blank(c); }));
    if (!took(rest, '>') || !took(rest, '(')) continue;
    taken(rest, is_blank);
    if (taken(rest, is_of_word) != texture) continue;
    std::erase_if(type, is_blank);
    const auto element = element_of(type);
    return element && element->count == 1 ? std::string(name_of(element->type)) : unknown;
  }
  return unknown;
}

bool points_to_constants(std::string_view type) {
  const std::size_t at = find_word(type, "const", 0);
  return at != nowhere && type.find('*', at) != nowhere;
}

bool uses_dynamic_shared(std::string_view ptx, std::string_view body) {
  // A declaration is ".extern .shared .align 4 .b8 tile[];".
  const std::string_view declarations = ptx.substr(0, ptx.find(".entry "));
  constexpr std::string_view begin = ".extern .shared ";
  std::set<std::string_view> names;
  for (std::size_t at = declarations.find(begin); at != nowhere;
       at = declarations.find(begin, at)) {
    const std::size_t end = declarations.find(';', at);
    if (end == nowhere) break;
    std::string_view name = declarations.substr(at, end - at);
    at = end;
    if (!name.ends_with("[]")) continue;
    name.remove_suffix(2);
    const auto last = std::ranges::find_if_not(name.rbegin(), name.rend(), is_of_word);
    names.insert(name.substr(static_cast<std::size_t>(last.base() - name.begin())));
  }
  // A use is "tile;", "[tile+4]" and the like.
  std::string_view rest = body;
  for (char before = '\0'; !names.empty() && !rest.empty();) {
    const std::string_view word = taken(rest, is_of_word);
    if (!word.empty() && !rest.empty() && std::string_view(" ,[").find(before) != nowhere &&
        std::string_view(";+]").find(rest[0]) != nowhere && names.contains(word))
      return true;
    before = rest.empty() ? '\0' : rest[0];
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  }
  return false;
}

bool lacks_cooperative_launch(std::string_view body, const emulator::Fault& fault) {
  // CUDA's header reads there the address at which the blocks of a cooperative launch wait.
  constexpr std::string_view workspace = "%envreg2";
  return fault.kind == emulator::FaultKind::trap && body.find(workspace) != nowhere &&
         (fault.file.empty() || fault.file.find("cooperative_groups") != std::string::npos);
}

bool uses_coordinate(std::string_view body, const std::string& source, const std::string& plain,
                     std::string_view coordinate) {
  if (body.find("%" + std::string(coordinate)) == nowhere) return false;
  if (source.find("cooperative_groups") == std::string::npos) return true;
  const std::string axis(coordinate.substr(coordinate.find('.')));
  const bool is_of_block = coordinate.starts_with("ctaid");
  std::string kernel = plain.substr(0, plain.find('<')) + "(";
  kernel = kernel.substr(kernel.rfind(':') + 1);  // npos + 1 is 0
  for (std::size_t at = source.find(kernel); at != std::string::npos;
       at = source.find(kernel, at + 1)) {
    const std::string text = source.substr(at, source.find("__global__", at) - at);
    for (const char* index :
         {is_of_block ? "blockIdx" : "threadIdx", is_of_block ? "group_index()" : "thread_index()"})
      if (text.find(index + axis) != std::string::npos) return true;
  }
  return false;
}

std::vector<std::string> code_in(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  bool is_comment = false;
  for (const std::string_view line : lines) {
    std::string& code = result.emplace_back();
    for (std::size_t at = 0; at < line.size();) {
      // A quote after a digit or a letter separates digits: 1'000.
      const bool is_quote =
          line[at] == '"' || (line[at] == '\'' && (at == 0 || !is_of_word(line[at - 1])));
      if (is_comment) {
        const std::size_t end = line.find("*/", at);
        is_comment = end == nowhere;
        at = is_comment ? line.size() : end + 2;
        code += ' ';
      } else if (line.substr(at, 2) == "//") {
        break;
      } else if (line.substr(at, 2) == "/*") {
        is_comment = true;
        at += 2;
      } else if (is_quote) {
        at = end_of_quotes(line, at);
        code += ' ';
      } else {
        code += line[at++];
      }
    }
  }
  return result;
}

std::string without(std::string text, std::string_view word) {
  for (std::size_t at = find_word(text, word, 0); at != nowhere; at = find_word(text, word, at))
    text.erase(at, word.size());
  return text;
}

}  // namespace warpwise::lab
