#pragma once

#include <cstddef>
#include <span>

namespace warpwise::io {

/// Returns true if the bytes begin with "Exif" and two zeros, as in a JPEG's APP1 segment.
bool has_exif_name(std::span<const std::byte> bytes);

/// Returns the orientation in Exif data, 1 to 8, or 1 if it is missing or damaged. `exif` has the
/// structure of a TIFF file, with or without "Exif" and two zeros before it.
int exif_orientation(std::span<const std::byte> exif);

}  // namespace warpwise::io
