#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

// Predicts the times of a program's launches and copies.
namespace warpwise::lab {

/// A launch, a copy or a fill of a program. Equal events that follow each other count as one event.
struct ProgramEvent {
  std::optional<std::size_t> kernel;  ///< index into the program's kernels; only of a launch
  std::string transfer;               ///< name of a CopyKind of the runtime; empty for a launch
  std::uint64_t bytes = 0;            ///< bytes of a transfer
  std::uint64_t times = 1;
  double start_us = 0;       ///< predicted start if each event waits for the one before it
  std::optional<double> us;  ///< predicted time of one event, if known
};

/// The predicted time of all launches of a kernel with the same grid and block.
struct KernelTime {
  std::size_t kernel = 0;  ///< index into the program's kernels
  std::uint64_t launches = 0;
  double us = 0;
};

/// A program's events in the order of its calls.
struct ProgramTimeline {
  std::vector<ProgramEvent> events;
  double us = 0;                      ///< sum of the known times
  std::vector<KernelTime> by_kernel;  ///< the longest first; only kernels whose time is known
};

/// Predicts the time of each event.
///
/// - A kernel's first launch takes its predicted time. Each later launch takes the time of an empty
///   kernel, and further time in proportion to its warp instructions.
/// - Directly after an event whose time is known, a launch needs only `next_launch_us` in place of
///   the time of an empty kernel.
/// - A copy within the GPU's memory moves its bytes twice at the profile's DRAM bandwidth, and a
///   fill moves its bytes once. A copy or fill also takes the time of an empty kernel.
/// - The time of a copy between host and GPU is not known: no profile has the bandwidth of the bus.
///
/// \param recorded  the record's list of [kernel or transfer, warp instructions or bytes, times]
/// \param kernels   the program's kernels  \param device  the GPU of their predictions
ProgramTimeline timeline_of(const nlohmann::json& recorded, const std::vector<Explanation>& kernels,
                            const DeviceProfile& device);

/// Describes a transfer: "copy to the GPU".
std::string text_of_transfer(const std::string& name);

/// Number of launches, copies and copied bytes whose time is not known.
struct UnknownTimes {
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t launches = 0;
};
UnknownTimes unknown_times(const ProgramTimeline& timeline);

}  // namespace warpwise::lab
