#pragma once

#include <cstdint>

// Block motion written in the most obvious way, for match's bench. It uses SAD, blocks of 32x32
// side by side, and displacements −16…+15 along both axes that stay inside the image.
// plain_match.cpp is compiled twice at -O3 for this machine: with the compiler's vectoriser and
// without it.
namespace warpwise::bench {

struct PlainImages {
  const std::uint8_t* reference;
  const std::uint8_t* target;
  std::int64_t width;
  std::int64_t height;
  std::int64_t pitch;
};

/// Writes dx and dy of each block to `motion`, row by row.
void plain_match_vectorised(const PlainImages& images, std::int16_t* motion);
void plain_match_scalar(const PlainImages& images, std::int16_t* motion);

}  // namespace warpwise::bench
