#pragma once

#include <cstddef>
#include <span>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// Reads the frames of an input one after another. All of them have the same shape.
class Frames {
 public:
  virtual ~Frames() = default;
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  const PictureShape& shape() const { return shape_; }

  /// Reads the next frame into `pixels`, which has shape().bytes() bytes. Returns false after the
  /// last frame.
  /// \throws IoError  the input has no frame at all, ends inside a frame, or is damaged.
  virtual bool next(std::span<std::byte> pixels) = 0;

 protected:
  explicit Frames(const PictureShape& shape) : shape_(shape) {}

 private:
  PictureShape shape_;
};

}  // namespace warpwise::io
