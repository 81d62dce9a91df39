#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "warpwise/base/view.hpp"

namespace warpwise::bench {

/// Frames as of a camera: a texture whose structure is the weaker the finer it is, that moves, and
/// noise. For what takes less time where candidates differ as much as they do in pictures.
class MovingTexture {
 public:
  MovingTexture() : values_(prime) {
    std::mt19937_64 random(11);
    for (int& value : values_) value = static_cast<int>(random() % 256);
  }

  /// Frame 0, 1, …: of 256 columns each move by up to 9 columns and 6 rows a frame, all alike.
  void fill(HostView frame, int number) const {
    for (std::int64_t y = 0; y < frame.height(); ++y) {
      for (std::int64_t x = 0; x < frame.width(); ++x) {
        const std::int64_t part = x / 256;
        const std::int64_t from_x = x + margin + 3 * number * (part % 7 - 3);
        const std::int64_t from_y = y + margin + 3 * number * (part % 5 - 2);
        const int noise = at(x * 29 + y * 83, 5 * number) % 5;
        const int value = (9 * smooth(from_x, from_y, 61) + 4 * smooth(from_x, from_y, 17) +
                           2 * smooth(from_x, from_y, 5)) /
                              16 +
                          noise;
        frame.row(y)[x] = static_cast<std::byte>(value);
      }
    }
  }

 private:
  static constexpr std::int64_t prime = 8191;
  static constexpr std::int64_t margin = 1000;  ///< keeps what moved positive

  int at(std::int64_t i, std::int64_t j) const {
    return values_[static_cast<std::size_t>((i * 131 + j * 677) % prime)];
  }

  /// Random values at the corners of squares, those between them interpolated.
  int smooth(std::int64_t x, std::int64_t y, int side) const {
    const std::int64_t i = x / side, j = y / side;
    const int right = static_cast<int>(x % side), down = static_cast<int>(y % side);
    const int top = at(i, j) * (side - right) + at(i + 1, j) * right;
    const int bottom = at(i, j + 1) * (side - right) + at(i + 1, j + 1) * right;
    return (top * (side - down) + bottom * down) / (side * side);
  }

  std::vector<int> values_;
};

}  // namespace warpwise::bench
