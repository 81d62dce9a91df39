#pragma once

#include "warpwise/live/stream.hpp"

namespace warpwise::live {

/// Returns what Stage::required_format() returns for single-channel primitives: gray8, or nullopt
/// if the stream is gray8 already.
inline std::optional<PixelFormat> required_grey_format(const Stream& from) {
  if (from.shape.format == PixelFormat::gray8) return std::nullopt;
  return PixelFormat::gray8;
}

/// Returns true for RGB of u16 or f32, which grey_stage() converts to grey, and for DeepPlanes,
/// whose first plane is grey.
inline bool are_deep_colours(const io::PictureShape& shape) {
  if (shape.planes) return true;
  return shape.channels >= 3 && (shape.type == ElementType::u16 || shape.type == ElementType::f32);
}

/// Returns the stream of a stage's rgb24 result: `from` with another size and a depth of 8.
inline Stream rgb_result(const Stream& from, std::int64_t width, std::int64_t height) {
  Stream result = from;
  result.shape = io::PictureShape::of(PixelFormat::rgb24, width, height);
  result.depth = 8;
  return result;
}

/// Returns a stage's result of one channel: gray8 for u8. Its range is always full.
inline Stream grey_result(const Stream& from, ElementType type = ElementType::u8) {
  Stream result = from;
  result.shape = io::PictureShape::interleaved(type, 1, from.shape.width, from.shape.height);
  result.shape.full_range = true;
  if (type == ElementType::u16 && from.depth > 8) result.depth = 16;  // depth stays 8 for pictures
  result.colours.range = {Range::full, Origin::stage};
  return result;
}

}  // namespace warpwise::live
