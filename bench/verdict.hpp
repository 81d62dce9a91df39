#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "warpwise/lab/measure/samples.hpp"

namespace warpwise::bench {

/// What two sets of samples say of one another.
enum class Verdict : std::uint8_t { faster, same, slower, unsure };

std::string_view name_of(Verdict verdict);

/// Times beside times that they are compared with.
struct Comparison {
  double ratio = 0;  ///< how many times as long the others' median is: above 1, ours is faster
  /// Between which the true ratio lies, by the samples' spread, with 99 %; wider by the share that
  /// their clocks differ, where that is more than `same_within`.
  double low = 0;
  double high = 0;
  /// There are samples enough, of one clock: what a regression has to be told from, whereas a
  /// verdict may hold beyond what two clocks explain.
  bool is_comparable = false;
  Verdict verdict = Verdict::unsure;
};

/// Medians within this share of one another count as the same: runs of one program, minutes apart,
/// differ by about so much.
inline constexpr double same_within = 0.02;

/// Compares the medians by what order statistics say of each, which assumes nothing of how times
/// are distributed. Unsure where the interval lies across a limit of "the same", or where either
/// has fewer than eight samples.
Comparison compare(std::span<const lab::Sample> ours, std::span<const lab::Sample> others);

nlohmann::json json_of(const Comparison& comparison);

}  // namespace warpwise::bench
