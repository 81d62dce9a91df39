#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpwise/io/picture.hpp"

// Conversions of samples of 9 to 16 bits. In memory such samples are u16, scaled to 16 bits.
namespace warpwise::io {

/// Meaning of the codes of a sample.
enum class Coding : std::uint8_t {
  limited,      ///< at 8 bits black is 16 and white 235; each further bit doubles all codes
  full,         ///< 0 to the largest code
  full_chroma,  ///< 0 to the largest code; neutral chroma is half the number of codes
};

/// Returns a table that maps codes of `from` bits (1 to 16) to codes of `to` bits (1 to 16),
/// rounded half up and saturated. A code that is converted to more bits and back stays the same.
std::vector<std::uint16_t> levels(int from, int to, Coding coding);

/// Maps each u16 sample of a DeepPlanes or grey frame through its plane's table, from `from` to
/// `to`, which may be the same memory. A code beyond a table becomes the table's last entry.
void map_planes(const PictureShape& shape, std::span<const std::vector<std::uint16_t>> tables,
                std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace warpwise::io
