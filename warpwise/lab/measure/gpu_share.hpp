#pragma once

#include <memory>
#include <optional>

#include "warpwise/gpu/partition.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/lab/measure/neighbour.hpp"

namespace warpwise::lab {

/// Measurements on a share of a GPU.
struct ShareMeasurement {
  Measurement times;
  /// Rate at which the neighbour read while the work ran; nothing without a neighbour.
  std::optional<double> neighbour_gb_per_s;
};

/// A share of a GPU: some of its multiprocessors, and the memory bandwidth that a neighbour kernel
/// on the other multiprocessors leaves. During the lifetime of this object the executor's runs use
/// only the share's multiprocessors.
class GpuShare {
 public:
  /// \param executor     has to outlive this object
  /// \param sm_percent   share of the multiprocessors, 1 to 100 %; the GPU rounds it up to a number
  ///                     that it can set apart
  /// \param neighbour_gb_per_s  rate at which a neighbour reads; 0 for none
  /// \throws Unsupported  the driver or the GPU cannot set multiprocessors apart, with the reason;
  ///                      or no multiprocessors are left for the neighbour
  /// \throws CompileError, IoError, CudaError  as GpuTimer and Neighbour
  GpuShare(GpuExecutor& executor, int sm_percent, double neighbour_gb_per_s);
  ~GpuShare();
  GpuShare(const GpuShare&) = delete;
  GpuShare& operator=(const GpuShare&) = delete;

  int multiprocessors() const { return executor_.multiprocessors(); }

  /// Times work as GpuTimer::measure() does, while the neighbour runs. If the share has only some
  /// of the multiprocessors, batches are not put into graphs, whose kernels would use all of them.
  /// \throws Unsupported  the neighbour ended before the measurement did
  /// \throws CudaError
  ShareMeasurement measure(const GpuWork& work);

 private:
  GpuExecutor& executor_;
  double neighbour_gb_per_s_;
  std::optional<gpu::Partition> partition_;
  std::unique_ptr<GpuTimer> timer_;
  std::unique_ptr<Neighbour> neighbour_;
};

}  // namespace warpwise::lab
