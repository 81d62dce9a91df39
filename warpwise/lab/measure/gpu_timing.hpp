#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/module.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/lab/measure/samples.hpp"

namespace warpwise::lab {

struct TimingOptions {
  int min_samples = 10;       ///< least number of samples; 3 are enough for batches of long runs
  double cold_seconds = 0.5;  ///< least GPU time of cold samples and flushes, within wall_seconds
  double wall_seconds = 0.8;  ///< wall time that ends cold sampling, even if the median still moves
  double batch_seconds = 0.2;  ///< approximate wall time of the batches
  bool graphs = true;          ///< put batches of short runs into graphs, which hide their launches
};

/// Compiles a file of measuring kernels for a GPU. Returns the PTX.
/// \param file  below warpwise/lab
/// \throws CompileError, Unsupported, IoError  as compile_file()
std::string ptx_for(const gpu::DeviceInfo& device, const std::string& file,
                    std::vector<std::string> defines,
                    const Toolchain& toolchain = find_toolchain());

/// Puts one run on a stream and returns.
using GpuWork = std::function<void(gpu::StreamHandle)>;

/// Times of a run.
struct Measurement {
  Timing cold;   ///< one run, with none of its data in L2
  Timing batch;  ///< one run among many, with its operands in L2 as far as they fit
  std::vector<Sample> cold_samples;  ///< samples of `cold`, in the order of measuring
  int runs_per_batch = 0;
  double sm_clock_mhz = 0;  ///< median during the cold samples; 0: it could not be measured
  bool launches_hidden =
      true;  ///< false: launches here are synchronous, perhaps because of a debugger
};

/// Times of copies between page-locked host memory and the GPU.
struct Transfers {
  double upload_us = 0;
  double download_us = 0;
};

/// Times work on a GPU. Also measures roofs: the highest rates of the GPU, with which the work is
/// compared. The laboratory and the benches use it. README.md explains the method. Not thread-safe.
class GpuTimer {
 public:
  /// Compiles the timer's own kernels, timing.cu.
  /// \param device  the current device
  /// \param stream  stream for the work; has to outlive the timer
  /// \throws CompileError, Unsupported, IoError  as compile_file()
  /// \throws CudaError
  GpuTimer(const gpu::DeviceInfo& device, const gpu::Stream& stream,
           const Toolchain& toolchain = find_toolchain());
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  /// Times one call of `work`, whose result must have been checked before.
  /// \throws CudaError  a launch is refused or fails
  Measurement measure(const GpuWork& work, const TimingOptions& options = {});

  /// Returns the median times to upload all inputs and to download all outputs of these sizes in
  /// bytes.
  /// \throws CudaError  there is no memory for the largest operand
  Transfers transfers(std::span<const std::uint64_t> inputs,
                      std::span<const std::uint64_t> outputs);

  /// Returns the rate of the driver's own device-to-device copy of 512 MiB, or of an eighth of the
  /// memory if that is less. Reads and writes are counted together. The first call measures it.
  double copy_roof_gb_per_s();

  /// Returns the best rate of a kernel, in a few launch shapes, that reads 2 GiB, or an eighth of
  /// the memory if that is less, and writes nothing. This rate is the roof of work that hardly
  /// writes. The first call measures it.
  double read_roof_gb_per_s();

  /// Returns the number of absolute differences of bytes that the GPU computes per second. It uses
  /// __vsadu4, which computes four at a time. The first call measures the number.
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
