#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/lab/measure/gpu_timing.hpp"

// Work that begins and ends in the host's memory, timed as whoever waits for it sees it.
namespace warpwise::lab {

/// Bytes of the host and their place on the device.
struct HostCopy {
  std::byte* host = nullptr;
  std::byte* device = nullptr;
  std::int64_t bytes = 0;
};

/// Inputs go up, kernels run, outputs come down: each waits for the one before, but not for other
/// steps.
struct TransferStep {
  std::vector<HostCopy> up;
  GpuWork kernels;
  std::vector<HostCopy> down;
};

struct EndToEnd {
  Timing total;  ///< of the host's clock, from the first call until the last result is there
  /// By events on the GPU, where there is one step; their sum is less than the total by the calls.
  /// Medians.
  std::optional<double> upload_us;
  std::optional<double> kernel_us;
  std::optional<double> download_us;
  std::int64_t bytes_up = 0;
  std::int64_t bytes_down = 0;
};

/// Runs the steps several times over: at least 5 times, unless that takes 3 s, and for a quarter of
/// a second. Steps that follow each other use different streams, so that the copies of one overlap
/// the kernels of another. \throws CudaError
EndToEnd time_end_to_end(std::span<const TransferStep> steps);

/// What the bus between the host and the GPU reaches, GB/s of large page-locked copies.
struct BusLimit {
  double up_gb_per_s = 0;
  double down_gb_per_s = 0;
  double both_gb_per_s = 0;  ///< both ways at once, the sum
};

/// \throws CudaError
BusLimit bus_limit();

}  // namespace warpwise::lab
