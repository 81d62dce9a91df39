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

  /// Returns "multiprocessors", "bandwidth", "both" or "neither": the resources that cost a quarter
  /// of the speed or more when they are halved while the other resource is whole. Empty if one of
  /// these two losses is not known.
  std::string hangs_on() const;
};

/// Returns the losses of each kernel that was timed on a number of multiprocessors and on half of
/// them. Takes the largest such number. The time at half of the bandwidth is interpolated between
/// two measured times: a time is taken to be linear in the inverse of the bandwidth.
std::vector<Halved> halved_of(const StudyRun& run);

}  // namespace warpwise::lab
