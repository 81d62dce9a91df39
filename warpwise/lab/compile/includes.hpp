#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace warpwise::lab {

/// Refuses a source that includes, directly or through other files, something that is not a regular
/// file, or a file of more than most_source_bytes. A compiler would read a device such as /dev/zero
/// until memory runs out. The search for includes covers the file's own folder and `folders`, but
/// not the compiler's own headers. An include whose name is a macro is not seen.
/// \throws InvalidArgument  names the file, the line and what it includes
void require_regular_includes(const std::string& text, const std::filesystem::path& file,
                              std::span<const std::filesystem::path> folders);

}  // namespace warpwise::lab
