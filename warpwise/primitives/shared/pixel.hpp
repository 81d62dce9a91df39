#pragma once

#include "warpwise/base/host_device.hpp"

// Rules for pixels shared by several primitives, on the host and in kernels (nvcc and NVRTC). The
// header includes only headers of Warpwise.
namespace warpwise {

/// Rule for pixels outside the image.
enum class Border : unsigned char {
  reflect101,  ///< mirrored, the edge pixel not repeated: c b | a b c d | c b
  replicate,   ///< the edge pixel: a a | a b c d | d d
  constant,    ///< zero
};

/// Returns the index inside [0, size) of the pixel that replaces `index`; -1 for constant zero.
/// With reflect101, `index` may be at most size - 1 outside, or anywhere if size is 1.
WARPWISE_HOST_DEVICE constexpr long long border_index(long long index, long long size,
                                                      Border border) {
  if (index >= 0 && index < size) return index;
  if (border == Border::constant) return -1;
  if (border == Border::replicate || size == 1) return index < 0 ? 0 : size - 1;
  return index < 0 ? -index : 2 * (size - 1) - index;
}

/// Computes grey from a colour like OpenCV's COLOR_RGB2GRAY for 8-bit pixels: BT.601 weights in 15
/// bits, rounded half up.
WARPWISE_HOST_DEVICE constexpr int opencv_grey(int red, int green, int blue) {
  return (9798 * red + 19235 * green + 3735 * blue + (1 << 14)) >> 15;
}

}  // namespace warpwise
