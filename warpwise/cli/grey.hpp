#pragma once

#include "warpwise/io/picture.hpp"

namespace warpwise::cli {

/// Whether the pixels are YUV with chroma: i420, yuyv, ycbcr32, …
bool is_yuv(const io::PictureShape& shape);

/// The grey picture that cv::cvtColor(COLOR_RGB2GRAY) makes of a colour one (rgb24, bgr24, rgba32,
/// bgra32, 3 or 4 channels of u16 or f32); alpha is ignored. For integers bit for bit; for f32
/// 0.299 R + 0.587 G + 0.114 B, each operation rounded. Of YUV it is the luma, the bytes as they
/// are.
/// \throws InvalidArgument  the picture is none of these.
io::Picture grey_of(const io::Picture& colour);

}  // namespace warpwise::cli
