#pragma once

#include "warpwise/base/view.hpp"

namespace warpwise::live {

/// Draws what disparity() found: from blue, 0, to red, `range`, and black where it found nothing.
/// `disparities` are f32 of one channel from -1, which means nothing, to `range`; `rgb` is u8 of
/// three channels and of that size.
void draw_disparity(ConstHostView disparities, int range, HostView rgb);

}  // namespace warpwise::live
