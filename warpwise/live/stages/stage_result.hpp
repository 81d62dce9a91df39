#pragma once

#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// What primitives of one channel want of a stream: gray8, where it is not that already.
inline std::optional<PixelFormat> grey_unless_it_is(const Stream& from) {
  if (from.format() == PixelFormat::gray8) return std::nullopt;
  return PixelFormat::gray8;
}

/// A stream of rgb24 that a stage makes of another: of that size, and else as it was.
inline Stream rgb_result(const Stream& from, std::int64_t width, std::int64_t height) {
  Stream result = from;
  result.shape = io::PictureShape::of(PixelFormat::rgb24, width, height);
  return result;
}

/// A stream of gray8 that a stage makes of another: of full range, because the stage says so.
inline Stream grey_result(const Stream& from) {
  Stream result = from;
  result.shape = io::PictureShape::of(PixelFormat::gray8, from.shape.width, from.shape.height);
  result.shape.full_range = true;
  result.colours.range = {Range::full, Origin::stage};
  return result;
}

}  // namespace warpwise::live
