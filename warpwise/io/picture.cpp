#include "warpwise/io/picture.hpp"

namespace warpwise::io {

PictureShape PictureShape::interleaved(ElementType type, int channels, std::int64_t width,
                                       std::int64_t height) {
  PictureShape shape{width, height, type, channels, std::nullopt};
  if (type == ElementType::u8) {
    if (channels == 1) shape.format = PixelFormat::gray8;
    if (channels == 3) shape.format = PixelFormat::rgb24;
    if (channels == 4) shape.format = PixelFormat::rgba32;
  }
  return shape;
}

PictureShape PictureShape::of(PixelFormat format, std::int64_t width, std::int64_t height) {
  const bool shares_bytes =
      plane_count(format) > 1 || format == PixelFormat::yuyv || format == PixelFormat::uyvy;
  const int channels = shares_bytes ? 0 : static_cast<int>(plane_row_bytes(format, 0, 1));
  return {width, height, ElementType::u8, channels, format};
}

PictureShape PictureShape::of(DeepPlanes planes, std::int64_t width, std::int64_t height) {
  return {width, height, ElementType::u16, 0, std::nullopt, std::nullopt, planes};
}

std::int64_t PictureShape::plane_width(int plane) const {
  return plane == 0 || planes == DeepPlanes::yuv444 ? width : width / 2 + width % 2;
}

std::int64_t PictureShape::plane_height(int plane) const {
  return plane == 0 || planes != DeepPlanes::yuv420 ? height : height / 2 + height % 2;
}

std::int64_t PictureShape::plane_begin(int plane) const {
  std::int64_t begin = 0;
  for (int i = 0; i < plane; ++i) begin += plane_width(i) * plane_height(i);
  return begin;
}

std::int64_t PictureShape::bytes() const {
  if (planes) {
    const std::int64_t chroma = checked_mul(plane_width(1), plane_height(1));
    const std::int64_t samples = checked_add(checked_mul(width, height), checked_mul(2, chroma));
    return checked_mul(samples, size_of(type));
  }
  if (format) return frame_bytes(*format, width, height);
  return checked_mul(checked_mul(width, height), checked_mul(channels, size_of(type)));
}

std::string PictureShape::pixel_text() const {
  if (format) return std::string(name_of(*format));
  if (planes) return std::string(name_of(*planes));
  const std::string element(name_of(type));
  return channels == 1 ? element : std::to_string(channels) + " x " + element;
}

Picture::Picture(const PictureShape& shape)
    : shape_(shape), size_(static_cast<std::size_t>(shape.bytes())) {
  if (shape.width < 1 || shape.height < 1) {
    throw InvalidArgument("a picture needs at least 1x1 pixels, not " +
                          std::to_string(shape.width) + "x" + std::to_string(shape.height));
  }
  // The memory stays uninitialised on purpose. If a header claims too large a size, untouched
  // memory costs nothing until the file's bytes arrive.
  data_ = std::make_unique_for_overwrite<std::byte[]>(size_);
}

}  // namespace warpwise::io
