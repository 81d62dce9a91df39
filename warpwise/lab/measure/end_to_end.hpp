#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/lab/measure/gpu_timing.hpp"

// Times work that begins and ends in host memory, as its caller sees it.
namespace warpwise::lab {

/// Bytes in the host's memory, and the address of their copy on the device.
struct HostCopy {
  std::byte* host = nullptr;
  std::byte* device = nullptr;
  std::int64_t bytes = 0;
};

/// One step uploads inputs, runs kernels and downloads outputs. Each of these parts waits for the
/// part before it. Up to three steps run at the same time.
struct TransferStep {
  std::vector<HostCopy> up;
  GpuWork kernels;
  std::vector<HostCopy> down;
};

struct EndToEnd {
  Timing total;  ///< by the host's clock, from the first call until the last result arrives
  /// Medians, measured by events on the GPU; set only if there is a single step. Their sum is less
  /// than the total, which includes the calls.
  std::optional<double> upload_us;
  std::optional<double> kernel_us;
  std::optional<double> download_us;
  std::int64_t bytes_up = 0;
  std::int64_t bytes_down = 0;
};

/// Runs the steps for a quarter of a second, at least 5 and at most 1000 times. Ends after fewer
/// than 5 runs if these take 3 s.
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

/// Measures the bus between the host and the current GPU. \throws CudaError
BusLimit bus_limit();

}  // namespace warpwise::lab
