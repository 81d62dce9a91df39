#include "bench/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpwise::bench {
namespace {

// Fewer do not hold the median between their least and greatest with 99 %.
constexpr std::size_t fewest_samples = 8;

struct Median {
  double value = 0;
  double low = 0;
  double high = 0;
};

// How many of n samples lie below the true median is binomial: those that lie 2.58 standard
// deviations from the middle hold it between them with 99 %.
Median median_of(std::span<const lab::Sample> samples) {
  std::vector<double> times;
  for (const lab::Sample& sample : samples) times.push_back(sample.us);
  std::sort(times.begin(), times.end());
  const auto count = static_cast<double>(times.size());
  const double reach = 2.58 * std::sqrt(count) / 2;
  const auto at = [&](double position) {
    return times[static_cast<std::size_t>(std::clamp(position, 0.0, count - 1))];
  };
  const double middle = (count - 1) / 2;
  return {at(middle), at(std::floor(middle - reach)), at(std::ceil(middle + reach))};
}

bool have_one_clock(std::span<const lab::Sample> ours, std::span<const lab::Sample> others) {
  const double a = lab::median_clock_mhz(ours);
  const double b = lab::median_clock_mhz(others);
  return a <= 0 || b <= 0 || std::abs(a - b) <= same_within * std::max(a, b);
}

Verdict verdict_of(const Comparison& comparison) {
  constexpr double above = 1 + same_within;
  constexpr double below = 1 / above;
  if (comparison.low > above) return Verdict::faster;
  if (comparison.high < below) return Verdict::slower;
  if (comparison.low >= below && comparison.high <= above) return Verdict::same;
  return Verdict::unsure;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster: return "faster";
    case Verdict::same: return "same";
    case Verdict::slower: return "slower";
    case Verdict::unsure: break;
  }
  return "unsure";
}

Comparison compare(std::span<const lab::Sample> ours, std::span<const lab::Sample> others) {
  if (ours.empty() || others.empty()) return {};
  const Median a = median_of(ours);
  const Median b = median_of(others);
  Comparison result{.ratio = b.value / a.value, .low = b.low / a.high, .high = b.high / a.low};
  result.is_comparable =
      std::min(ours.size(), others.size()) >= fewest_samples && have_one_clock(ours, others);
  if (result.is_comparable) result.verdict = verdict_of(result);
  return result;
}

nlohmann::json json_of(const Comparison& comparison) {
  return {{"ratio", comparison.ratio},
          {"low", comparison.low},
          {"high", comparison.high},
          {"verdict", name_of(comparison.verdict)}};
}

}  // namespace warpwise::bench
