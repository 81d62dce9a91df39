#include "warpwise/cli/raw_frames.hpp"

#include <fmt/format.h>

#include "warpwise/base/error.hpp"

namespace warpwise::cli {
namespace {

std::string text_of(const io::PictureShape& shape) {
  return fmt::format("a {}x{} {} frame of {} bytes", shape.width, shape.height, shape.pixel_text(),
                     shape.bytes());
}

}  // namespace

RawFrames::RawFrames(io::InputFile& input, const io::PictureShape& shape)
    : io::Frames(shape), input_(input) {
  if (input.size() && *input.size() % shape.bytes() != 0) {
    throw IoError(fmt::format("{} has {} bytes, which is no multiple of {}", input.name(),
                              *input.size(), text_of(shape)));
  }
}

bool RawFrames::next(io::Picture& picture) {
  const std::size_t got = input_.read(picture.bytes());
  if (got == 0 && frames_ == 0) throw IoError("cannot read " + input_.name() + ": it is empty");
  if (got == 0) return false;
  ++frames_;
  if (got < picture.bytes().size()) {
    throw IoError(fmt::format("{} ends inside frame {}: {} bytes of {}", input_.name(), frames_,
                              got, text_of(shape())));
  }
  return true;
}

}  // namespace warpwise::cli
