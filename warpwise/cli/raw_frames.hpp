#pragma once

#include <optional>

#include "warpwise/io/input_file.hpp"
#include "warpwise/io/picture.hpp"

namespace warpwise::cli {

/// The headerless frames of a file, a pipe or a device, one after another.
class RawFrames {
 public:
  /// `input` outlives this. \throws IoError  the size of the file is no multiple of a frame's.
  RawFrames(io::InputFile& input, const io::PictureShape& shape);

  /// Reads the next frame into `picture`, which has the frames' shape; false if there is none.
  /// \throws IoError  there is none at all, or the input ends inside it.
  bool next(io::Picture& picture);

  /// Whether there is another byte, which is read and lost. \throws IoError
  bool has_more();

 private:
  io::InputFile& input_;
  io::PictureShape shape_;
  std::int64_t frames_ = 0;
};

}  // namespace warpwise::cli
