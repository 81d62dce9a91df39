#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/live/stream.hpp"

// Frames of more than 8 bits. Their elements are u16 and have all 16 bits, as those of pictures:
// samples of fewer bits are scaled when they are read, and scaled back when they are written.
namespace warpwise::live {

/// Meaning of the codes of a sample.
enum class Coding : std::uint8_t {
  limited,      ///< black is 16 of 8 bits, 64 of 10: a bit more doubles a code
  full,         ///< 0 to the largest code
  full_chroma,  ///< likewise, and neutral is half the number of codes
};

/// Returns the coding of component 0 to 2 of such frames: luma or red first.
Coding coding_of(const Stream& stream, int component);

/// Returns for each code of `from` bits the code of `to` bits, both 1 to 16, rounded half up and
/// saturated. To more bits and back gives the first code again.
std::vector<std::uint16_t> levels(int from, int to, Coding coding);

/// Returns the stream of frames with the same samples in 8 bits: gray8, rgb24, i420, yuyv (from
/// 4:2:2) or ycbcr32 (from 4:4:4). `deep` must be of u16.
Stream narrowed(const Stream& deep);

}  // namespace warpwise::live
