#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/operation.hpp"

namespace warpwise::cli {

class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// How long the parts of the work took, summed over frames.
struct Times {
  double read = 0;
  double upload = 0;
  double compute = 0;
  double download = 0;
  double write = 0;
};

/// What is done with pictures, on either backend.
struct Computation {
  std::function<void(std::span<const HostSource>, std::span<const HostResult>)> on_cpu;
  std::function<void(std::span<const DeviceSource>, std::span<const DeviceResult>,
                     gpu::StreamHandle)>
      on_gpu;

  /// From one function for both: `function(sources, results)` and
  /// `function(sources, results, stream)`.
  template <class Function>
  static Computation of(const Function& function) {
    return {function, function};
  }
};

/// The CPU's threads that may be used in all: those of --threads, or as many as there are cores.
std::size_t cpu_threads(const RunOptions& options);

/// Whether a GPU computes; it is then the calling thread's current one.
/// \throws NoCudaDevice     a GPU was asked for and there is none.
/// \throws InvalidArgument  there is no device of that number.
bool take_gpu(const RunOptions& options);

/// Runs operations on the backend that was asked for. To be used by one thread.
class Worker {
 public:
  /// `jobs` share the CPU's threads; each has at least one.
  /// \throws NoCudaDevice     a GPU was asked for and there is none.
  /// \throws InvalidArgument  there is no device of that number.
  explicit Worker(const RunOptions& options, std::size_t jobs = 1);
  Worker(Worker&& other) noexcept;
  ~Worker();

  /// One like it for the calling thread: on a GPU with a stream and memory of its own, so that the
  /// transfers of one overlap with the kernels of another. \throws CudaError
  Worker another() const;

  /// Calls `work` so that what it does on the CPU takes this job's share of the threads.
  void with_its_threads(const std::function<void()>& work) const;

  /// Adds to upload, compute and download. On a GPU compute is the time between two events around
  /// the operation, which runs once untimed before the first picture: loading a kernel is no part
  /// of its speed.
  void run(const Operation& operation, const io::Picture& source, std::span<io::Picture> results,
           Times& times);
  /// The same for any number of sources.
  void run(const Computation& computation, std::span<const io::Picture> sources,
           std::span<io::Picture> results, Times& times);

  /// The stream that the GPU works on; nothing on the CPU.
  std::optional<gpu::StreamHandle> stream() const;

  /// "cpu" or "cuda".
  std::string backend() const;
  /// "2 threads", those of one job, or the GPU's name.
  std::string device() const { return device_; }

 private:
  struct Cpu;
  struct Gpu;
  Worker(std::shared_ptr<Cpu> cpu, std::unique_ptr<Gpu> gpu, std::string device);

  std::shared_ptr<Cpu> cpu_;  // the same for all jobs
  std::unique_ptr<Gpu> gpu_;
  std::string device_;
};

}  // namespace warpwise::cli
