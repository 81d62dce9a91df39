#pragma once

#include <cstddef>
#include <span>

namespace warpwise::io {

/// Returns true if the bytes begin with "Exif" and two zeros, as in a JPEG's APP1 segment.
bool has_exif_name(std::span<const std::byte> bytes);

/// Returns the orientation, 1 to 8, stated by Exif's data; 1 if they state none or are damaged.
/// `exif` is a TIFF directory, with or without that name before it.
int exif_orientation(std::span<const std::byte> exif);

}  // namespace warpwise::io
