#include "warpwise/live/depth.hpp"

namespace warpwise::live {

Coding coding_of(const Stream& stream, int component) {
  if (stream.shape.channels >= 3) return Coding::full;
  if (stream.colours.range.value == Range::limited) return Coding::limited;
  return component == 0 ? Coding::full : Coding::full_chroma;
}

Stream narrowed(const Stream& deep) {
  Stream result = deep;
  result.depth = 8;
  result.shape =
      io::PictureShape::of(deep.samples_of_8_bits(), deep.shape.width, deep.shape.height);
  result.shape.full_range = deep.shape.full_range;
  return result;
}

}  // namespace warpwise::live
