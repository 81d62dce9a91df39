#pragma once

#include <string>

// A student's source, and messages about it.
namespace warpwise::lab {

/// Name of the source for the compiler. Its folder does not exist, so an #include with quotes finds
/// no file in the source's folder.
inline constexpr const char* source_name = "exercise/kernel.cu";

/// Refuses a source that includes another file, because a message might show that file's text. Only
/// the compiler's stand-ins of standard headers may be included. A '#' in a string counts too, and
/// so does one in a comment whose begin is not certain, so that no directive is missed. A source
/// with NUL bytes is refused too, since the compiler would read only the part before the first one.
/// \throws InvalidArgument
void require_alone(std::string source);

/// Replaces source_name, with or without a path before it, by kernel.cu.
std::string with_own_name(std::string text);

}  // namespace warpwise::lab
