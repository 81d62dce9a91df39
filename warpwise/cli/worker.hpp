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

/// Milliseconds of each part of the work, summed over frames.
struct Times {
  double read = 0;
  double upload = 0;
  double compute = 0;
  double download = 0;
  double write = 0;
};

/// Work on pictures, for either backend.
struct Computation {
  std::function<void(std::span<const HostSource>, std::span<const HostResult>)> on_cpu;
  std::function<void(std::span<const DeviceSource>, std::span<const DeviceResult>,
                     gpu::StreamHandle)>
      on_gpu;

  /// Makes a computation from one function for both backends: `function(sources, results)` and
  /// `function(sources, results, stream)`.
  template <class Function>
  static Computation of(const Function& function) {
    return {function, function};
  }
};

/// Returns the number of CPU threads for all jobs: that of --threads, or the number of cores.
std::size_t cpu_threads(const RunOptions& options);

/// Chooses the backend. Returns true if a GPU computes, and makes it the calling thread's current
/// one.
/// \throws NoCudaDevice     a GPU was asked for and there is none.
/// \throws InvalidArgument  there is no device of that number.
bool take_gpu(const RunOptions& options);

/// Runs operations on the chosen backend. Used by one thread only.
class Worker {
 public:
  /// `jobs` share the CPU's threads; each has at least one.
  /// \throws NoCudaDevice     a GPU was asked for and there is none.
  /// \throws InvalidArgument  there is no device of that number.
  explicit Worker(const RunOptions& options, std::size_t jobs = 1);
  Worker(Worker&& other) noexcept;
  ~Worker();

  /// Makes a similar worker for the calling thread. On a GPU it has its own stream and memory, so
  /// that the transfers of one worker overlap with the kernels of another. \throws CudaError
  Worker another() const;

  /// Calls `work` with this job's share of the CPU's threads.
  void with_its_threads(const std::function<void()>& work) const;

  /// Runs an operation, with the conversion to grey that it needs, and adds its times of upload,
  /// compute and download. On a GPU, compute is the time between two events around the operation.
  /// Before the first picture it runs once untimed, so that the time does not include loading a
  /// kernel.
  void run(const Operation& operation, const io::Picture& source, std::span<io::Picture> results,
           Times& times);
  /// Runs a computation on any number of sources, with the same times.
  void run(const Computation& computation, std::span<const io::Picture> sources,
           std::span<io::Picture> results, Times& times);

  /// Stream of the GPU; nullopt on the CPU.
  std::optional<gpu::StreamHandle> stream() const;

  /// "cpu" or "cuda".
  std::string backend() const;
  /// Threads of one job ("2 threads"), or the GPU's name.
  std::string device() const { return device_; }

 private:
  struct Cpu;
  struct Gpu;
  Worker(std::shared_ptr<Cpu> cpu, std::unique_ptr<Gpu> gpu, std::string device);

  void prepare_grey(const io::PictureShape& shape);

  std::shared_ptr<Cpu> cpu_;  // shared by all jobs
  std::unique_ptr<Gpu> gpu_;
  std::optional<io::Picture> grey_;  // for the CPU; kept between files
  std::string device_;
};

}  // namespace warpwise::cli
