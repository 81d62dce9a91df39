#include "warpwise/lab/compile/host_code.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace warpwise::lab {
namespace {

using HeadWords = std::vector<std::string_view>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

HeadWords head_words_of(std::string_view text) {
  HeadWords words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != text[begin] && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return i + 1;
}

// Returns the end of a raw string R"x(...)x", given its first quote.
std::size_t end_of_raw_string(std::string_view text, std::size_t quote) {
  const std::size_t open = text.find('(', quote);
  if (open == std::string_view::npos) return text.size();
  std::string close(text.substr(quote, open - quote));
  close[0] = ')';
  close += '"';
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

std::size_t end_of_directive(std::string_view text, std::size_t begin) {
  std::size_t end = text.find('\n', begin);
  while (end != std::string_view::npos && end > 0 && text[end - 1] == '\\') {
    end = text.find('\n', end + 1);
  }
  return std::min(end, text.size());
}

// Adds a macro whose definition has one of `device_words`: "#define HD __host__ __device__" adds
// HD.
void take_macro(std::string_view directive, std::set<std::string, std::less<>>& device_words) {
  const HeadWords words = head_words_of(directive);
  if (words.size() < 3 || words[0] != "define") return;
  const bool names_device = std::any_of(words.begin() + 2, words.end(), [&](std::string_view word) {
    return device_words.contains(word);
  });
  if (names_device) device_words.emplace(words[1]);
}

// Returns the text with comments, literals and directives blanked, so that only its structure is
// left.
std::string structure_of(std::string_view source,
                         std::set<std::string, std::less<>>& device_words) {
  std::string text(source);
  bool at_line_start = true;
  for (std::size_t i = 0; i < source.size();) {
    const char c = source[i];
    std::size_t end = i + 1;
    if (source.substr(i, 2) == "//") {
      end = std::min(source.find('\n', i), source.size());
    } else if (source.substr(i, 2) == "/*") {
      const std::size_t close = source.find("*/", i + 2);
      end = close == std::string_view::npos ? source.size() : close + 2;
    } else if (c == '#' && at_line_start) {
      end = end_of_directive(source, i);
      take_macro(source.substr(i, end - i), device_words);
    } else if (c == '"') {
      end = i > 0 && source[i - 1] == 'R' ? end_of_raw_string(source, i) : end_of_quoted(source, i);
    } else if (c == '\'' && (i == 0 || !is_word(source[i - 1]))) {  // a literal, not the separator
                                                                    // in 1'000
      end = end_of_quoted(source, i);
    } else {
      if (c == '\n')
        at_line_start = true;
      else if (std::isspace(static_cast<unsigned char>(c)) == 0)
        at_line_start = false;
      i = end;
      continue;
    }
    end = std::min(end, source.size());
    blank(text, i, end);
    i = end;
  }
  return text;
}

// Removes a leading template<...>, which is not part of the declared thing.
std::string_view without_template(std::string_view head) {
  const HeadWords words = head_words_of(head);
  if (words.empty() || words[0] != "template") return head;
  std::size_t i = head.find('<');
  if (i == std::string_view::npos) return head;
  int depth = 0;
  for (; i < head.size(); ++i) {
    if (head[i] == '<') ++depth;
    if (head[i] == '>' && --depth == 0) return without_template(head.substr(i + 1));
  }
  return head;
}

enum class BlockKind { scope, function, other };

BlockKind block_kind_of(std::string_view head) {
  head = without_template(head);
  const HeadWords words = head_words_of(head);
  if (words.empty()) return BlockKind::other;
  if (words[0] == "namespace" || (words.size() > 1 && words[1] == "namespace"))
    return BlockKind::scope;
  if (words.size() == 1 && words[0] == "extern") return BlockKind::scope;  // "C" is blanked
  for (const std::string_view first :
       {"struct", "class", "union", "enum", "typedef", "using", "static_assert"}) {
    if (words[0] == first) return BlockKind::other;
  }
  const std::size_t parenthesis = head.find('(');
  const std::size_t equals = head.find('=');
  const bool is_operator = std::find(words.begin(), words.end(), "operator") != words.end();
  if (parenthesis == std::string_view::npos) return BlockKind::other;
  return equals < parenthesis && !is_operator ? BlockKind::other : BlockKind::function;
}

std::string name_of_function(std::string_view head) {
  head = without_template(head);
  std::size_t end = head.find('(');
  while (end > 0 && !is_word(head[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(head[begin - 1])) --begin;
  return std::string(head.substr(begin, end - begin));
}

std::size_t end_of_braces(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace

DeviceCode without_host_functions(std::string_view source) {
  std::set<std::string, std::less<>> device_words = {"__global__", "__device__", "__constant__",
                                                     "__managed__", "__shared__"};
  const std::string structure = structure_of(source, device_words);
  DeviceCode result{std::string(source), {}};
  int parentheses = 0;
  std::size_t start = 0;  // start of the declaration that `i` is in
  for (std::size_t i = 0; i < structure.size(); ++i) {
    const char c = structure[i];
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (parentheses > 0 || (c != '{' && c != '}' && c != ';')) continue;
    const std::string_view head = std::string_view(structure).substr(start, i - start);
    const BlockKind kind = c == '}' ? BlockKind::scope : block_kind_of(head);
    const std::size_t end =
        c == '{' && kind != BlockKind::scope ? end_of_braces(structure, i) : i + 1;
    const HeadWords words = head_words_of(head);
    const bool of_device = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return device_words.contains(word);
    });
    if (kind == BlockKind::function && !of_device) {
      // Comments and directives are blank in `structure`, so the function begins at the first
      // letter after them. #includes before the function therefore stay in the text.
      blank(result.text, std::min(structure.find_first_not_of(" \t\r\n", start), end), end);
      result.left_out.push_back(name_of_function(head));
    }
    // The next head begins here: a new declaration, or `name;` behind the braces of a type.
    start = end;
    i = end - 1;
  }
  std::sort(result.left_out.begin(), result.left_out.end());
  result.left_out.erase(std::unique(result.left_out.begin(), result.left_out.end()),
                        result.left_out.end());
  return result;
}

}  // namespace warpwise::lab
