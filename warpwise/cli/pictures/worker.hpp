#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpwise/base/stopwatch.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/live/pictures_on_gpu.hpp"

namespace warpwise::cli {

using live::DeviceResult;
using live::DeviceSource;
using live::HostResult;
using live::HostSource;

/// Milliseconds that each part of the work took, summed over all frames.
struct Times {
  double read = 0;
  double upload = 0;
  double compute = 0;
  double download = 0;
  double write = 0;
};

/// A computation on pictures that belong together, with a function for each backend.
struct Computation {
  std::function<void(std::span<const HostSource>, std::span<const HostResult>)> on_cpu;
  live::PicturesOnGpu::Work on_gpu;

  /// Makes a computation of a function that serves both backends. It is called as
  /// `function(sources, results)` on the CPU and as `function(sources, results, stream)` on a GPU.
  template <class Function>
  static Computation of(const Function& function) {
    return {function, function};
  }
};

/// Returns the number of CPU threads for all jobs: --threads, or the number of cores.
std::size_t cpu_threads(const RunOptions& options);

/// Chooses the backend. If it is a GPU, makes the GPU the calling thread's current one and returns
/// true.
/// \throws NoCudaDevice     a GPU was requested and there is none.
/// \throws InvalidArgument  there is no device of that number.
bool select_gpu(const RunOptions& options);

/// Computes pictures on the chosen backend. Only one thread may use a worker.
class Worker {
 public:
  /// Makes a worker for one of `jobs` jobs that share the CPU's threads. Each job gets at least one
  /// thread.
  /// \throws NoCudaDevice     a GPU was requested and there is none.
  /// \throws InvalidArgument  there is no device of that number.
  explicit Worker(const RunOptions& options, std::size_t jobs = 1);

  /// Makes another worker on the same backend for the calling thread. On a GPU it has its own
  /// stream and memory, so that one worker's transfers overlap with another worker's kernels.
  /// \throws CudaError
  Worker clone_for_this_thread() const;

  /// Runs `work` with this job's share of the CPU's threads.
  void with_its_threads(const std::function<void()>& work) const;

  /// Makes a lane, which runs `pipeline` on one file's pictures, one at a time, in memory of its
  /// own. The worker and `pipeline` must outlive the lane.
  /// \throws CudaError
  std::unique_ptr<live::Lane> lane(const live::Pipeline& pipeline);
  /// Lets the GPU decode a JPEG file; returns nullopt if the CPU has to decode it.
  /// \throws CudaError
  std::optional<live::PicturesOnGpu::Decoded> decode_jpeg(std::span<const std::byte> file,
                                                          const live::SourceOptions& options);
  /// Runs a computation on inputs that belong together, outside of any pipeline. Adds the times of
  /// upload, compute and download to `times`.
  void run(const Computation& computation, std::span<const io::Picture> sources,
           std::span<io::Picture> results, Times& times);

  /// Returns the GPU's stream, or nullopt on the CPU.
  std::optional<gpu::StreamHandle> stream() const;

  /// Returns "cpu" or "cuda".
  std::string backend() const;
  /// Returns the threads of one job ("2 threads"), or the GPU's name.
  std::string device() const { return device_; }

 private:
  struct Cpu;
  Worker(std::shared_ptr<Cpu> cpu, std::unique_ptr<live::PicturesOnGpu> gpu, std::string device);

  std::shared_ptr<Cpu> cpu_;  // shared by all jobs
  std::unique_ptr<live::PicturesOnGpu> gpu_;
  std::string device_;
};

}  // namespace warpwise::cli
