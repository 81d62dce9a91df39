#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/explain/advice/findings.hpp"

// Suggestions on a kernel's bottlenecks, from which findings are made.
namespace warpwise::lab {

/// Assumed saving of a change to the kernel's own algorithm; the text names it with the gain.
inline constexpr double half = 0.5;

/// A finding without its gain.
struct Suggestion {
  std::string text;
  Remedy remedy;
  std::optional<Change> change;
  bool has_example = true;
  LineCost by = LineCost::none;
};

/// Returns "DRAM is the bottleneck", "atomics are the bottleneck".
std::string is_bottleneck(std::string_view name);

/// Returns "L2 is the bottleneck", or "L2 takes 64 % of the time of the bottleneck, which is
/// latency".
std::string standing(const Bounds& bounds, Resource resource, std::string_view name);

/// Suggests fewer instructions in general, and the removal of causes that the counts name.
std::vector<Suggestion> about_issue(const LaunchPrediction& prediction, const Bounds& bounds);

/// Suggests single precision to a kernel that computes in both.
std::optional<Suggestion> about_doubles(const LaunchPrediction& prediction);

/// Suggests other operations where divisions and the like are at least this share of the machine
/// instructions.
std::optional<Suggestion> about_divisions(const LaunchPrediction& prediction, double least);

/// Suggests fewer barriers of a block where they are many instructions.
std::optional<Suggestion> about_barriers(const LaunchPrediction& prediction);

}  // namespace warpwise::lab
