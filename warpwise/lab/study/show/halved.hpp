#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/study/run/study_run.hpp"

// Finds the resource that limits a kernel, from its losses with half of the multiprocessors or half
// of the memory's bandwidth.
namespace warpwise::lab {

/// Losses of a kernel, each as a share of its speed: 0.5 if it takes twice the time. A loss is
/// empty if the run does not show it.
struct Halved {
  RungRow row;   ///< the measured work: its rung, size, parameters, axes and block
  int many = 0;  ///< multiprocessors
  int half = 0;  ///< half of `many`
  std::optional<double> sms_at_all_bandwidth;
  std::optional<double> sms_at_half_bandwidth;
  std::optional<double> bandwidth_at_many_sms;
  std::optional<double> bandwidth_at_half_sms;

  /// Returns "multiprocessors", "bandwidth", "both" or "neither". These are the resources that cost
  /// a quarter of the speed or more when they are halved and the other one is whole. (Twice the
  /// time would be a half.) Empty if one of the losses is not known.
  std::string hangs_on() const;
};

/// Returns the losses of each kernel that was timed on some number of multiprocessors and on half
/// as many; if there are several such numbers, on the largest. The time at half of the bandwidth
/// lies between two measured ones. It is interpolated: a time is taken to be linear in the inverse
/// of the bandwidth.
std::vector<Halved> halved_of(const StudyRun& run);

}  // namespace warpwise::lab
