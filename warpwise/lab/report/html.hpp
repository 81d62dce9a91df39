#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

// HTML as it is put together. Only text() makes it of a text, so that nothing from outside is taken
// for markup.
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

/// A text as it stands, in an element or an attribute. Bytes that are no UTF-8, and control
/// characters but the end of a line and the tabulator, become U+FFFD.
Html text(std::string_view text);

/// Names are this program's own; values are written as text() writes them, and an attribute without
/// a value is left out.
using Attributes = std::initializer_list<std::pair<const char*, std::string>>;
Html element(const char* name, Attributes attributes, const Html& inner);
Html element(const char* name, const Html& inner);
Html element(const char* name, Attributes attributes, std::string_view inner);
Html element(const char* name, std::string_view inner);
/// One that has no end: <br>, and of SVG what has nothing inside.
Html lone(const char* name, Attributes attributes);

/// A name for an element that a link can lead to: letters, digits and '-'.
std::string id_of(std::string_view text);

/// A file's content as an address that needs no file. \param type  as "text/csv"
std::string data_address(const char* type, std::string_view content);

}  // namespace warpwise::lab::report
