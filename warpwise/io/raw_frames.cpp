#include "warpwise/io/raw_frames.hpp"

#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

std::string text_of(const PictureShape& shape) {
  return "a " + std::to_string(shape.width) + "x" + std::to_string(shape.height) + " " +
         shape.pixel_text() + " frame of " + std::to_string(shape.bytes()) + " bytes";
}

}  // namespace

RawFrames::RawFrames(InputFile& input, const PictureShape& shape) : Frames(shape), input_(input) {
  if (input.size() && *input.size() % shape.bytes() != 0) {
    throw IoError(input.name() + " has " + std::to_string(*input.size()) +
                  " bytes, which is no multiple of " + text_of(shape));
  }
}

bool RawFrames::next(std::span<std::byte> pixels) {
  const std::size_t got = input_.read(pixels);
  if (got == 0 && frames_ == 0) throw IoError("cannot read " + input_.name() + ": it is empty");
  if (got == 0) return false;
  ++frames_;
  if (got < pixels.size()) {
    throw IoError(input_.name() + " ends inside frame " + std::to_string(frames_) + ": " +
                  std::to_string(got) + " bytes of " + text_of(shape()));
  }
  return true;
}

}  // namespace warpwise::io
