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
/// - 1, 2, 4 and 8 bits a pixel with a palette; 4 and 8 bits also run-length coded
/// - 24 bits a pixel; 16 and 32 bits a pixel, where each channel's mask is of adjacent bits
///
/// A palette of greys gives one channel, an alpha mask four channels, any other file three.
/// Channels are scaled to 255, rounded to nearest.
/// \throws IoError  the file is damaged, exceeds the size limits, or has another compression.
Picture decode_bmp(std::span<const std::byte> content, const std::string& name);

/// Encodes a u8 picture as an uncompressed BMP file, last row first. Grey pixels get a palette.
/// \throws IoError  the file would exceed 4 GiB, because its header states its size in 32 bits.
std::vector<std::byte> encode_bmp(const Picture& picture, const std::string& name);

}  // namespace warpwise::io
