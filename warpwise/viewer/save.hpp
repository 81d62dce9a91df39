#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "warpwise/io/picture.hpp"

namespace warpwise::viewer {

/// Writes a picture as a PNG file. \throws IoError
void write_png(const std::string& path, const io::PictureShape& shape,
               std::span<const std::byte> pixels);

/// Returns the first unused name in the current folder with that extension: warpwise-001.png, …
std::string unused_file_name(const std::string& extension);

}  // namespace warpwise::viewer
