#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/io/levels.hpp"
#include "warpwise/live/stream.hpp"

// Deep frames: frames of more than 8 bits a sample. Their elements are u16 and use all 16 bits.
// Samples of fewer bits are scaled up when they are read, and scaled back when they are written.
namespace warpwise::live {

using io::Coding;
using io::levels;

/// Returns the coding of component 0 to 3 of a stream's deep frames. The first component is luma or
/// red; the fourth is alpha.
Coding coding_of(const Stream& stream, int component);

/// Tables of codes, one for each component.
using LevelTables = std::vector<std::vector<std::uint16_t>>;

/// Returns the table levels(from, to, coding) for each component of a stream's deep frames.
LevelTables levels_of(const Stream& stream, int from, int to);

/// Positions of a component's samples in a deep frame, counted in samples. The samples fill a
/// plane, or are one element of each interleaved pixel.
struct SamplePositions {
  std::int64_t first;
  std::int64_t step;
  std::int64_t columns;
  std::int64_t rows;
};
SamplePositions sample_positions(const io::PictureShape& shape, int component);

/// Returns a deep frame as convert_deep() takes it: one view of its pixels, or three of its planes.
template <Memory memory, Access access>
std::vector<BasicView<memory, access>> views_of(const io::PixelsOf<memory, access>& pixels) {
  using View = BasicView<memory, access>;
  const io::PictureShape& shape = pixels.shape;
  if (!shape.planes) return {pixels.view()};
  std::vector<View> planes;
  for (int i = 0; i < 3; ++i) {
    auto* const data = static_cast<typename View::Byte*>(pixels.data) + 2 * shape.plane_begin(i);
    planes.push_back({data, shape.type, shape.plane_width(i), shape.plane_height(i)});
  }
  return planes;
}

/// Describes deep frames after rounding to 8 bits. The format is gray8, rgb24, rgba32, i420, yuyv
/// (from 4:2:2) or ycbcr32 (from 4:4:4). `deep` must be of u16.
Stream narrowed(const Stream& deep);

}  // namespace warpwise::live
