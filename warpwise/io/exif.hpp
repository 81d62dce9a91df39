#pragma once

#include <cstddef>
#include <span>

namespace warpwise::io {

/// The orientation, 1 to 8, that a JPEG's first APP1 segment states; 1 where it states none or is
/// damaged. `segment` is its content behind the length: "Exif", two zeros, then a TIFF directory.
int exif_orientation(std::span<const std::byte> segment);

}  // namespace warpwise::io
