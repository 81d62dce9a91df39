#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpwise/io/picture.hpp"

namespace warpwise::viewer {

/// How many pixels of a gray8 or rgb24 picture have each luma, of colours that of BT.601, rounded.
std::array<std::uint32_t, 256> histogram_of(const io::PictureShape& shape,
                                            std::span<const std::byte> pixels);

}  // namespace warpwise::viewer
