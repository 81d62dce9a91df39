// Tests decisions before a launch: the choice of kernels, and the integer Gaussian's error bound.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "support/guarded_image.hpp"
#include "warpwise/primitives/threshold/gaussian_launch.hpp"
#include "warpwise/primitives/threshold/launch.hpp"

namespace warpwise {
namespace {

using test::Size;

/// Gaussian weights of the centre, then outwards.
std::vector<float> bell(std::int64_t half) {
  const double sigma = 0.3 * (static_cast<double>(half) - 1) + 0.8;
  const auto at = [&](std::int64_t i) {
    return std::exp(-static_cast<double>(i * i) / (2 * sigma * sigma));
  };
  double total = at(0);
  for (std::int64_t i = 1; i <= half; ++i) total += 2 * at(i);
  std::vector<float> weights;
  for (std::int64_t i = 0; i <= half; ++i) weights.push_back(static_cast<float>(at(i) / total));
  return weights;
}

/// Computes the mean of window × window pixels p(x, y) by integers, like
/// threshold_gaussian_products.
template <class Pixels>
double gaussian_by_integers(const std::vector<float>& weights, int bits, const Pixels& p) {
  const auto half = static_cast<std::int64_t>(weights.size()) - 1;
  const auto weight = [&](std::int64_t i) {
    return std::llrint(std::ldexp(double{weights[static_cast<std::size_t>(std::abs(i))]}, bits));
  };
  std::int64_t sum = 0;
  for (std::int64_t y = -half; y <= half; ++y) {
    std::int64_t along = 0;
    for (std::int64_t x = -half; x <= half; ++x) along += weight(x) * p(x, y);
    sum += weight(y) * (along >> (bits - 8));
  }
  // Means along rows were truncated to multiples of 1/256; adding half a step centres this error.
  return std::ldexp(static_cast<double>(sum), -bits - 8) + std::ldexp(1, -9);
}

/// Computes the mean of gaussian_by_integers() in floats, in the order that the contract sets.
template <class Pixels>
double gaussian_by_floats(const std::vector<float>& weights, const Pixels& p) {
  const auto half = static_cast<std::int64_t>(weights.size()) - 1;
  const auto weigh = [&](const auto& value) {
    float sum = weights[0] * value(0);
    for (std::int64_t i = 1; i <= half; ++i) {
      sum += weights[static_cast<std::size_t>(i)] * (value(-i) + value(i));
    }
    return sum;
  };
  return weigh([&](std::int64_t y) {
    return weigh([&](std::int64_t x) { return static_cast<float>(p(x, y)); });
  });
}

TEST(ThresholdLaunch, GaussianIntegersStayNearTheFloats) {
  for (std::int64_t window = 1; window <= 113; window += 2) {
    const std::vector<float> weights = bell(window / 2);
    const auto [bits, distance] = detail::threshold::gaussian_fixed_point(weights);
    EXPECT_LT(distance, 0.01) << window;
    EXPECT_LE(std::ldexp(weights[0], bits), 65535.5) << window;
    // Returns true if weight i was rounded up. Bright pixels at such weights add up the errors.
    const auto grows = [&](std::int64_t i) {
      const double scaled =
          std::ldexp(double{weights[static_cast<std::size_t>(std::abs(i))]}, bits);
      return std::nearbyint(scaled) > scaled;
    };
    for (int pattern = 0; pattern < 7; ++pattern) {
      const auto p = [&](std::int64_t x, std::int64_t y) -> std::int64_t {
        switch (pattern) {
          case 0: return 255;
          case 1: return grows(x) ? 255 : 0;
          case 2: return grows(x) ? 0 : 255;
          case 3: return grows(y) ? 255 : 0;
          case 4: return grows(y) ? 0 : 255;
          case 5: return grows(x) == grows(y) ? 255 : 0;
          default: return (x * 7919 + y * 104729 + x * y * 31) & 255;
        }
      };
      EXPECT_NEAR(gaussian_by_integers(weights, bits, p), gaussian_by_floats(weights, p), distance)
          << window << " " << pattern;
    }
  }
}

/// Every GPU from CC 7.5 on lets a block have 64 KB of shared memory.
TEST(ThresholdLaunch, GaussianProductsFitEveryGpu) {
  for (const int height : {200, 12288}) {
    for (std::int64_t window = 1; window <= 113; window += 2) {
      SCOPED_TRACE(testing::Message() << "window " << window << ", " << height << " rows");
      const auto launch = detail::threshold::gaussian_product_launch(
          {nullptr, 16384, 16384, height}, {}, {bell(window / 2), 0, {}});
      ASSERT_TRUE(launch);
      EXPECT_LE(launch->shared_bytes, 64U << 10);
      EXPECT_LE(launch->arguments.row_groups, 32);
      EXPECT_GE(std::int64_t{launch->grid.y} * launch->arguments.segment_rows, height);
    }
  }
}

TEST(ThresholdLaunch, GaussianTilesForEveryThread) {
  using detail::threshold::gaussian_tiles;
  for (const std::int64_t threads : {1, 2, 4, 16}) {
    for (const auto& [size, window] :
         std::initializer_list<std::pair<Size, std::int64_t>>{{{1280, 720}, 101},
                                                              {{640, 480}, 61},
                                                              {{4096, 3072}, 15},
                                                              {{1280, 720}, 15},
                                                              {{4096, 3072}, 501},
                                                              {{256, 20000}, 301},
                                                              {{65, 1}, 3},
                                                              {{1, 1}, 4001}}) {
      const auto tiles =
          gaussian_tiles(size.width, size.height, window / 2 + 1, threads, 256 << 10);
      SCOPED_TRACE(testing::Message() << size.width << "x" << size.height << " window " << window
                                      << " threads " << threads);
      if (size.height >= window) {
        EXPECT_GE(tiles.across * tiles.strips, threads == 1 ? 1 : 2 * threads);
      }
      if (threads == 1) {
        EXPECT_EQ(tiles.strips, 1);
      }
      EXPECT_GE(tiles.across * tiles.columns, size.width);
      EXPECT_LT((tiles.across - 1) * tiles.columns, size.width);
      EXPECT_GE(tiles.strips * tiles.rows, size.height);
      EXPECT_LT((tiles.strips - 1) * tiles.rows, size.height);
      EXPECT_LE(tiles.columns * std::min(window, size.height) * 4, 512 << 10);
    }
  }
}

TEST(ThresholdLaunch, OneGaussianStripOfAnImageForOneThread) {
  for (const std::int64_t window : {3, 15}) {
    const auto tiles = detail::threshold::gaussian_tiles(64, 64, window / 2 + 1, 16, 256 << 10);
    EXPECT_EQ(tiles.across * tiles.strips, 1) << window;
  }
}

/// Returns the launches if a block may have shared_limit bytes of shared memory; reads no pixels.
detail::threshold::ThresholdLaunches launches_of(const Size& size, std::int64_t window,
                                                 std::int64_t shared_limit,
                                                 std::int64_t pixel_bytes, float* mean = nullptr) {
  using namespace detail::threshold;
  const kernels::threshold::ThresholdSource src{nullptr, size.width * pixel_bytes, size.width,
                                                size.height};
  kernels::threshold::ThresholdOutput out{};
  out.dst_pitch = size.width * pixel_bytes;
  out.mean = reinterpret_cast<unsigned char*>(mean);
  WindowRule rule;
  rule.half = window / 2;
  rule.area = window * window;
  rule.wide = window > (pixel_bytes == 1 ? 2051 : 127);
  const auto launches = threshold_launches(src, out, rule, pixel_bytes, shared_limit, nullptr);
  EXPECT_EQ(threshold_scratch_bytes(src, out, rule, pixel_bytes, shared_limit) == 0,
            launches.end() - launches.begin() == 1);
  return launches;
}

std::string first_kernel(const Size& size, std::int64_t window, std::int64_t shared_limit,
                         std::int64_t pixel_bytes = 1, float* mean = nullptr) {
  const auto launches = launches_of(size, window, shared_limit, pixel_bytes, mean);
  return detail::threshold::kernel_name(launches.begin()->kernel);
}

TEST(ThresholdLaunch, BandsWhereSharedMemoryHoldsThem) {
  constexpr Size large{16384, 12288};
  constexpr std::int64_t turing = 64 << 10, ada = 99 << 10, hopper = 227 << 10;
  for (const std::int64_t limit : {turing, ada, hopper}) {
    EXPECT_EQ(first_kernel(large, 63, limit), "threshold_bands");
    EXPECT_EQ(first_kernel(large, 127, limit), "threshold_tiles");
    EXPECT_EQ(first_kernel({4096, 3072}, 127, limit), "threshold_tiles");
    for (const Size& size : {Size{4096, 3072}, Size{1280, 720}, Size{1, 1}}) {
      EXPECT_EQ(first_kernel(size, 511, limit),
                limit == hopper ? "threshold_row_sums" : "threshold_segments");
    }
    EXPECT_EQ(first_kernel(large, 2053, limit), "threshold_segments");
  }
  EXPECT_EQ(first_kernel(large, 65, turing), "threshold_tiles");
  EXPECT_EQ(first_kernel(large, 65, ada), "threshold_bands");
  EXPECT_EQ(first_kernel(large, 255, ada), "threshold_tiles");
  EXPECT_EQ(first_kernel(large, 255, hopper), "threshold_row_sums");
  for (const std::int64_t window : {511, 1023, 2051}) {
    EXPECT_EQ(first_kernel(large, window, turing), "threshold_segments");
    EXPECT_EQ(first_kernel(large, window, ada), "threshold_segments");
    EXPECT_EQ(first_kernel(large, window, hopper), "threshold_row_sums");
  }
  EXPECT_EQ(first_kernel({9, 129 * 128}, 257, hopper), "threshold_row_sums");
  for (const Size& size : {large, Size{4096, 3072}}) {
    EXPECT_EQ(first_kernel(size, 159, hopper), "threshold_tiles");
    EXPECT_EQ(first_kernel(size, 161, hopper), "threshold_row_sums");
    EXPECT_EQ(first_kernel(size, 161, ada), "threshold_tiles");
    EXPECT_EQ(first_kernel(size, 79, hopper, 2), "threshold_tiles");
    EXPECT_EQ(first_kernel(size, 81, hopper, 2), "threshold_row_sums");
    EXPECT_EQ(first_kernel(size, 31, hopper, 2), "threshold_bands");
    EXPECT_EQ(first_kernel(size, 255, ada, 2), "threshold_row_sums");
    EXPECT_EQ(first_kernel(size, 255, turing, 2), "threshold_segments");
  }
  float mean = 0;
  EXPECT_EQ(first_kernel(large, 31, hopper, 1, &mean), "threshold_tiles");
  EXPECT_EQ(first_kernel(large, 511, hopper, 1, &mean), "threshold_segments");
}

TEST(ThresholdLaunch, ColumnSumsOfU16Have64Bits) {
  // The image is too high for tiles and bands.
  constexpr Size size{3, (std::int64_t{1} << 30) + 1};
  for (const int pixel_bytes : {1, 2}) {
    for (const auto& launch : launches_of(size, 31, 227 << 10, pixel_bytes)) {
      EXPECT_EQ(launch.kernel.sum_bytes, pixel_bytes == 1 ? 4 : 8);
    }
  }
}

TEST(ThresholdLaunch, StripsThatCoverRowsBest) {
  const auto threads = [](const Size& size, std::int64_t window) {
    const kernels::threshold::ThresholdSource src{nullptr, size.width, size.width, size.height};
    detail::threshold::WindowRule rule;
    rule.half = window / 2;
    return detail::threshold::best_band_plan(std::span(&src, 1), rule, 1, 227 << 10).kernel.threads;
  };
  EXPECT_EQ(threads({1280, 720}, 31), 160);
  EXPECT_EQ(threads({1280, 720}, 63), 160);
  EXPECT_EQ(threads({1920, 1080}, 31), 160);
  EXPECT_EQ(threads({1920, 1080}, 63), 128);
  EXPECT_EQ(threads({4096, 3072}, 31), 128);
  EXPECT_EQ(threads({530, 2150}, 15), 160);
}

TEST(ThresholdLaunch, GroupsOfRowsThatHaveSums) {
  using detail::threshold::row_sum_rows;
  EXPECT_EQ(row_sum_rows(1), 16);
  EXPECT_EQ(row_sum_rows(std::int64_t{4096} * 3072 / 16), 16);
  EXPECT_EQ(row_sum_rows(std::int64_t{8192} * 8192 / 16), 32);
  EXPECT_EQ(row_sum_rows(std::int64_t{16384} * 12288 / 16), 64);
}

TEST(ThresholdLaunch, RowsOfWideBandsFitTheirWindow) {
  using detail::threshold::wide_band_rows;
  for (const int window : {127, 255, 511, 1023}) EXPECT_EQ(wide_band_rows(window / 2), 128);
  EXPECT_EQ(wide_band_rows(201 / 2), 96);
}

TEST(ThresholdLaunch, RowsOfWideBandsHoldTheirWindows) {
  // Windows begin and end within a row of shared memory.
  for (const std::int64_t half : {33, 80, 127, 255, 300, 511}) {
    for (const int size : {1, 2}) {
      detail::threshold::WindowRule rule;
      rule.half = half;
      rule.area = (2 * half + 1) * (2 * half + 1);
      for (const int threads : kernels::threshold::threshold_wide_band_threads) {
        const auto plan = detail::threshold::wide_band_plan(rule, size, threads);
        EXPECT_EQ((plan.out_at + half * size) % 16, 0) << half;
        EXPECT_EQ(plan.pitch % 32, 16) << half;
        EXPECT_LE(plan.strip + plan.out_at + (2 * half + 1) * size, plan.pitch) << half;
      }
    }
  }
}

}  // namespace
}  // namespace warpwise
