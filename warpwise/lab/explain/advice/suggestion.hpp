#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/explain/advice/findings.hpp"

// Suggestions on a kernel's bottlenecks, from which findings are made.
namespace warpwise::lab {

/// Share of a cost, such as loads, that a change is assumed to save. The finding's text states it.
inline constexpr double half = 0.5;

/// A finding without its gain.
struct Suggestion {
  std::string text;
  Remedy remedy;
  std::optional<Change> change;
  bool example_fits = true;
  LineCost by = LineCost::none;
};

/// Returns "DRAM is the bottleneck", "atomics are the bottleneck".
std::string is_bottleneck(std::string_view name);

/// Returns "L2 is the bottleneck", or "L2 takes 64 % of the time of the bottleneck, which is
/// latency".
std::string standing(const Bounds& bounds, Resource resource, std::string_view name);

/// Suggests fewer instructions in general, and fewer divisions or doubles if the counts have many.
std::vector<Suggestion> about_issue(const LaunchPrediction& prediction, const Bounds& bounds);

/// Suggests single precision if a kernel converts to or from double, or if its doubles are slow.
std::optional<Suggestion> about_doubles(const LaunchPrediction& prediction);

/// Suggests other operations in place of divisions, square roots and similar ones. Returns nothing
/// if their share of the machine instructions is below `least`.
std::optional<Suggestion> about_divisions(const LaunchPrediction& prediction, double least);

/// Suggests fewer atomics if operations of L2 meet on one word; else plain accesses in their place.
/// \param what    first words of the text: "Atomics are the bottleneck"
/// \param change  savings of fewer atomics; nothing if no model covers them
Suggestion about_atomics(const LaunchPrediction& prediction, const std::string& what,
                         std::optional<Change> change);

/// Suggests fewer barriers of a block if barriers are at least 5 % of the instructions.
std::optional<Suggestion> about_barriers(const LaunchPrediction& prediction);

}  // namespace warpwise::lab
