#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/element_type.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/base/pixel_format.hpp"
#include "warpwise/base/view.hpp"

namespace warpwise::io {

/// Everything about a picture but its bytes: interleaved channels of any element type, or a frame
/// of a pixel format.
struct PictureShape {
  std::int64_t width = 0;
  std::int64_t height = 0;
  ElementType type = ElementType::u8;
  int channels = 1;  ///< interleaved in a pixel; 0 where the format's pixels share bytes or planes
  std::optional<PixelFormat> format;  ///< of 8-bit pictures whose meaning is known
  /// Whether YUV and grey use the codes 0 to 255, or 16 to 235 (chroma 240), where it is known.
  std::optional<bool> full_range = std::nullopt;

  /// Interleaved pixels; 8-bit ones of 1, 3, 4 channels are gray8, rgb24, rgba32.
  static PictureShape interleaved(ElementType type, int channels, std::int64_t width,
                                  std::int64_t height);
  static PictureShape of(PixelFormat format, std::int64_t width, std::int64_t height);

  /// Rows and planes one after another without gaps. \throws InvalidArgument  beyond 64 bits
  std::int64_t bytes() const;

  /// "rgb24", "3 x u16", …
  std::string pixel_text() const;
};

/// A picture as files and pipes hold it: rows and planes one after another without gaps, elements
/// little-endian. The content is uninitialised. Move-only.
class Picture {
 public:
  /// \throws InvalidArgument  sizes below 1 or beyond 64 bits.  \throws std::bad_alloc
  explicit Picture(const PictureShape& shape);

  const PictureShape& shape() const { return shape_; }
  std::span<std::byte> bytes() { return {data_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  PictureShape shape_;
  std::size_t size_;
  std::unique_ptr<std::byte[]> data_;
};

/// A picture's pixels in host or device memory, as the view or the frame that a primitive takes.
template <Memory memory, Access access>
struct PixelsOf {
  PictureShape shape;
  typename BasicView<memory, access>::Pointer data;

  /// Only of interleaved pixels. \throws InvalidArgument  otherwise
  BasicView<memory, access> view() const {
    return {data, shape.type, shape.width, shape.height, shape.channels};
  }
  /// Only where shape.format is known.
  BasicFrame<memory, access> frame() const {
    return {data, shape.format.value(), shape.width, shape.height};
  }
};

}  // namespace warpwise::io
