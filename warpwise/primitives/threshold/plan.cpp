#include <algorithm>
#include <cmath>
#include <limits>

#include "warpwise/primitives/threshold/backends.hpp"

// Computes, from the options, the numbers that the inner loops need.
namespace warpwise::detail::threshold {
namespace {

std::int64_t range_of(ElementType type) { return type == ElementType::u8 ? 255 : 65535; }

/// Returns OpenCV's integer offset, limited to ±(range + 1). A pixel and a mean differ by at most
/// the type's range, so larger offsets would give the same results.
std::int64_t integer_offset(const ThresholdOptions& options, ElementType type) {
  const double whole = options.inverted ? std::floor(options.offset) : std::ceil(options.offset);
  const auto limit = static_cast<double>(range_of(type) + 1);
  return static_cast<std::int64_t>(std::clamp(whole, -limit, limit));
}

/// Returns ceil(offset * area) without rounding error, for offsets within the range of a type.
std::int64_t ceil_of_product(double offset, std::int64_t area) {
  int exponent = 0;
  const double fraction = std::frexp(offset, &exponent);  // 0 or of magnitude [0.5, 1)
  constexpr int mantissa_bits = std::numeric_limits<double>::digits;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, mantissa_bits));
  // offset * area = product / 2^shift; the product has at most 53 + 48 bits.
  const __int128 product = static_cast<__int128>(mantissa) * area;
  const int shift = mantissa_bits - exponent;
  if (shift > 126) return product > 0 ? 1 : 0;
  return static_cast<std::int64_t>(-(-product >> shift));  // >> rounds down, so this rounds up
}

ThresholdValues values_of(const ThresholdOptions& options) {
  return options.inverted ? ThresholdValues{0, options.maximum}
                          : ThresholdValues{options.maximum, 0};
}

/// Returns OpenCV's weights in 1/256, for the windows whose weights OpenCV takes from a table.
std::vector<double> fixed_weights(std::int64_t window) {
  switch (window) {
    case 1: return {256};
    case 3: return {128, 64};
    case 5: return {96, 64, 16};
    case 7: return {72, 56, 28, 8};
    case 9: return {60, 51, 30, 13, 4};
    default: return {};
  }
}

std::vector<float> gaussian_weights(std::int64_t window) {
  std::vector<double> weights = fixed_weights(window);
  if (weights.empty()) {
    const double sigma = 0.3 * (static_cast<double>(window / 2) - 1) + 0.8;
    for (std::int64_t i = 0; i <= window / 2; ++i) {
      const auto distance = static_cast<double>(i);
      weights.push_back(std::exp(-distance * distance / (2 * sigma * sigma)));
    }
  }
  double total = weights[0];
  for (std::size_t i = 1; i < weights.size(); ++i) total += 2 * weights[i];
  std::vector<float> normalised;
  for (const double weight : weights) normalised.push_back(static_cast<float>(weight / total));
  return normalised;
}

}  // namespace

void validate_threshold_options(const ThresholdOptions& options, ElementType type) {
  const std::int64_t largest = max_threshold_window(type);
  if (options.window < 1 || options.window % 2 == 0 || options.window > largest) {
    throw InvalidArgument("threshold: the window is " + std::to_string(options.window) +
                          "; it must be odd and from 1 to " + std::to_string(largest));
  }
  if (!std::isfinite(options.offset)) {
    throw InvalidArgument("threshold: the offset is " + std::to_string(options.offset) +
                          "; it must be a finite number");
  }
  if (options.maximum > range_of(type)) {
    throw InvalidArgument("threshold: the maximum is " + std::to_string(options.maximum) +
                          "; pixels of " + std::string(name_of(type)) + " hold 0 to " +
                          std::to_string(range_of(type)));
  }
}

// Reduces a rule to integers. With t = pixel + offset - 1:
// - mean: round(sum / area) <= t is the same as sum <= t * area + (area - 1) / 2, because an odd
//   area leaves no ties.
// - exact_mean: sum < pixel * area + offset * area is the same as sum <= pixel * area +
//   ceil(offset * area) - 1.
WindowRule window_rule(const ThresholdOptions& options, ElementType type) {
  WindowRule rule;
  rule.half = options.window / 2;
  rule.area = options.window * options.window;
  rule.values = values_of(options);
  const std::int64_t range = range_of(type);
  if (options.method == ThresholdMethod::exact_mean) {
    const auto limit = static_cast<double>(range + 1);
    rule.bias = ceil_of_product(std::clamp(options.offset, -limit, limit), rule.area) - 1;
  } else {
    rule.bias = (integer_offset(options, type) - 1) * rule.area + (rule.area - 1) / 2;
  }
  // A pixel is above if pixel * area + bias - sum >= 0. At the upper limit of bias this holds for
  // all pixels, and at the lower limit for none. Clamping to these limits therefore changes no
  // result. Within them, |pixel * area + bias - sum| is at most 2 * range * area + 1.
  rule.bias = std::clamp(rule.bias, -range * rule.area - 1, range * rule.area);
  rule.wide = 2 * range * rule.area > std::numeric_limits<std::int32_t>::max();
  return rule;
}

GaussianRule gaussian_rule(const ThresholdOptions& options, ElementType type) {
  return {gaussian_weights(options.window),
          static_cast<std::int32_t>(integer_offset(options, type)), values_of(options)};
}

}  // namespace warpwise::detail::threshold
