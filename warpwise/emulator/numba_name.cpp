#include "warpwise/emulator/numba_name.hpp"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace warpwise::emulator {
namespace {

// numba's codes of types. "Dh", float16, is the only code of two letters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> type_codes = {
    {{"v", "none"},
     {"b", "bool"},
     {"h", "uint8"},
     {"a", "int8"},
     {"t", "uint16"},
     {"s", "int16"},
     {"j", "uint32"},
     {"i", "int32"},
     {"y", "uint64"},
     {"x", "int64"},
     {"Dh", "float16"},
     {"f", "float32"},
     {"d", "float64"}}};

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& each : parts) text += (text.empty() ? "" : std::string(separator)) + each;
  return text;
}

// Returns the byte of an escape "_c3" at `at`, or -1. numba escapes each byte of a name that is no
// ASCII letter, digit or '_'.
int escaped_byte(std::string_view text, std::size_t at) {
  if (at + 3 > text.size() || text[at] != '_') return -1;
  int byte = -1;
  const char* const end = text.data() + at + 3;
  return std::from_chars(text.data() + at + 1, end, byte, 16).ptr == end ? byte : -1;
}

// Returns the length of a character of three or four bytes in UTF-8 whose escapes begin at `at`, or
// 0. A character of two bytes is left out, because "conv_c3_b8" may be a name in the source.
std::size_t escaped_character(std::string_view text, std::size_t at) {
  const int first = escaped_byte(text, at);
  if (first < 0xE0 || first > 0xF4) return 0;
  const std::size_t bytes = first < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < bytes; ++i)
    if (const int next = escaped_byte(text, at + 3 * i); next < 0x80 || next > 0xBF) return 0;
  return bytes;
}

// Replaces escapes, except those that may be part of a name in the source: "conv_2d" stays.
std::string unescaped(std::string_view text, std::string_view punctuation) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const int byte = escaped_byte(text, at);
    if (const std::size_t bytes = escaped_character(text, at); bytes > 0) {
      for (std::size_t i = 0; i < bytes; ++i, at += 3)
        result += static_cast<char>(escaped_byte(text, at));
    } else if (byte > 0 && punctuation.find(static_cast<char>(byte)) != std::string_view::npos) {
      result += static_cast<char>(byte);
      at += 3;
    } else {
      result += text[at++];
    }
  }
  return result;
}

// Returns "<locals>" for "_3clocals_3e". A name of the source stays as it is.
std::string name_text(std::string_view part) {
  const bool is_made_up = part.size() > 6 && part.starts_with("_3c") && part.ends_with("_3e");
  return unescaped(part, is_made_up ? "<>" : "");
}

std::string type_text(std::string_view part) { return unescaped(part, " \"'()*,.:;<=>[]{|}"); }

// Returns "float32[:, ::1]" for an array that is aligned and mutable. Returns numba's longer
// "readonly array(float32, 2d, C)" for other arrays.
std::string array_text(const std::vector<std::string>& arguments) {
  const std::string& layout = arguments[2];
  std::size_t dimensions = 0;
  std::from_chars(arguments[1].data(), arguments[1].data() + arguments[1].size(), dimensions);
  const bool is_plain = arguments[3] == "mutable" && arguments[4] == "aligned";
  constexpr std::size_t most_dimensions = 64;  // NumPy's limit
  if (!is_plain || dimensions == 0 || dimensions > most_dimensions) {
    return std::string(arguments[4] == "aligned" ? "" : "unaligned ") +
           (arguments[3] == "mutable" ? "" : "readonly ") + "array(" + arguments[0] + ", " +
           arguments[1] + "d, " + layout + ")";
  }
  std::vector<std::string> steps(dimensions, ":");
  if (layout == "C") steps.back() = "::1";
  if (layout == "F") steps.front() = "::1";
  return arguments[0] + "[" + joined(steps, ", ") + "]";
}

std::string template_text(const std::string& name, const std::vector<std::string>& arguments) {
  if (name == "Array" && arguments.size() == 5) return array_text(arguments);
  if (name == "UniTuple" && arguments.size() == 2)
    return "UniTuple(" + arguments[0] + " x " + arguments[1] + ")";
  if (name == "Tuple" || !arguments.empty()) return name + "(" + joined(arguments, ", ") + ")";
  return name;
}

// Reads a mangled name from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<std::string> name() {
    if (!takes("_ZN")) return std::nullopt;
    std::vector<std::string> parts;
    while (const auto part = identifier()) parts.push_back(name_text(*part));
    if (parts.empty() || !tags() || !takes("E")) return std::nullopt;
    if (parts.size() > 1 && parts.front() == "__main__") parts.erase(parts.begin());
    std::vector<std::string> types;
    while (!rest_.empty()) {
      std::optional<std::string> next = type(0);
      if (!next) return std::nullopt;
      types.push_back(*std::move(next));
    }
    return joined(parts, ".") + "(" + joined(types, ", ") + ")";
  }

 private:
  bool takes(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string_view> identifier() {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || length == 0 || length > rest_.size() - digits) return std::nullopt;
    const std::string_view text = rest_.substr(digits, length);
    rest_.remove_prefix(digits + length);
    return text;
  }

  // Reads numba's two ABI tags: the number of the compiled function, as "v12", and its flags.
  bool tags() {
    if (!takes("B")) return false;
    const auto number = identifier();
    const bool is_number = number && number->size() > 1 && number->front() == 'v' &&
                           number->find_first_not_of("0123456789", 1) == std::string_view::npos;
    return is_number && takes("B") && identifier();
  }

  // Returns the number in "Li2E".
  std::optional<std::string> literal() {
    const std::size_t end = rest_.find_first_not_of("-0123456789");
    if (end == std::string_view::npos || rest_[end] != 'E') return std::nullopt;
    std::string number(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return number;
  }

  std::optional<std::string> type(int depth) {
    constexpr int most_depth = 64;
    if (depth > most_depth) return std::nullopt;
    if (takes("Li")) return literal();
    for (const auto& [code, text] : type_codes)
      if (takes(code)) return std::string(text);
    return type_of_name(depth);
  }

  // Reads the name of a type, of one part or several, and its arguments.
  std::optional<std::string> type_of_name(int depth) {
    const bool is_nested = takes("N");
    std::vector<std::string> parts;
    do {
      const auto part = identifier();
      if (!part) return std::nullopt;
      parts.push_back(type_text(*part));
    } while (is_nested && !rest_.starts_with("I") && !rest_.starts_with("E"));
    std::vector<std::string> arguments;
    if (takes("I")) {
      while (!takes("E")) {
        std::optional<std::string> next = type(depth + 1);
        if (!next) return std::nullopt;
        arguments.push_back(*std::move(next));
      }
    }
    if (is_nested && !takes("E")) return std::nullopt;
    return template_text(joined(parts, "."), arguments);
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::string> numba_name(std::string_view mangled) { return Reader(mangled).name(); }

}  // namespace warpwise::emulator
