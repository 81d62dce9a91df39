#include "warpwise/lab/measure/samples.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpwise::lab {
namespace {

// Returns the value below which `share` of the sorted values lie.
double at_share(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

std::vector<double> sorted_times(std::span<const Sample> samples) {
  std::vector<double> times;
  for (const Sample& sample : samples) times.push_back(sample.us);
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

double median_clock_mhz(std::span<const Sample> samples) {
  std::vector<double> clocks;
  for (const Sample& sample : samples) {
    if (sample.clock_mhz > 0) clocks.push_back(sample.clock_mhz);
  }
  std::sort(clocks.begin(), clocks.end());
  return at_share(clocks, 0.5);
}

std::vector<Sample> at_full_clock(std::span<const Sample> samples) {
  constexpr double lowered = 0.95;
  const double least_clock = lowered * median_clock_mhz(samples);
  std::vector<Sample> kept;
  for (const Sample& sample : samples) {
    if (sample.clock_mhz <= 0 || sample.clock_mhz >= least_clock) kept.push_back(sample);
  }
  return kept;
}

Timing summary_of(std::span<const Sample> samples) {
  const std::vector<double> times = sorted_times(at_full_clock(samples));
  return {.median_us = at_share(times, 0.5),
          .p5_us = at_share(times, 0.05),
          .p95_us = at_share(times, 0.95),
          .samples = static_cast<int>(times.size()),
          .dropped = static_cast<int>(samples.size() - times.size())};
}

bool have_settled(std::span<const Sample> samples) {
  if (samples.size() < 2) return false;
  const auto count = static_cast<double>(samples.size());
  double mean = 0;
  for (const Sample& sample : samples) mean += sample.us / count;
  double variance = 0;
  for (const Sample& sample : samples) {
    variance += (sample.us - mean) * (sample.us - mean) / (count - 1);
  }
  if (std::sqrt(variance) < 0.005 * mean) return true;
  const double median = at_share(sorted_times(samples), 0.5);
  const double before = at_share(sorted_times(samples.first(samples.size() / 2)), 0.5);
  return std::abs(median - before) < 0.002 * median;
}

}  // namespace warpwise::lab
