#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// Decodes a BMP file: headers of 12, 40, 52, 56, 64, 108 and 124 bytes; 1, 2, 4 and 8 bits with a
/// palette, also by run lengths; 16, 24 and 32 bits, with any masks of adjacent bits. A palette of
/// greys gives one channel, a mask for alpha four, everything else three. Channels are scaled to
/// 255, rounded to nearest.
/// \throws IoError  damage, a size beyond the limits, or another compression
Picture decode_bmp(std::span<const std::byte> content, const std::string& name);

}  // namespace warpwise::io
