#include "warpwise/cli/grey.hpp"

#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/convert/grey.hpp"

namespace warpwise::cli {
namespace {

constexpr ConvertOptions options_of_grey = {.convention = Convention::opencv};

}  // namespace

bool is_yuv(const io::PictureShape& shape) {
  return shape.format && live::has_luma(*shape.format) && shape.format != PixelFormat::gray8;
}

io::PictureShape grey_shape(const io::PictureShape& colour) {
  return io::PictureShape::interleaved(colour.type, 1, colour.width, colour.height);
}

void make_grey(live::HostSource colour, live::HostResult to) {
  if (colour.shape.format) return convert(colour.frame(), to.frame(), options_of_grey);
  grey(colour.view(), to.view());
}

void make_grey(live::DeviceSource colour, live::DeviceResult to, gpu::StreamHandle stream) {
  if (colour.shape.format) return convert(colour.frame(), to.frame(), options_of_grey, stream);
  grey(colour.view(), to.view(), stream);
}

io::Picture grey_of(const io::Picture& colour) {
  io::Picture result(grey_shape(colour.shape()));
  make_grey({colour.shape(), colour.bytes().data()}, {result.shape(), result.bytes().data()});
  return result;
}

}  // namespace warpwise::cli
