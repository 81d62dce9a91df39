#include <algorithm>
#include <cmath>
#include <vector>

#include "warpwise/base/float128.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise::reference {
namespace {

/// Returns the pixels of a u8 or u16 image, row by row.
std::vector<std::int64_t> pixels_of(ConstHostView image) {
  std::vector<std::int64_t> pixels;
  for (std::int64_t y = 0; y < image.height(); ++y) {
    for (std::int64_t x = 0; x < image.width(); ++x) {
      pixels.push_back(image.type() == ElementType::u8 ? load<std::uint8_t>(image.row(y), x)
                                                       : load<std::uint16_t>(image.row(y), x));
    }
  }
  return pixels;
}

void set_pixel(HostView image, std::int64_t x, std::int64_t y, std::int64_t value) {
  if (image.type() == ElementType::u8) {
    store(image.row(y), x, static_cast<std::uint8_t>(value));
  } else {
    store(image.row(y), x, static_cast<std::uint16_t>(value));
  }
}

/// Returns how many of the positions centre - half … centre + half read the line's pixel `at`.
/// Positions beyond the line read its end pixels.
std::uint64_t occurrences(std::int64_t at, std::int64_t centre, std::int64_t half,
                          std::int64_t size) {
  const std::int64_t first = at == 0 ? centre - half : std::max(at, centre - half);
  const std::int64_t last = at == size - 1 ? centre + half : std::min(at, centre + half);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, last - first + 1));
}

/// Returns the sum of value(at) over the window, each value as often as the window reads it.
template <class Value>
std::uint64_t window_sum(std::int64_t centre, std::int64_t half, std::int64_t size,
                         const Value& value) {
  std::uint64_t sum = 0;
  const std::int64_t end = std::min(size, centre + half + 1);
  for (std::int64_t at = std::max<std::int64_t>(0, centre - half); at < end; ++at) {
    sum += occurrences(at, centre, half, size) * value(at);
  }
  return sum;
}

/// Computes the sum over each pixel's window: down the columns, then along the rows.
std::vector<std::uint64_t> window_sums(const std::vector<std::int64_t>& pixels, std::int64_t width,
                                       std::int64_t height, std::int64_t half) {
  std::vector<std::uint64_t> down(pixels.size());
  std::vector<std::uint64_t> sums(pixels.size());
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      down[y * width + x] = window_sum(y, half, height, [&](std::int64_t at) {
        return static_cast<std::uint64_t>(pixels[at * width + x]);
      });
    }
  }
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      sums[y * width + x] =
          window_sum(x, half, width, [&](std::int64_t at) { return down[y * width + at]; });
    }
  }
  return sums;
}

/// Returns the weights at distances 0, 1, … from the window's centre.
std::vector<float> gaussian(std::int64_t window) {
  if (window == 1) return {1};
  if (window == 3) return {0.5F, 0.25F};
  if (window == 5) return {0.375F, 0.25F, 0.0625F};
  if (window == 7) return {0.28125F, 0.21875F, 0.109375F, 0.03125F};
  if (window == 9) return {0.234375F, 0.19921875F, 0.1171875F, 0.05078125F, 0.015625F};
  const std::int64_t half = window / 2;
  const double sigma = 0.3 * (static_cast<double>(half) - 1) + 0.8;
  const auto bell = [&](std::int64_t i) {
    const auto distance = static_cast<double>(i);
    return std::exp(-distance * distance / (2 * sigma * sigma));
  };
  double total = bell(0);
  for (std::int64_t i = 1; i <= half; ++i) total += 2 * bell(i);
  std::vector<float> weights;
  for (std::int64_t i = 0; i <= half; ++i) weights.push_back(static_cast<float>(bell(i) / total));
  return weights;
}

/// Computes a line's weighted mean around `centre`.
template <class Value>
float weigh(const std::vector<float>& weights, std::int64_t centre, std::int64_t size,
            const Value& value) {
  float sum = weights[0] * value(centre);
  for (std::size_t i = 1; i < weights.size(); ++i) {
    const std::int64_t before = std::max<std::int64_t>(0, centre - static_cast<std::int64_t>(i));
    const std::int64_t after = std::min(size - 1, centre + static_cast<std::int64_t>(i));
    sum += weights[i] * (value(before) + value(after));
  }
  return sum;
}

std::vector<float> gaussian_means(const std::vector<std::int64_t>& pixels, std::int64_t width,
                                  std::int64_t height, std::int64_t window) {
  const std::vector<float> weights = gaussian(window);
  std::vector<float> along(pixels.size());
  std::vector<float> means(pixels.size());
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      along[y * width + x] = weigh(weights, x, width, [&](std::int64_t at) {
        return static_cast<float>(pixels[y * width + at]);
      });
    }
  }
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      means[y * width + x] =
          weigh(weights, y, height, [&](std::int64_t at) { return along[at * width + x]; });
    }
  }
  return means;
}

bool above_rounded_mean(std::int64_t value, std::int64_t mean, const ThresholdOptions& options) {
  const auto difference = static_cast<double>(value - mean);
  return options.inverted ? difference > -std::floor(options.offset)
                          : difference > -std::ceil(options.offset);
}

/// Returns true if sum / area - offset < value. 113 bits hold every term exactly: a sum has 64
/// bits, and offset * area has 53 + 48.
bool above_exact_mean(std::int64_t value, std::uint64_t sum, std::int64_t area,
                      const ThresholdOptions& options) {
  using Exact = Float128;
  return static_cast<Exact>(sum) - static_cast<Exact>(value) * static_cast<Exact>(area) <
         static_cast<Exact>(options.offset) * static_cast<Exact>(area);
}

void store_mean(std::optional<HostView> image, std::int64_t x, std::int64_t y, float mean,
                std::int64_t rounded) {
  if (!image) return;
  if (image->type() == ElementType::f32) {
    store(image->row(y), x, mean);
  } else {
    set_pixel(*image, x, y, rounded);
  }
}

}  // namespace

void threshold(ConstHostView src, HostView dst, const ThresholdOptions& options,
               std::optional<HostView> mean) {
  const bool is_gaussian = options.method == ThresholdMethod::gaussian;
  const std::int64_t area = options.window * options.window;
  const std::int64_t largest = src.type() == ElementType::u8 ? 255 : 65535;
  const std::vector<std::int64_t> pixels = pixels_of(src);
  std::vector<std::uint64_t> sums;
  std::vector<float> means;
  if (is_gaussian) {
    means = gaussian_means(pixels, src.width(), src.height(), options.window);
  } else {
    sums = window_sums(pixels, src.width(), src.height(), options.window / 2);
  }
  for (std::int64_t y = 0; y < src.height(); ++y) {
    for (std::int64_t x = 0; x < src.width(); ++x) {
      const std::int64_t i = y * src.width() + x;
      const std::int64_t value = pixels[i];
      bool above = false;
      if (is_gaussian) {
        const std::int64_t rounded =
            std::min(largest, static_cast<std::int64_t>(std::nearbyint(means[i])));
        above = above_rounded_mean(value, rounded, options);
        store_mean(mean, x, y, means[i], rounded);
      } else {
        const auto unsigned_area = static_cast<std::uint64_t>(area);
        // The remainder decides the rounding; an odd area leaves no ties.
        const bool up = sums[i] % unsigned_area > unsigned_area / 2;
        const auto rounded = static_cast<std::int64_t>(sums[i] / unsigned_area) + (up ? 1 : 0);
        above = options.method == ThresholdMethod::exact_mean
                    ? above_exact_mean(value, sums[i], area, options)
                    : above_rounded_mean(value, rounded, options);
        store_mean(mean, x, y,
                   static_cast<float>(static_cast<double>(sums[i]) / static_cast<double>(area)),
                   rounded);
      }
      set_pixel(dst, x, y, above != options.inverted ? options.maximum : 0);
    }
  }
}

}  // namespace warpwise::reference
