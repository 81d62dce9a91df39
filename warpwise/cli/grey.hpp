#pragma once

#include "warpwise/gpu/handles.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/live/stage.hpp"

// Grey of colour pictures for primitives that take no colours. Colours become the grey of
// cv::cvtColor(COLOR_RGB2GRAY), by convert() or grey(); alpha is ignored. YUV becomes its luma,
// unchanged.
namespace warpwise::cli {

/// Returns true for YUV pixels with chroma: i420, yuyv, ycbcr32, …
bool is_yuv(const io::PictureShape& shape);

/// Returns the shape of a colour picture's grey.
io::PictureShape grey_shape(const io::PictureShape& colour);

/// Computes the grey of a colour picture into one of its grey_shape(); on a GPU asynchronously.
/// \throws InvalidArgument  the picture has no such grey.
void make_grey(live::HostSource colour, live::HostResult grey);
void make_grey(live::DeviceSource colour, live::DeviceResult grey, gpu::StreamHandle stream);

/// Returns the grey of a picture, computed on the CPU. \throws InvalidArgument  as make_grey()
io::Picture grey_of(const io::Picture& colour);

}  // namespace warpwise::cli
