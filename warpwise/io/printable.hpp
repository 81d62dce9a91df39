#pragma once

#include <string>
#include <string_view>

namespace warpwise::io {

/// A text from outside (a file's name, a line of a source) as a terminal may be given it: control
/// characters, and bytes that are no UTF-8, become "\x1b", so that no terminal obeys them.
/// Characters of `kept` stay, such as "\n\t" in a text of several lines.
std::string printable(std::string_view text, std::string_view kept = {});

}  // namespace warpwise::io
