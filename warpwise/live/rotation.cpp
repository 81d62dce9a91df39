#include "warpwise/live/rotation.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "warpwise/live/colours.hpp"

namespace warpwise::live {
namespace {

bool exchanges_sides(int orientation) { return orientation >= 5; }

// The way through the source plane in which a turn reads its pixels. Counted in pixels; the plane
// has no gaps.
struct Walk {
  std::int64_t first;  // offset of the result's first pixel
  std::int64_t right;  // step to the result's next pixel to the right
  std::int64_t down;   // step to the result's next pixel below
};

Walk walk_of(int orientation, std::int64_t width, std::int64_t height) {
  const std::int64_t last_column = width - 1;
  const std::int64_t last_row = (height - 1) * width;
  switch (orientation) {
    case 2: return {last_column, -1, width};
    case 3: return {last_row + last_column, -1, -width};
    case 4: return {last_row, 1, -width};
    case 5: return {0, width, 1};
    case 6: return {last_row, -width, 1};
    case 7: return {last_row + last_column, -width, -1};
    case 8: return {last_column, width, -1};
    default: return {0, 1, width};
  }
}

// Copies in square tiles, so that the cache lines that a quarter turn reads stay in a cache.
template <std::size_t bytes>
void turn_plane(const std::byte* from, std::byte* to, const Walk& walk, std::int64_t width,
                std::int64_t height) {
  constexpr std::int64_t side = 64;
  for (std::int64_t top = 0; top < height; top += side) {
    for (std::int64_t left = 0; left < width; left += side) {
      const std::int64_t end = std::min(left + side, width);
      for (std::int64_t y = top; y < std::min(top + side, height); ++y) {
        const std::byte* next =
            from + (walk.first + left * walk.right + y * walk.down) * std::int64_t{bytes};
        for (std::int64_t x = left; x < end; ++x, next += walk.right * std::int64_t{bytes}) {
          std::memcpy(to + (y * width + x) * std::int64_t{bytes}, next, bytes);
        }
      }
    }
  }
}

// Size of a plane in pixels, and the bytes of a pixel.
struct PlaneOfPixels {
  std::int64_t columns;
  std::int64_t rows;
  std::int64_t bytes;
};

std::vector<PlaneOfPixels> planes_of(const io::PictureShape& shape) {
  std::vector<PlaneOfPixels> planes;
  for (int plane = 0; shape.planes && plane < 3; ++plane) {
    planes.push_back({shape.plane_width(plane), shape.plane_height(plane), size_of(shape.type)});
  }
  for (int plane = 0; shape.format && plane < plane_count(*shape.format); ++plane) {
    const bool is_shared = plane > 0 && is_subsampled(*shape.format);
    const std::int64_t columns = is_shared ? (shape.width + 1) / 2 : shape.width;
    planes.push_back({columns, plane_rows(*shape.format, plane, shape.height),
                      plane_row_bytes(*shape.format, plane, shape.width) / columns});
  }
  if (planes.empty()) {
    planes.push_back({shape.width, shape.height, shape.channels * size_of(shape.type)});
  }
  return planes;
}

}  // namespace

bool can_turn(const io::PictureShape& shape) {
  return shape.format != PixelFormat::yuyv && shape.format != PixelFormat::uyvy &&
         shape.planes != io::DeepPlanes::yuv422;
}

io::PictureShape turned(const io::PictureShape& shape, int orientation) {
  io::PictureShape result = shape;
  if (exchanges_sides(orientation)) std::swap(result.width, result.height);
  return result;
}

void turn(const io::PictureShape& shape, std::span<const std::byte> from, int orientation,
          std::span<std::byte> to) {
  std::size_t begin = 0;
  for (const auto& [columns, rows, bytes] : planes_of(shape)) {
    const Walk walk = walk_of(orientation, columns, rows);
    const bool exchanges = exchanges_sides(orientation);
    const std::int64_t width = exchanges ? rows : columns;
    const std::int64_t height = exchanges ? columns : rows;
    const std::byte* source = from.data() + begin;
    std::byte* result = to.data() + begin;
    switch (bytes) {
      case 1: turn_plane<1>(source, result, walk, width, height); break;
      case 2: turn_plane<2>(source, result, walk, width, height); break;
      case 3: turn_plane<3>(source, result, walk, width, height); break;
      case 6: turn_plane<6>(source, result, walk, width, height); break;
      case 8: turn_plane<8>(source, result, walk, width, height); break;
      default: turn_plane<4>(source, result, walk, width, height); break;
    }
    begin += static_cast<std::size_t>(bytes * columns * rows);
  }
}

}  // namespace warpwise::live
