#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/study/run/study_run.hpp"

// Finds the resource that bounds a kernel, from its losses with half of the multiprocessors or half
// of the memory bandwidth.
namespace warpwise::lab {

/// Losses of a kernel as shares of its speed: 0.5 if the kernel takes twice the time. A loss is
/// empty if the run has no times for it.
struct Halved {
  RungRow row;   ///< a row with the kernel's rung, size, parameters, axes and block
  int many = 0;  ///< larger number of multiprocessors
  int half = 0;  ///< about half of `many`
  std::optional<double> sms_at_all_bandwidth;
  std::optional<double> sms_at_half_bandwidth;
  std::optional<double> bandwidth_at_many_sms;
  std::optional<double> bandwidth_at_half_sms;

  /// Returns the resources that bound the kernel: "multiprocessors", "bandwidth", "both" or
  /// "neither". A resource counts if half of it costs a quarter of the speed or more while the
  /// other resource is whole. Returns an empty text if one of these losses is not known.
  std::string bound_by() const;
};

/// Returns the losses of each kernel that was timed on some number of multiprocessors and on about
/// half of it. If there are several such pairs, takes the one with the largest number. The time at
/// half of the bandwidth is interpolated between two measured times. It is assumed to be linear in
/// the inverse of the bandwidth.
std::vector<Halved> halved_of(const StudyRun& run);

}  // namespace warpwise::lab
