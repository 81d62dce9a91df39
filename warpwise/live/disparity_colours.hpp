#pragma once

#include "warpwise/base/view.hpp"

namespace warpwise::live {

/// Draws the result of disparity(): blue for 0 to red for `range`, and black for pixels without a
/// match. `disparities` are f32 of one channel, from -1 (no match) to `range`. `rgb` is u8 of three
/// channels and the same size.
void draw_disparity(ConstHostView disparities, int range, HostView rgb);

}  // namespace warpwise::live
