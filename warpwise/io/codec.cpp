#include "warpwise/io/codec.hpp"

#include <cstring>

#include "warpwise/base/error.hpp"

namespace warpwise::io {

void require_readable_size(std::uint64_t width, std::uint64_t height, const std::string& name) {
  if (width > 0 && height > 0 && width <= most_image_columns && height <= most_image_columns &&
      width * height <= most_image_pixels) {
    return;
  }
  throw IoError("cannot read " + name + ": its header states " + std::to_string(width) + "x" +
                std::to_string(height) +
                " pixels; image files may have 1 to 1048576 columns and rows and 2^30 pixels, "
                ".npy and .raw files more");
}

void refuse_damaged(const std::string& name, std::string_view format,
                    std::string_view library_says) {
  std::string reason =
      "cannot read " + name + ": the " + std::string(format) + " image is damaged or cut short";
  if (!library_says.empty()) reason += " (" + std::string(library_says) + ")";
  throw IoError(reason);
}

Picture upright(Picture picture) {
  const int orientation = picture.orientation();
  if (orientation == 1) return picture;
  const bool rows_become_columns = orientation >= 5;
  const bool from_the_last_row =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool from_the_last_column =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const PictureShape& held = picture.shape();
  PictureShape shape = held;
  if (rows_become_columns) std::swap(shape.width, shape.height);
  Picture turned(shape);
  const auto pixel = static_cast<std::int64_t>(shape.channels) * size_of(shape.type);
  std::byte* to = turned.bytes().data();
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t x = 0; x < shape.width; ++x, to += pixel) {
      std::int64_t row = rows_become_columns ? x : y;
      std::int64_t column = rows_become_columns ? y : x;
      if (from_the_last_row) row = held.height - 1 - row;
      if (from_the_last_column) column = held.width - 1 - column;
      std::memcpy(to, picture.bytes().data() + (row * held.width + column) * pixel,
                  static_cast<std::size_t>(pixel));
    }
  }
  return turned;
}

std::span<const std::byte> row_in_rgb_order(const Picture& picture, std::int64_t y,
                                            std::vector<std::byte>& buffer) {
  const PictureShape& shape = picture.shape();
  const auto channels = static_cast<std::size_t>(shape.channels);
  const std::size_t bytes = static_cast<std::size_t>(shape.width) * channels *
                            static_cast<std::size_t>(size_of(shape.type));
  const auto row = picture.bytes().subspan(static_cast<std::size_t>(y) * bytes, bytes);
  if (shape.format != PixelFormat::bgr24 && shape.format != PixelFormat::bgra32) return row;
  buffer.assign(row.begin(), row.end());
  for (std::size_t i = 0; i < bytes; i += channels) std::swap(buffer[i], buffer[i + 2]);
  return buffer;
}

}  // namespace warpwise::io
