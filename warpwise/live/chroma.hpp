#pragma once

#include "warpwise/base/frame.hpp"

namespace warpwise::live {

/// Converts an i444 frame to another YUV format: i420, nv12, nv21, yuyv, uyvy, ycbcr32, ycrcb24 or
/// i444. Luma is unchanged. A chroma sample is the mean of the pixels that share it, rounded half
/// up, and is therefore sited at their centre. At odd sizes the last sample covers only existing
/// pixels.
/// \throws InvalidArgument  another format, or the sizes differ.
void share_chroma(ConstHostFrame i444, HostFrame to);

/// Gives unused bytes a fixed value, so that equal frames have equal bytes: 255 in ycbcr32, and at
/// an odd width the last luma again in yuyv and uyvy.
void fill_unused(HostFrame to);

}  // namespace warpwise::live
