#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace warpwise::lab {

/// Refuses a source that includes, itself or through a file that it includes, what is no regular
/// file, or one of more than most_source_bytes: a compiler reads a device until memory ends. Looks
/// where a compiler does, beside the file and in `folders`, not into the compiler's own headers. A
/// name that a macro stands for is not seen.
/// \throws InvalidArgument  names the file, the line and what it includes
void require_regular_includes(const std::string& text, const std::filesystem::path& file,
                              std::span<const std::filesystem::path> folders);

}  // namespace warpwise::lab
