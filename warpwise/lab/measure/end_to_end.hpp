#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/lab/measure/gpu_timing.hpp"

// Times work that begins and ends in host memory, as its caller sees it.
namespace warpwise::lab {

/// Bytes of the host and their place on the device.
struct HostCopy {
  std::byte* host = nullptr;
  std::byte* device = nullptr;
  std::int64_t bytes = 0;
};

/// One step: inputs go up, kernels run, outputs come down. Each part waits for the one before, but
/// not for other steps.
struct TransferStep {
  std::vector<HostCopy> up;
  GpuWork kernels;
  std::vector<HostCopy> down;
};

struct EndToEnd {
  Timing total;  ///< by the host's clock, from the first call until the last result is there
  /// Medians by events on the GPU, if there is one step. Their sum is less than the total, which
  /// includes the calls.
  std::optional<double> upload_us;
  std::optional<double> kernel_us;
  std::optional<double> download_us;
  std::int64_t bytes_up = 0;
  std::int64_t bytes_down = 0;
};

/// Runs the steps at least 5 times, unless that takes 3 s, and for at least a quarter of a second.
/// Consecutive steps use different streams, so that the copies of one overlap the kernels of
/// another.
/// \throws CudaError
EndToEnd time_end_to_end(std::span<const TransferStep> steps);

/// Bandwidth of the bus between the host and the GPU, in GB/s of large page-locked copies.
struct BusLimit {
  double up_gb_per_s = 0;
  double down_gb_per_s = 0;
  double both_gb_per_s = 0;  ///< sum of both directions at once
};

/// \throws CudaError
BusLimit bus_limit();

}  // namespace warpwise::lab
