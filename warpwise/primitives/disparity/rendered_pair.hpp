#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "support/guarded_image.hpp"

namespace warpwise::test {

/// A sum of plane waves. It is known at every point: an image of it can be shifted by any fraction
/// of a pixel without interpolation.
class Texture {
 public:
  /// Makes waves of `shortest` pixels and longer, in every direction.
  Texture(double shortest, std::uint64_t seed) {
    constexpr double longest = 40;
    std::mt19937_64 random(seed);
    double power = 0;
    for (Wave& wave : waves_) {
      const double length = shortest * std::pow(longest / shortest, share(random));
      const double direction = 2 * std::numbers::pi * share(random);
      // Longer waves have larger amplitudes, as in photographs.
      wave = {2 * std::numbers::pi / length * std::cos(direction),
              2 * std::numbers::pi / length * std::sin(direction),
              2 * std::numbers::pi * share(random), std::sqrt(length)};
      power += wave.height * wave.height / 2;
    }
    for (Wave& wave : waves_) wave.height *= contrast / std::sqrt(power);
  }

  double at(double x, double y) const {
    double value = 127.5;
    for (const Wave& w : waves_) value += w.height * std::cos(w.x * x + w.y * y + w.phase);
    return value;
  }

  /// Returns a random number in [0, 1), the same on every machine.
  static double share(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11) / static_cast<double>(1LL << 53);
  }

 private:
  struct Wave {
    double x, y, phase, height;
  };
  // Standard deviation in grey levels. It is small, so that few values need more than 8 bits.
  static constexpr double contrast = 40;
  std::vector<Wave> waves_ = std::vector<Wave>(48);
};

/// A slanted, textured plane as a rectified stereo pair sees it.
struct RenderedPair {
  static constexpr int width = 320, height = 96;

  /// The disparity at (x, y) of the left image is near + across x + down y.
  struct Plane {
    double near, across, down;
    double at(double x, double y) const { return near + across * x + down * y; }
  };

  GuardedImage left{ElementType::u8, width, height}, right{ElementType::u8, width, height};
  Plane plane;

  /// \param noise  the standard deviation of the noise of each pixel, in grey levels.
  RenderedPair(const Texture& texture, const Plane& seen, double noise, std::uint64_t seed)
      : plane(seen) {
    std::mt19937_64 random(seed);
    const auto pixel = [&](double value) {
      double normal = -6;  // the sum of twelve uniform values has a variance of 1
      for (int i = 0; i < 12; ++i) normal += Texture::share(random);
      return static_cast<std::uint8_t>(std::clamp(std::lround(value + noise * normal), 0L, 255L));
    };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        // Finds the left image's point that the right image shows at x: x_left − disparity is x.
        const double x_left = (x + plane.near + plane.down * y) / (1 - plane.across);
        store(left.view().row(y), x, pixel(texture.at(x, y)));
        store(right.view().row(y), x, pixel(texture.at(x_left, y)));
      }
    }
  }
};

}  // namespace warpwise::test
