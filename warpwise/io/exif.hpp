#pragma once

#include <cstddef>
#include <span>

namespace warpwise::io {

/// Returns the orientation, 1 to 8, stated by a JPEG's first APP1 segment; 1 if it states none or
/// is damaged. `segment` is the content after the length: "Exif", two zeros, then a TIFF directory.
int exif_orientation(std::span<const std::byte> segment);

}  // namespace warpwise::io
