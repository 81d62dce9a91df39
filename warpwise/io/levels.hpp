#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpwise/io/picture.hpp"

// Samples of 9 to 16 bits. In memory they are u16 and have all 16 bits.
namespace warpwise::io {

/// Meaning of the codes of a sample.
enum class Coding : std::uint8_t {
  limited,      ///< black is 16 for 8 bits, 64 for 10: each further bit doubles a code
  full,         ///< 0 to the largest code
  full_chroma,  ///< 0 to the largest code; neutral is half the number of codes
};

/// Returns for each code of `from` bits the code of `to` bits, both 1 to 16, rounded half up and
/// saturated. A code that is converted to more bits and back is the first code again.
std::vector<std::uint16_t> levels(int from, int to, Coding coding);

/// Replaces each sample of u16, of DeepPlanes or grey, by its entry in the table of its plane. A
/// code beyond the table counts as the table's last. `from` and `to` may be the same.
void map_planes(const PictureShape& shape, std::span<const std::vector<std::uint16_t>> tables,
                std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace warpwise::io
