#pragma once

#include "warpwise/base/frame.hpp"

namespace warpwise::live {

/// Where the samples of one component lie: sample i of a row of a plane is its byte
/// first + i * step.
struct Samples {
  int plane;
  int first;
  int step;
};

/// Of a component that the format has: 0 is luma or red, 1 Cb or green, 2 Cr or blue, 3 alpha.
Samples samples_of(PixelFormat format, int component);

}  // namespace warpwise::live
