#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpwise::lab {

/// Returns the root folder of the sources that are compiled at run time: the project's kernels, and
/// the headers that they include as `warpwise/…`. It is ../share/warpwise/sources, relative to the
/// program's folder, in an installation and in a build tree. \throws IoError  the folder is not
/// there
std::filesystem::path source_root();

/// Limit of a source's size: far larger than any source that people write, or its PTX.
inline constexpr std::uintmax_t most_source_bytes = std::uintmax_t{1} << 28;

/// Returns the whole content of a regular file. Returns nothing if the path names no regular file,
/// or a file that is larger than most_source_bytes or cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& path);

}  // namespace warpwise::lab
