#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpwise/io/picture.hpp"

namespace warpwise::viewer {

/// Counts the pixels of a gray8 or rgb24 picture at each luma. Colours use BT.601's luma, rounded.
std::array<std::uint32_t, 256> histogram_of(const io::PictureShape& shape,
                                            std::span<const std::byte> pixels);

}  // namespace warpwise::viewer
