#pragma once

#include <cstddef>
#include <span>

#include "warpwise/io/picture.hpp"

namespace warpwise::live {

/// Returns true if turn() takes frames of that shape: all except 4:2:2, whose pixels share chroma
/// with the pixel beside them.
bool can_turn(const io::PictureShape& shape);

/// Returns a shape after a turn by Exif's number, 1 to 8. From 5 on, width and height are
/// exchanged.
io::PictureShape turned(const io::PictureShape& shape, int orientation);

/// Copies a frame of that shape, turned by Exif's number. Each plane is turned by itself. At an odd
/// width or height, a mirrored plane of subsampled chroma is therefore off by a pixel against the
/// luma. `to` has the size of turned(shape, orientation) and does not overlap `from`.
void turn(const io::PictureShape& shape, std::span<const std::byte> from, int orientation,
          std::span<std::byte> to);

}  // namespace warpwise::live
