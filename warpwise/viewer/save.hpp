#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "warpwise/io/picture.hpp"

namespace warpwise::viewer {

/// \throws IoError
void write_png(const std::string& path, const io::PictureShape& shape,
               std::span<const std::byte> pixels);

/// The first of warpwise-001.png, … that is not in the current folder; of that extension.
std::string free_name(const std::string& extension);

}  // namespace warpwise::viewer
