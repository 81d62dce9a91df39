#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpwise::lab {

/// Returns the folder that holds `warpwise/…` as sources include it: the ladders, the shipped
/// kernels and the headers that they need. Its path from the program is ../share/warpwise/sources.
/// The path is the same when installed, in a build tree and in the GPU bundle. \throws IoError  the
/// folder is not there
std::filesystem::path source_root();

/// Limit of a source's size: far larger than any source that people write, or its PTX.
inline constexpr std::uintmax_t most_source_bytes = std::uintmax_t{1} << 28;

/// Returns the whole content of a regular file. Returns nothing if the path names no regular file,
/// or a file that is larger than most_source_bytes or cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& path);

}  // namespace warpwise::lab
