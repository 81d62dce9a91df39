#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

// Builds HTML. Only text() turns a text into HTML, so that a text from outside cannot act as
// markup.
namespace warpwise::lab::report {

struct Html {
  std::string markup;

  Html& operator+=(const Html& other) {
    markup += other.markup;
    return *this;
  }
  friend Html operator+(Html a, const Html& b) { return a += b; }
  bool empty() const { return markup.empty(); }
};

/// Escapes a text for an element or an attribute. Invalid bytes of UTF-8 and control characters
/// become U+FFFD; line ends and tabulators are kept.
Html text(std::string_view text);

/// Attributes of an element. The names are constants of this program, and text() escapes the
/// values. An attribute with an empty value is left out.
using Attributes = std::initializer_list<std::pair<const char*, std::string>>;
Html element(const char* name, Attributes attributes, const Html& inner);
Html element(const char* name, const Html& inner);
Html element(const char* name, Attributes attributes, std::string_view inner);
Html element(const char* name, std::string_view inner);
/// Returns an element without an end tag, such as <br> or an empty element of SVG.
Html lone(const char* name, Attributes attributes);

/// Turns a text into an id that a link can lead to: letters, digits and '-'.
std::string id_of(std::string_view text);

/// Returns a data URL with a file's content. \param type  its MIME type, such as "text/csv"
std::string data_address(const char* type, std::string_view content);

}  // namespace warpwise::lab::report
