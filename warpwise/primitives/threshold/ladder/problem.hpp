#pragma once

#include "warpwise/base/host_device.hpp"

namespace warpwise::ladders {

/// Arguments of every rung: a grey image of bytes at any address and of any pitch. The window
/// around a pixel reaches `half` pixels to every side. Beyond the image the edge pixel is repeated.
/// 32 bits hold every sum.
struct ThresholdProblem {
  const unsigned char* src;
  unsigned char* dst;
  unsigned char* scratch;          ///< scratch memory of the size in ladder.json, aligned to 16
  unsigned long long src_texture;  ///< 0 unless ladder.json lists a texture for the rung
  long long src_pitch;
  long long dst_pitch;
  int width;
  int height;
  int half;
  int area;  ///< number of pixels in the window
  int bias;  ///< offset · area, rounded up, less 1
};

/// Returns the index of the edge pixel for an index beyond the image.
WARPWISE_HOST_DEVICE constexpr int clamped(int index, int size) {
  return index < 0 ? 0 : (index < size ? index : size - 1);
}

/// Computes sum / area - offset < pixel ? 255 : 0 in integers, without rounding.
WARPWISE_HOST_DEVICE constexpr unsigned char level(const ThresholdProblem& p, int pixel, int sum) {
  return pixel * p.area + p.bias >= sum ? 255 : 0;
}

}  // namespace warpwise::ladders
