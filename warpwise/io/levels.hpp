#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpwise/io/picture.hpp"

// Samples of 9 to 16 bits. In memory they are u16, scaled to 16 bits.
namespace warpwise::io {

/// Meaning of the codes of a sample.
enum class Coding : std::uint8_t {
  limited,      ///< black is 16 for 8 bits, 64 for 10: each further bit doubles a code
  full,         ///< 0 to the largest code
  full_chroma,  ///< 0 to the largest code; neutral is half the number of codes
};

/// Returns a table from codes of `from` bits to codes of `to` bits, rounded half up and saturated.
/// `from` and `to` are 1 to 16. A code that is converted to more bits and back stays the same.
std::vector<std::uint16_t> levels(int from, int to, Coding coding);

/// Replaces each sample of u16, of DeepPlanes or grey, by its entry in the table of its plane. A
/// code beyond the table counts as the table's last. `from` and `to` may be the same.
void map_planes(const PictureShape& shape, std::span<const std::vector<std::uint16_t>> tables,
                std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace warpwise::io
