#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpwise::io {

/// Makes a text from outside (a file's name, a line of a source) safe to print on a terminal.
/// Control characters, and bytes that are not UTF-8, become escapes such as "\x1b", so that no
/// terminal obeys them. The characters in `kept` stay, such as "\n\t" in a text of several lines.
std::string printable(std::string_view text, std::string_view kept = {});

/// Quotes a field of a CSV file if it needs quotes.
std::string csv_field(const std::string& text);

/// Shortens a text to at most `width` columns of a terminal, with "…" for a removed end. Each UTF-8
/// character counts as one column.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace warpwise::io
