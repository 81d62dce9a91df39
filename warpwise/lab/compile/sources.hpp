#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace warpwise::lab {

/// The folder that holds `warpwise/…` as sources include it: the ladders, the shipped kernels and
/// what they need. It lies beside the program, installed, in a build tree and in the GPU bundle
/// alike: ../share/warpwise/sources. \throws IoError  when it is not there
std::filesystem::path source_root();

/// The whole of a regular file; nothing where it is none or cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& path);

}  // namespace warpwise::lab
