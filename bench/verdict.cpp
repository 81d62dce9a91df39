#include "bench/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpwise::bench {
namespace {

// With fewer samples, their least and greatest values do not enclose the median with 99 %
// confidence.
constexpr std::size_t fewest_samples = 8;

struct Median {
  double value = 0;
  double low = 0;
  double high = 0;
};

// The number of samples below the true median is binomial. The sorted samples 2.58 standard
// deviations from the middle enclose that median with 99 % confidence.
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

// Returns the ratio of the higher clock to the lower one. Returns 1 if they are within
// `same_within` of each other, or if one is unknown.
double clocks_apart(std::span<const lab::Sample> ours, std::span<const lab::Sample> others) {
  const double a = lab::median_clock_mhz(ours);
  const double b = lab::median_clock_mhz(others);
  if (a <= 0 || b <= 0 || std::abs(a - b) <= same_within * std::max(a, b)) return 1;
  return std::max(a, b) / std::min(a, b);
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
  // A time changes at most by the ratio of the multiprocessors' clocks, so different clocks widen
  // the interval by that ratio.
  const double apart = clocks_apart(ours, others);
  Comparison result{
      .ratio = b.value / a.value, .low = b.low / a.high / apart, .high = b.high / a.low * apart};
  const bool are_enough = std::min(ours.size(), others.size()) >= fewest_samples;
  result.is_comparable = are_enough && apart == 1;
  if (are_enough) result.verdict = verdict_of(result);
  return result;
}

nlohmann::json json_of(const Comparison& comparison) {
  return {{"ratio", comparison.ratio},
          {"low", comparison.low},
          {"high", comparison.high},
          {"verdict", name_of(comparison.verdict)}};
}

}  // namespace warpwise::bench
