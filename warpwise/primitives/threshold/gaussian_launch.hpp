#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/threshold/arguments.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

// Error bound and launch of threshold_gaussian_products, which decides the Gaussian threshold of u8
// by sums of integers.
namespace warpwise::detail::threshold {

/// Format of integer weights, and an error bound: how far a mean computed with them may be from the
/// mean computed in floats.
struct GaussianFixedPoint {
  int bits = 0;         ///< a weight is round(weight * 2^bits), of 16 bits
  double distance = 0;  ///< the bound, in grey levels
};

/// Computes `bits` and the bound. The bound is a sum of errors. An integer W that stands for the
/// weight w has the error e = W / 2^bits - w. A pixel p is 127.5 ± 127.5.
///
/// - Along a row, the mean by integers has the error sum(e p). It is at most 127.5 times
///   (sum|e| + |sum(e)|). The mean is then cut to a multiple of 1/256. With the middle of the
///   interval in its place, this adds an error of at most 1/512.
/// - Down the columns, these errors are averaged, and the weights add an error of the same size
///   again. The product of two low bytes is cut to 2^-bits.
/// - In floats, a sum below 256 is rounded by at most 2^-17. Each weight takes one such addition in
///   each of the two passes. The other products and sums of two values are rounded by 2^-24 of
///   their value, in total less than 3 * 2^-16.
///
/// A margin of 1 % covers means a little above 255 and sums of weights a little above 1.
inline GaussianFixedPoint gaussian_fixed_point(const std::vector<float>& weights) {
  GaussianFixedPoint point;
  // A pixel's excess is the difference of two numbers in units of 2^-bits. With 21 bits behind the
  // binary point and 9 before it, the difference fits 32 bits.
  point.bits = 21;
  while (std::nearbyint(std::ldexp(double{weights[0]}, point.bits)) > 65535) --point.bits;
  double sum = 0, magnitudes = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double scaled = std::ldexp(double{weights[i]}, point.bits);
    const double error = std::ldexp(std::nearbyint(scaled) - scaled, -point.bits);
    sum += i == 0 ? error : 2 * error;
    magnitudes += i == 0 ? std::abs(error) : 2 * std::abs(error);
  }
  const double by_weights = 127.5 * (magnitudes + std::abs(sum));
  const double by_cutting = std::ldexp(1, -9) + std::ldexp(1, -point.bits);
  const double by_floats = std::ldexp(static_cast<double>(weights.size()) + 3, -16);
  point.distance = 1.01 * (2 * by_weights + by_cutting + by_floats);
  return point;
}

/// One launch of threshold_gaussian_products.
struct GaussianProductLaunch {
  int groups;  ///< the kernel's template argument
  gpu::Shape grid;
  std::size_t shared_bytes;
  kernels::threshold::GaussianProductArguments arguments;
};

/// Sets the arguments that hold the integer weights' unit, and the bounds within which a pixel is
/// doubtful.
inline void set_fixed_point(kernels::threshold::GaussianProductArguments& a,
                            const GaussianRule& rule) {
  const GaussianFixedPoint point = gaussian_fixed_point(rule.weights);
  const auto in_units = [&](double levels) { return std::ldexp(levels, point.bits - 8); };
  const int distance = static_cast<int>(std::ceil(in_units(point.distance))) + 1;
  // Means along rows are cut to 2^-8. Half of that, 2^-9, brings them to the middle.
  const double bias = in_units(0.5 - rule.shift + std::ldexp(1, -9));
  std::int64_t low_bytes = 0;
  for (std::size_t i = 0; i < rule.weights.size(); ++i) {
    const auto weight =
        static_cast<std::int64_t>(std::nearbyint(std::ldexp(double{rule.weights[i]}, point.bits)));
    low_bytes += (i == 0 ? 1 : 2) * (weight & 255);
  }
  const std::int64_t most_low = gpu::blocks_for(255 * low_bytes, 65536);
  a.shift = rule.shift;
  a.cut = point.bits - 8;
  const unsigned pixel = 0U - (1U << a.cut);
  a.pixel_low = pixel & 0xffff;
  a.pixel_high = pixel << 16;
  a.doubt = static_cast<unsigned>(2 * distance) * 256;
  a.most_low = static_cast<unsigned>(most_low * 256);
  a.first_doubt = a.doubt + a.most_low;
  a.bias = static_cast<int>(std::nearbyint(bias) + static_cast<double>(most_low)) + distance;
  std::copy(rule.weights.begin(), rule.weights.end(), a.weights);
}

/// Returns the launch of threshold_gaussian_products for a source of u8. Returns nothing for calls
/// with a mean image, windows above 113, and images of more than 2^30 pixels a side.
inline std::optional<GaussianProductLaunch> gaussian_product_launch(
    const kernels::threshold::ThresholdSource& src, const kernels::threshold::ThresholdOutput& out,
    const GaussianRule& rule) {
  using namespace kernels::threshold;
  constexpr std::int64_t longest_side = std::int64_t{1} << 30;
  constexpr int rows = threshold_band_rows;
  if (out.mean != nullptr || rule.weights.size() > threshold_product_weights ||
      std::max(src.width, src.height) > longest_side) {
    return {};
  }
  const int half = static_cast<int>(rule.weights.size()) - 1;
  const int reach = (half + 3) / 4 * 4;
  GaussianProductLaunch launch{};
  for (const int groups : {2, 3, 4, 6, 8}) {
    launch.groups = groups;
    if (16 * groups >= 16 + reach + half) break;
  }

  const auto address = reinterpret_cast<std::uintptr_t>(src.data);
  const int to_multiple = address % 4 == 0 ? static_cast<int>(-address & 15) : 0;
  const int columns = 16 * threshold_product_tiles_of(launch.groups) * threshold_warps;
  const int before = (half + 15) / 16 * 16;
  const int words_end = before - reach + columns - 16 + 16 * launch.groups;

  GaussianProductArguments& a = launch.arguments;
  a.src = src;
  a.out = out;
  a.half = half;
  a.reach = reach;
  set_fixed_point(a, rule);
  a.above = out.above * 0x01010101;
  a.below = out.below * 0x01010101;
  a.first_column = to_multiple == 0 ? 0 : to_multiple - 16;
  a.row_groups = (words_end + 15) / 16;
  a.pitch = (a.row_groups | 1) * 16;
  // Shared memory is a ring of rows. It holds the rows from the first of 16 results down to the
  // last row of their windows, the rows that a block takes between barriers, and as many rows in
  // flight.
  a.ring_rows = ((rows * (launch.groups - 1) - reach + rows - 1) / rows +
                 2 * threshold_product_steps_of(launch.groups)) *
                rows;
  launch.shared_bytes = static_cast<std::size_t>(a.ring_rows) * static_cast<std::size_t>(a.pitch) +
                        static_cast<std::size_t>(threshold_doubt_bytes(launch.groups));

  // Segments are so low that there are as many blocks as a large GPU holds at once, if the image is
  // large enough. A segment first weighs (groups - 1) * 16 rows above it and is at least about half
  // as high. In larger images there are up to four times as many blocks, because some take longer.
  // A segment then is at least 16 times as high as the rows above it that it weighs.
  constexpr std::int64_t at_once = 132 * threshold_product_blocks;
  const std::int64_t strips = gpu::blocks_for(src.width - a.first_column, columns);
  const std::int64_t least_rows = std::max(1, launch.groups / 2) * rows;
  const std::int64_t rows_of_many = std::int64_t{16} * (launch.groups - 1) * rows;
  const std::int64_t rounds =
      std::clamp<std::int64_t>(src.height * strips / (at_once * rows_of_many), 1, 4);
  const std::int64_t segments = std::clamp<std::int64_t>(rounds * at_once / strips, 1,
                                                         gpu::blocks_for(src.height, least_rows));
  a.segment_rows =
      static_cast<int>(gpu::blocks_for(gpu::blocks_for(src.height, segments), rows) * rows);
  launch.grid = {gpu::grid_x(strips), gpu::grid_y(gpu::blocks_for(src.height, a.segment_rows))};
  return launch;
}

}  // namespace warpwise::detail::threshold
