#pragma once

#include <cstddef>
#include <span>

#include "warpwise/io/picture.hpp"

namespace warpwise::live {

/// Returns true if turn() takes frames of `shape`: all except 4:2:2, in which two pixels of a row
/// share chroma. After a quarter turn these pixels lie in a column, and no format stores that.
bool can_turn(const io::PictureShape& shape);

/// Returns the shape of frames after turn(). Orientations from 5 to 8 exchange width and height.
io::PictureShape turned(const io::PictureShape& shape, int orientation);

/// Copies a frame of `shape`, turned upright by its Exif orientation, 1 to 8. Each plane is turned
/// by itself. At an odd width or height, a mirrored plane of subsampled chroma is therefore off by
/// a pixel against the luma. `to` has the size of turned(shape, orientation) and does not overlap
/// `from`.
void turn(const io::PictureShape& shape, std::span<const std::byte> from, int orientation,
          std::span<std::byte> to);

}  // namespace warpwise::live
