#pragma once

#include <optional>

#include "warpwise/lab/explain/advice.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"

namespace warpwise::lab {

/// A gain below this is not worth a change.
inline constexpr double worth_a_change = 1.05;

/// Something that a kernel could do better, or that it waits for.
struct Finding {
  double cost = 0;  ///< issue slots of one SM that mending it would save, roughly
  Advice advice;
  std::optional<Change> change;  ///< what mending it would save; nothing where no model says so
};

/// What rules on the GPU of a prediction, when the kernel fills it, and what would take from that.
/// Nothing where nothing rules by far.
std::optional<Finding> ruling_resource(const LaunchPrediction& prediction);

/// Works out the gain of a finding, and says it in its text.
void value(const LaunchPrediction& prediction, Finding& finding);

}  // namespace warpwise::lab
