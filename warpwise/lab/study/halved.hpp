#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/study/study_run.hpp"

// Which resource a kernel hangs on: what it loses when it has half of the multiprocessors, or half
// of the memory's bandwidth.
namespace warpwise::lab {

/// Each figure is the share of its speed that a kernel loses: 0.5 where it takes twice the time.
/// Nothing where the run does not show it.
struct Halved {
  RungRow row;   ///< what was run: its rung, size, parameters, axes and block
  int many = 0;  ///< multiprocessors
  int half = 0;  ///< of them
  std::optional<double> sms_at_all_bandwidth;
  std::optional<double> sms_at_half_bandwidth;
  std::optional<double> bandwidth_at_many_sms;
  std::optional<double> bandwidth_at_half_sms;

  /// "multiprocessors", "bandwidth", "both" or "neither": those that cost a quarter of its speed or
  /// more when they are halved and there is all of the other. Twice the time would be a half. Empty
  /// where one of them is not known.
  std::string hangs_on() const;
};

/// Of each kernel of a run that was timed on some number of multiprocessors and on half as many;
/// the largest such numbers. The time at half of the bandwidth lies between two that were measured:
/// a time is taken to be linear in the inverse of the bandwidth.
std::vector<Halved> halved_of(const StudyRun& run);

}  // namespace warpwise::lab
