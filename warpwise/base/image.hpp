#pragma once

#include <cstddef>
#include <memory>

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"

namespace warpwise {

/// A host image that owns its pixels: rows start at multiples of 64 bytes. The content is
/// uninitialised. Move-only.
class WARPWISE_EXPORT Image {
 public:
  /// \throws InvalidArgument  a dimension below 1 or a size beyond 64 bits.
  /// \throws std::bad_alloc   no memory.
  Image(ElementType type, std::int64_t width, std::int64_t height, int channels = 1);

  HostView view() { return {data_.get(), type_, width_, height_, channels_, pitch_bytes_}; }
  ConstHostView view() const {
    return {data_.get(), type_, width_, height_, channels_, pitch_bytes_};
  }

  ElementType type() const { return type_; }
  int channels() const { return channels_; }
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::int64_t width_;
  std::int64_t height_;
  std::int64_t pitch_bytes_;
  int channels_;
  ElementType type_;
};

}  // namespace warpwise
