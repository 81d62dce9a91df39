#pragma once

#include "warpwise/base/frame.hpp"

namespace warpwise::live {

/// Position of one component's samples. Sample i of a plane's row is byte first + i * step of that
/// row.
struct Samples {
  int plane;
  int first;
  int step;
};

/// Returns the position of a component that the format has: 0 is luma or red, 1 Cb or green, 2 Cr
/// or blue, 3 alpha.
Samples samples_of(PixelFormat format, int component);

}  // namespace warpwise::live
