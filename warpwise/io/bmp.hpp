#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// Decodes a BMP file:
///
/// - headers of 12, 40, 52, 56, 64, 108 and 124 bytes
/// - 1, 2, 4 and 8 bits a pixel with a palette, also run-length coded
/// - 24 bits a pixel; 16 and 32 bits, with any masks of adjacent bits
///
/// A palette of greys gives one channel, an alpha mask four channels, any other file three.
/// Channels are scaled to 255, rounded to nearest.
/// \throws IoError  damage, a size beyond the limits, or another compression
Picture decode_bmp(std::span<const std::byte> content, const std::string& name);

/// Encodes a picture of u8 as a BMP file, uncompressed and from bottom to top. Grey gets a palette.
/// \throws IoError  the file would exceed 4 GiB, the most that its header can say.
std::vector<std::byte> encode_bmp(const Picture& picture, const std::string& name);

}  // namespace warpwise::io
