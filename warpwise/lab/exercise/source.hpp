#pragma once

#include <string>

// A student's source, and messages about it.
namespace warpwise::lab {

/// Name of the source for the compiler. There is no such folder: the file includes nothing beside
/// it.
inline constexpr const char* source_name = "exercise/kernel.cu";

/// Refuses a source that includes another file, because a message might show that file's text. Only
/// the compiler's stand-ins of standard headers may be included. A '#' in a comment or a string
/// counts as well: nothing is missed that the compiler may take for a directive.
/// \throws InvalidArgument
void require_alone(std::string source);

/// Writes the student's name of the file in place of source_name and its path.
std::string with_own_name(std::string text);

}  // namespace warpwise::lab
