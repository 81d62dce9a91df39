#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include <opencv2/core.hpp>

#include "warpwise/base/image.hpp"

namespace warpwise::bench {

/// Returns a host image of random bytes. It is shared, because both calls of a comparison read it.
inline std::shared_ptr<Image> random_image(ElementType type, std::int64_t width,
                                           std::int64_t height, int channels = 1) {
  auto image = std::make_shared<Image>(type, width, height, channels);
  std::mt19937_64 random(7);
  for (std::int64_t y = 0; y < height; ++y) {
    std::byte* row = image->view().row(y);
    for (std::int64_t i = 0; i < image->view().row_bytes(); i += 8) {
      const std::uint64_t word = random();
      std::memcpy(
          row + i, &word,
          static_cast<std::size_t>(std::min<std::int64_t>(8, image->view().row_bytes() - i)));
    }
  }
  return image;
}

/// Returns the right image of a stereo pair, made from its left u8 image. Pixels lie 20 to 27
/// further left, by a number that is constant in bands of 64 rows. Noise of 16 levels is added.
inline std::shared_ptr<Image> right_image(const Image& left) {
  auto right = std::make_shared<Image>(ElementType::u8, left.width(), left.height());
  std::mt19937 random(8);
  for (std::int64_t y = 0; y < left.height(); ++y) {
    const std::int64_t moved = 20 + y / 64 % 8;
    for (std::int64_t x = 0; x < left.width(); ++x) {
      const std::int64_t from = std::min(x + moved, left.width() - 1);
      const int value = load<std::uint8_t>(left.view().row(y), from);
      store(right->view().row(y), x, static_cast<std::uint8_t>(value ^ (random() & 15)));
    }
  }
  return right;
}

inline std::shared_ptr<Image> zero_image(ElementType type, std::int64_t width, std::int64_t height,
                                         int channels = 1) {
  auto image = std::make_shared<Image>(type, width, height, channels);
  std::memset(image->view().data(), 0,
              static_cast<std::size_t>(image->view().pitch_bytes() * height));
  return image;
}

/// Returns a cv::Mat that refers to an image's pixels.
inline cv::Mat mat_of(Image& image) {
  const int depth = image.type() == ElementType::u8    ? CV_8U
                    : image.type() == ElementType::u16 ? CV_16U
                    : image.type() == ElementType::i16 ? CV_16S
                                                       : CV_32F;
  return {static_cast<int>(image.height()), static_cast<int>(image.width()),
          CV_MAKETYPE(depth, image.channels()), image.view().data(),
          static_cast<std::size_t>(image.view().pitch_bytes())};
}

}  // namespace warpwise::bench
