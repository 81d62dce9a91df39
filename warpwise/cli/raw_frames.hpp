#pragma once

#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"

namespace warpwise::cli {

/// The headerless frames of a file, a pipe or a device, one after another.
class RawFrames final : public io::Frames {
 public:
  /// `input` outlives this. \throws IoError  the size of the file is no multiple of a frame's.
  RawFrames(io::InputFile& input, const io::PictureShape& shape);

  bool next(io::Picture& picture) override;

 private:
  io::InputFile& input_;
  std::int64_t frames_ = 0;
};

}  // namespace warpwise::cli
