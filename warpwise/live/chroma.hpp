#pragma once

#include "warpwise/base/frame.hpp"

namespace warpwise::live {

/// Brings an i444 frame into another YUV format, i420, nv12, nv21, yuyv, uyvy, ycbcr32, ycrcb24 or
/// i444: the same luma, and where pixels share a chroma sample their mean, rounded half up, so that
/// samples are sited at the centre; of an odd size the last sample is of the pixels that there are.
/// \throws InvalidArgument  another format, or the sizes differ.
void share_chroma(ConstHostFrame i444, HostFrame to);

}  // namespace warpwise::live
