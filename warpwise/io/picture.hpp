#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/element_type.hpp"
#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/base/pixel_format.hpp"
#include "warpwise/base/view.hpp"

namespace warpwise::io {

/// Layouts of YUV frames with planes of u16 samples: Y, Cb, Cr. For 4:2:0 a chroma plane has half
/// the rows and half the columns, for 4:2:2 half the columns. Halves are rounded up.
enum class DeepPlanes : std::uint8_t { yuv420, yuv422, yuv444 };
constexpr auto enum_names(DeepPlanes) {
  return std::to_array<EnumName<DeepPlanes>>({{DeepPlanes::yuv420, "yuv420p16"},
                                              {DeepPlanes::yuv422, "yuv422p16"},
                                              {DeepPlanes::yuv444, "yuv444p16"}});
}
inline constexpr auto all_deep_planes = all_values<DeepPlanes>();

/// Describes a picture without its bytes: interleaved channels of any element type, a frame of a
/// pixel format, or a frame of DeepPlanes.
struct PictureShape {
  std::int64_t width = 0;
  std::int64_t height = 0;
  ElementType type = ElementType::u8;
  int channels = 1;  ///< channels of a pixel; 0 if pixels share bytes or lie in planes
  std::optional<PixelFormat> format;  ///< set for 8-bit pixels whose format is known
  /// Range of YUV and grey codes: true for 0 to 255, false for 16 to 235 (chroma 240), nullopt if
  /// unknown.
  std::optional<bool> full_range = std::nullopt;
  std::optional<DeepPlanes> planes = std::nullopt;  ///< if set: type u16, channels 0, no format

  /// Describes interleaved pixels. 8-bit pixels of 1, 3, 4 channels become gray8, rgb24, rgba32.
  static PictureShape interleaved(ElementType type, int channels, std::int64_t width,
                                  std::int64_t height);
  static PictureShape of(PixelFormat format, std::int64_t width, std::int64_t height);
  static PictureShape of(DeepPlanes planes, std::int64_t width, std::int64_t height);

  /// Returns the columns or rows, in samples, of plane 0 to 2 of a frame of DeepPlanes.
  std::int64_t plane_width(int plane) const;
  std::int64_t plane_height(int plane) const;
  /// Returns the number of samples before a plane's first sample, in a frame of DeepPlanes.
  std::int64_t plane_begin(int plane) const;

  /// Returns the size in bytes, without gaps. \throws InvalidArgument  it exceeds 64 bits.
  std::int64_t bytes() const;

  /// Describes a pixel: "rgb24", "3 x u16", …
  std::string pixel_text() const;
};

/// Owns a picture in the layout of files and pipes: rows and planes without gaps, elements
/// little-endian. A new picture's content is uninitialised. Move-only.
class Picture {
 public:
  /// \throws InvalidArgument  a side is below 1, or the bytes exceed 64 bits.
  /// \throws std::bad_alloc
  explicit Picture(const PictureShape& shape);

  const PictureShape& shape() const { return shape_; }
  std::span<std::byte> bytes() { return {data_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

  /// Returns the Exif orientation, 1 to 8: how to turn the picture to make it upright. 1: no turn.
  int orientation() const { return orientation_; }
  /// Stores 1 for any number outside 1 to 8.
  void set_orientation(int number) { orientation_ = number >= 1 && number <= 8 ? number : 1; }

  /// Sets all bytes to 0. The system maps memory on first touch, so a computation that is timed
  /// afterwards takes no page faults.
  void clear() { std::memset(data_.get(), 0, size_); }

 private:
  PictureShape shape_;
  int orientation_ = 1;
  std::size_t size_;
  std::unique_ptr<std::byte[]> data_;
};

/// Refers to a picture's pixels in host or device memory. Makes the view or the frame that
/// primitives take.
template <Memory memory, Access access>
struct PixelsOf {
  PictureShape shape;
  typename BasicView<memory, access>::Pointer data;

  /// Requires interleaved pixels. \throws InvalidArgument  otherwise
  BasicView<memory, access> view() const {
    return {data, shape.type, shape.width, shape.height, shape.channels};
  }
  /// Requires a known shape.format.
  BasicFrame<memory, access> frame() const {
    return {data, shape.format.value(), shape.width, shape.height};
  }
};

}  // namespace warpwise::io
