#pragma once

#include <optional>
#include <vector>

#include "warpwise/lab/explain/advice.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"

// What advice is made of.
namespace warpwise::lab {

/// A gain below this is not worth a change.
inline constexpr double worth_a_change = 1.05;

/// Something that a kernel could do better, or that it waits for.
struct Finding {
  double cost = 0;  ///< issue slots of one SM that mending it would save, roughly
  Advice advice;
  std::optional<Change> change;  ///< what mending it would save; nothing where no model says so
  std::string place = {};        ///< the line that it is about, if it is about one
};

/// Of each line's counts. \param cc  which of the compute capabilities they are for
std::vector<Finding> line_findings(const Explanation& explanation, std::size_t cc);

/// Of the launch's shape and the kernel's resources.
std::vector<Finding> launch_findings(const Explanation& explanation, std::size_t cc);

/// What rules on the GPU of a prediction, when the kernel fills it, and what else takes so much
/// time that taking from it is worth a change; valued.
std::vector<Finding> resource_findings(const LaunchPrediction& prediction);

/// What to say where no change is worth it.
Advice nothing_rules(const LaunchPrediction& prediction);

/// Works out the gain of a finding, and says it in its text.
void value(const LaunchPrediction& prediction, Finding& finding);

}  // namespace warpwise::lab
