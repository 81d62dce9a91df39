#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "warpwise/base/view.hpp"

namespace warpwise::bench {

/// Makes frames like those of a camera: a moving texture, whose finer structures are weaker, with
/// noise. Searches that stop early at poor candidates need frames like real pictures.
class MovingTexture {
 public:
  MovingTexture() : values_(prime) {
    std::mt19937_64 random(11);
    for (int& value : values_) value = static_cast<int>(random() % 256);
  }

  /// Fills the frame with a number from 0. Each part of 256 columns moves as a whole, by up to 9
  /// columns and 6 rows from frame to frame.
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
  static constexpr std::int64_t margin = 1000;  ///< keeps moved coordinates positive

  int at(std::int64_t i, std::int64_t j) const {
    return values_[static_cast<std::size_t>((i * 131 + j * 677) % prime)];
  }

  /// Interpolates between random values at the corners of squares.
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
