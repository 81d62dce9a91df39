#pragma once

#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"

namespace warpwise::io {

/// Reads the headerless frames of a file, a pipe or a device, one after another.
class RawFrames final : public Frames {
 public:
  /// `input` must outlive this. \throws IoError  a file's size is no multiple of a frame's size.
  RawFrames(InputFile& input, const PictureShape& shape);

  bool next(std::span<std::byte> pixels) override;

 private:
  InputFile& input_;
  std::int64_t frames_ = 0;
};

}  // namespace warpwise::io
