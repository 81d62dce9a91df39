#include "warpwise/io/printable.hpp"

#include <cstddef>

namespace warpwise::io {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xc0) == 0x80;
}

// Returns the size in bytes of the UTF-8 character at `i`. Returns 0 for a control character, which
// includes U+0080 to U+009F, and for bytes that are not UTF-8.
std::size_t shown_bytes(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < size; ++k) {
    if (!is_continuation(text, i + k)) return 0;
  }
  const unsigned second = byte_at(text, i + 1);
  const bool is_control = first == 0xc2 && second < 0xa0;
  const bool is_too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_surrogate = first == 0xed && second >= 0xa0;
  const bool is_beyond_unicode = first == 0xf4 && second >= 0x90;
  return is_control || is_too_long || is_surrogate || is_beyond_unicode ? 0 : size;
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  constexpr const char* digits = "0123456789abcdef";
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t size = shown_bytes(text, i);
    if (size == 0 && kept.find(text[i]) != std::string_view::npos) size = 1;
    if (size == 0) {
      const unsigned byte = byte_at(text, i++);
      result.append({'\\', 'x', digits[byte >> 4], digits[byte & 15]});
    } else {
      result.append(text.substr(i, size));
      i += size;
    }
  }
  return result;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string shortened(std::string_view text, std::size_t width) {
  std::size_t places = 0;
  std::size_t end_of_short = 0;  // end of the text if it has to be shortened
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_continuation(text, i)) continue;
    if (++places == width) end_of_short = i;
    if (places > width) return std::string(text.substr(0, end_of_short)) + (width > 0 ? "…" : "");
  }
  return std::string(text);
}

}  // namespace warpwise::io
