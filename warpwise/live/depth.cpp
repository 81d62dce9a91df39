#include "warpwise/live/depth.hpp"

namespace warpwise::live {

Coding coding_of(const Stream& stream, int component) {
  if (stream.shape.channels >= 3) return Coding::full;
  if (stream.colours.range.value == Range::limited) return Coding::limited;
  return component == 0 ? Coding::full : Coding::full_chroma;
}

LevelTables levels_of(const Stream& stream, int from, int to) {
  LevelTables tables;
  for (int i = 0; i < stream.components(); ++i)
    tables.push_back(levels(from, to, coding_of(stream, i)));
  return tables;
}

SamplePositions sample_positions(const io::PictureShape& shape, int component) {
  if (!shape.planes) return {component, shape.channels, shape.width, shape.height};
  return {shape.plane_begin(component), 1, shape.plane_width(component),
          shape.plane_height(component)};
}

Stream narrowed(const Stream& deep) {
  Stream result = deep;
  result.depth = 8;
  result.shape = io::PictureShape::of(deep.format_of_8_bits(), deep.shape.width, deep.shape.height);
  result.shape.full_range = deep.shape.full_range;
  return result;
}

}  // namespace warpwise::live
