#include "warpwise/lab/report/html/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpwise::lab::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// Returns the number of bytes of the UTF-8 character at the beginning of a text. Returns 0 for
// invalid bytes, including surrogates and overlong forms.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  struct Form {
    unsigned least_first, greatest_first;
    std::size_t bytes;
    unsigned least_second, greatest_second;
  };
  constexpr std::array<Form, 8> forms = {{{0xC2, 0xDF, 2, 0x80, 0xBF},
                                          {0xE0, 0xE0, 3, 0xA0, 0xBF},
                                          {0xE1, 0xEC, 3, 0x80, 0xBF},
                                          {0xED, 0xED, 3, 0x80, 0x9F},
                                          {0xEE, 0xEF, 3, 0x80, 0xBF},
                                          {0xF0, 0xF0, 4, 0x90, 0xBF},
                                          {0xF1, 0xF3, 4, 0x80, 0xBF},
                                          {0xF4, 0xF4, 4, 0x80, 0x8F}}};
  for (const Form& form : forms) {
    if (first < form.least_first || first > form.greatest_first) continue;
    if (text.size() < form.bytes) return 0;
    if (byte(1) < form.least_second || byte(1) > form.greatest_second) return 0;
    for (std::size_t i = 2; i < form.bytes; ++i) {
      if ((byte(i) & 0xC0U) != 0x80U) return 0;
    }
    return form.bytes;
  }
  return 0;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

std::string start(const char* name, Attributes attributes) {
  std::string markup = fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) {
    if (!value.empty()) markup += fmt::format(" {}=\"{}\"", key, text(value).markup);
  }
  return markup;
}

}  // namespace

Html text(std::string_view text) {
  Html result;
  std::string& out = result.markup;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0 || is_control(text[0])) {
      out += replacement;
    } else if (text[0] == '&') {
      out += "&amp;";
    } else if (text[0] == '<') {
      out += "&lt;";
    } else if (text[0] == '>') {
      out += "&gt;";
    } else if (text[0] == '"') {
      out += "&quot;";
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

Html element(const char* name, Attributes attributes, const Html& inner) {
  return {fmt::format("{}>{}</{}>", start(name, attributes), inner.markup, name)};
}

Html element(const char* name, const Html& inner) { return element(name, {}, inner); }

Html element(const char* name, Attributes attributes, std::string_view inner) {
  return element(name, attributes, text(inner));
}

Html element(const char* name, std::string_view inner) { return element(name, {}, text(inner)); }

Html lone(const char* name, Attributes attributes) { return {start(name, attributes) + "/>"}; }

std::string id_of(std::string_view text) {
  std::string id;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c >= 'A' && c <= 'Z') {
      id += static_cast<char>(c - 'A' + 'a');
    } else if (plain) {
      id += c;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  return id;
}

std::string data_address(const char* type, std::string_view content) {
  std::string address = fmt::format("data:{};charset=utf-8,", type);
  constexpr std::string_view kept = "-_.~,:/*()!;@=+";
  for (const char c : content) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || kept.find(c) != std::string_view::npos) {
      address += c;
    } else {
      address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return address;
}

}  // namespace warpwise::lab::report
