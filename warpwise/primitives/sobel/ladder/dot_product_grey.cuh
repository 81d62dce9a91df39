#pragma once

namespace warpwise::ladders {

// The weights of OpenCV's grey, 9798, 19235 and 3735, split into a high part and a low part of 7
// bits, one byte for each channel: red has the lowest byte, alpha's byte is 0.
constexpr unsigned high_weights = 9798 >> 7 | (19235 >> 7) << 8 | (3735 >> 7) << 16;
constexpr unsigned low_weights = (9798 & 127) | (19235 & 127) << 8 | (3735 & 127) << 16;

__device__ inline int grey(unsigned pixel) {
  const unsigned sum = 128 * __dp4a(pixel, high_weights, 0U) + __dp4a(pixel, low_weights, 1U << 14);
  return static_cast<int>(sum >> 15);
}

/// Returns twice the weighted sum of the colours. The grey value is its third byte, and the byte
/// above is zero.
__device__ inline unsigned grey_in_byte_2(unsigned pixel) {
  return 256 * __dp4a(pixel, high_weights, 0U) + __dp4a(pixel, 2 * low_weights, 1U << 15);
}

}  // namespace warpwise::ladders
