#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "warpwise/lab/measure/samples.hpp"

namespace warpwise::bench {

/// Result of comparing two sets of samples.
enum class Verdict : std::uint8_t { faster, same, slower, unsure };

std::string_view name_of(Verdict verdict);

/// Comparison of our times with the times of another implementation or an earlier run.
struct Comparison {
  double ratio = 0;  ///< the others' median divided by ours: above 1, ours is faster
  /// Interval that holds the true ratio with 99 % confidence, by the spread of the samples. If the
  /// clocks differ by more than `same_within`, the interval is wider by their ratio.
  double low = 0;
  double high = 0;
  /// True if both sets have enough samples, at the same clock. Only these may decide about a
  /// regression. A verdict may also come from two clocks, if their ratio cannot explain the
  /// difference.
  bool is_comparable = false;
  Verdict verdict = Verdict::unsure;
};

/// Medians within this share of each other count as the same, because runs of one program, minutes
/// apart, differ by about this much.
inline constexpr double same_within = 0.02;

/// Compares the medians by order statistics, which assume nothing about the distribution of times.
/// The verdict is unsure if the interval contains a limit of "the same", or if either set has fewer
/// than eight samples.
Comparison compare(std::span<const lab::Sample> ours, std::span<const lab::Sample> others);

nlohmann::json json_of(const Comparison& comparison);

}  // namespace warpwise::bench
