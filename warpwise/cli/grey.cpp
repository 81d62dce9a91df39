#include "warpwise/cli/grey.hpp"

#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/shared/pixel.hpp"

namespace warpwise::cli {
namespace {

std::uint16_t grey(std::uint16_t red, std::uint16_t green, std::uint16_t blue) {
  return static_cast<std::uint16_t>(opencv_grey(red, green, blue));
}

float grey(float red, float green, float blue) {
  return 0.299F * red + 0.587F * green + 0.114F * blue;
}

template <class T>
void grey_pixels(const io::Picture& colour, io::Picture& result) {
  const std::int64_t pixels = colour.shape().width * colour.shape().height;
  const int channels = colour.shape().channels;
  const std::byte* from = colour.bytes().data();
  for (std::int64_t i = 0; i < pixels; ++i) {
    store(result.bytes().data(), i,
          grey(load<T>(from, i * channels), load<T>(from, i * channels + 1),
               load<T>(from, i * channels + 2)));
  }
}

}  // namespace

bool is_yuv(const io::PictureShape& shape) {
  if (!shape.format) return false;
  switch (*shape.format) {
    case PixelFormat::gray8:
    case PixelFormat::rgb24:
    case PixelFormat::bgr24:
    case PixelFormat::rgba32:
    case PixelFormat::bgra32: return false;
    default: return true;
  }
}

io::Picture grey_of(const io::Picture& colour) {
  const io::PictureShape& shape = colour.shape();
  io::Picture result(io::PictureShape::interleaved(shape.type, 1, shape.width, shape.height));
  if (shape.format) {
    convert(ConstHostFrame(colour.bytes().data(), *shape.format, shape.width, shape.height),
            HostFrame(result.bytes().data(), PixelFormat::gray8, shape.width, shape.height),
            {.convention = Convention::opencv});
  } else if (shape.type == ElementType::u16 && shape.channels >= 3) {
    grey_pixels<std::uint16_t>(colour, result);
  } else if (shape.type == ElementType::f32 && shape.channels >= 3) {
    grey_pixels<float>(colour, result);
  } else {
    throw InvalidArgument("there is no grey of " + shape.pixel_text());
  }
  return result;
}

}  // namespace warpwise::cli
