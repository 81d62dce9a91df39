#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpwise::io {

/// A text from outside (a file's name, a line of a source) as a terminal may be given it: control
/// characters, and bytes that are no UTF-8, become "\x1b", so that no terminal obeys them.
/// Characters of `kept` stay, such as "\n\t" in a text of several lines.
std::string printable(std::string_view text, std::string_view kept = {});

/// A text for at most `width` places of a terminal, its end replaced by "…" where it is longer.
/// Each UTF-8 character counts as one place.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace warpwise::io
