#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/module.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/lab/measure/samples.hpp"

namespace warpwise::lab {

struct TimingOptions {
  int min_samples = 10;        ///< always taken, however long they last
  double cold_seconds = 0.5;   ///< of GPU time in cold samples, flushing included, at least
  double wall_seconds = 0.8;   ///< when cold samples end even if their median still moves
  double batch_seconds = 0.2;  ///< of wall time in batches, about
  bool graphs = true;          ///< batches of short runs as graphs, which hide their launches
};

/// Puts one run on a stream and returns.
using GpuWork = std::function<void(gpu::StreamHandle)>;

/// How long a run takes.
struct Measurement {
  Timing cold;   ///< of one run, nothing of it in L2
  Timing batch;  ///< of one run among many, its operands in L2 as far as they fit
  std::vector<Sample> cold_samples;  ///< that `cold` sums up, in the order of measuring
  int runs_per_batch = 0;
  double sm_clock_mhz = 0;  ///< median during the cold samples; 0: it could not be measured
  bool launches_hidden =
      true;  ///< false: something here launches synchronously, a debugger perhaps
};

/// From and to page-locked host memory.
struct Transfers {
  double upload_us = 0;
  double download_us = 0;
};

/// Times work on a GPU, and what it is compared with, for the laboratory and the benches alike.
/// README.md says how. Not thread-safe.
class GpuTimer {
 public:
  /// Compiles its own few kernels. \param device  the current one  \param stream  that the work is
  /// put on; has to outlive the timer
  /// \throws CompileError, Unsupported, IoError  as compile_file()  \throws CudaError
  GpuTimer(const gpu::DeviceInfo& device, const gpu::Stream& stream,
           const Toolchain& toolchain = find_toolchain());
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  /// Times one call of `work`, whose result has to have been checked before.
  /// \throws CudaError  a launch is refused or fails
  Measurement measure(const GpuWork& work, const TimingOptions& options = {});

  /// All inputs up and all outputs down, of so many bytes each: medians.
  /// \throws CudaError  there is no memory for the largest of them
  Transfers transfers(std::span<const std::uint64_t> inputs,
                      std::span<const std::uint64_t> outputs);

  /// A device-to-device copy of the driver's own that reads and writes 1 GiB in all, counting both.
  /// Measured at the first call.
  double copy_roof_gb_per_s();

  /// The best of a few kernels that read 2 GiB and write nothing, for work that hardly writes.
  /// Measured at the first call.
  double read_roof_gb_per_s();

  /// Absolute differences of bytes a second with __vsadu4, four by each. Measured at the first
  /// call.
  double absolute_differences_per_s();

 private:
  struct Clock;

  std::optional<Sample> cold_sample(const GpuWork& work, bool blocked, double& gpu_seconds);
  Timing cold(const GpuWork& work, const TimingOptions& options, Measurement& measurement);
  Timing batch(const GpuWork& work, const TimingOptions& options, Measurement& measurement);
  void read_clocks(std::byte* to);
  Sample clock_between(double us, double& gpu_seconds) const;
  std::uint32_t* flags() const;
  std::byte* clocks(int reading) const;

  gpu::DeviceInfo device_;
  const gpu::Stream& stream_;
  gpu::Module helpers_;
  gpu::Kernel read_clocks_;
  gpu::Kernel wait_for_host_;
  gpu::Kernel absolute_differences_;
  gpu::Kernel read_words_;
  gpu::HostBuffer shared_;  // flags, clocks before, clocks after: written by kernels
  gpu::Buffer flushed_;
  gpu::Event start_;
  gpu::Event stop_;
  std::optional<double> copy_roof_;
  std::optional<double> read_roof_;
  std::optional<double> absolute_differences_rate_;
};

}  // namespace warpwise::lab
