#pragma once

#include <cstddef>
#include <span>

#include "warpwise/io/picture.hpp"

namespace warpwise::io {

/// The frames of an input that may hold several of one shape, read one after another.
class Frames {
 public:
  virtual ~Frames() = default;
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  const PictureShape& shape() const { return shape_; }

  /// Reads the next frame into `pixels`, of which there are shape().bytes(); false if there is
  /// none.
  /// \throws IoError  there is none at all, or the input ends inside it.
  virtual bool next(std::span<std::byte> pixels) = 0;

 protected:
  explicit Frames(const PictureShape& shape) : shape_(shape) {}

 private:
  PictureShape shape_;
};

}  // namespace warpwise::io
