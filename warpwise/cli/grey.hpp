#pragma once

#include "warpwise/io/picture.hpp"

namespace warpwise::cli {

/// Returns true for YUV pixels with chroma: i420, yuyv, ycbcr32, …
bool is_yuv(const io::PictureShape& shape);

/// Converts a colour picture (rgb24, bgr24, rgba32, bgra32, 3 or 4 channels of u16 or f32) to the
/// grey of cv::cvtColor(COLOR_RGB2GRAY); alpha is ignored. Integers match bit for bit; f32 is 0.299
/// R + 0.587 G + 0.114 B, each operation rounded. For YUV it copies the luma unchanged.
/// \throws InvalidArgument  any other picture.
io::Picture grey_of(const io::Picture& colour);

}  // namespace warpwise::cli
