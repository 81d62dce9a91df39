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
  std::optional<std::size_t> kernel;  ///< index into the program's kernels; nothing: no launch
  std::string transfer;               ///< name of the emulator::runtime::CopyKind; empty: a launch
  std::uint64_t bytes = 0;            ///< bytes of a transfer
  std::uint64_t times = 1;
  double start_us = 0;       ///< predicted, if each event waits for the one before it
  std::optional<double> us;  ///< predicted time of one event; nothing: not known
};

/// The predicted time of all launches of a kernel and shape.
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
/// - Behind an event of known time, a launch takes `next_launch_us`, not an empty kernel's time.
/// - A copy within the GPU's memory moves its bytes twice at the profile's bandwidth, and a fill
///   moves them once. Both also take an empty kernel's time.
/// - The time of a copy between host and GPU is not known: no profile has the bandwidth of the bus.
///
/// \param recorded  the record's list of [kernel or transfer, warp instructions or bytes, times]
/// \param kernels   the program's kernels  \param device  the GPU of their predictions
ProgramTimeline timeline_of(const nlohmann::json& recorded, const std::vector<Explanation>& kernels,
                            const DeviceProfile& device);

/// Describes a transfer: "copy to the GPU".
std::string text_of_transfer(const std::string& name);

/// Numbers of events and bytes whose time is not known.
struct UnknownTimes {
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t launches = 0;
};
UnknownTimes unknown_times(const ProgramTimeline& timeline);

}  // namespace warpwise::lab
