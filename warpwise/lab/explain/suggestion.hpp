#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/explain/findings.hpp"

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

/// Names a resource as the subject or object of a verb.
std::string words_of(Resource resource);

/// Returns "L2 is the bottleneck", or "L2 takes 64 % of the time that waiting takes".
/// \param name  of the resource, if it is the bottleneck
/// \param many  the name is a plural
std::string standing(const Bounds& bounds, Resource resource, const std::string& name,
                     bool many = false);

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
