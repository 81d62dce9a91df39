#pragma once

#include <cstdint>
#include <span>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/module.hpp"
#include "warpwise/gpu/partition.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"

namespace warpwise::lab {

/// A kernel beside the one that is measured: on multiprocessors of its own it reads memory at a
/// chosen rate, so that the other has the rest of the bandwidth. It reads more than L2 holds, again
/// and again, past the caches as far as a load can ask for that.
///
/// It ends by itself after `limit_s`, whatever happens meanwhile. Not thread-safe.
class Neighbour {
 public:
  static constexpr double limit_s = 5;  ///< a measurement takes one or two

  /// \param on  where it runs; has to outlive it
  /// \throws CompileError, Unsupported, IoError  as compile_file()  \throws CudaError
  Neighbour(const gpu::DeviceInfo& device, const gpu::Part& on,
            const Toolchain& toolchain = find_toolchain());
  /// Stops it.
  ~Neighbour();
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  /// From now on it reads at this rate, or as much of it as the memory gives it. Returns when it
  /// runs. \throws CudaError  it cannot be launched, or does not begin within a second
  void start(double gb_per_s);

  /// What it reads while `work`, once or several times over, runs on a stream: over 20 ms at least.
  /// The work's kernels have been launched before: loading one waits for the neighbour's end.
  /// \param work_us  about what it takes
  /// \throws CudaError
  double gb_per_s_during(const GpuWork& work, double work_us, const gpu::Stream& stream);

  /// Waits for its end. Returns false if it had ended before, by itself: what was measured since
  /// start() was not beside it. \throws CudaError
  bool stop();

 private:
  // In memory that the host and the kernel share, one behind the other.
  enum class Flag : std::uint8_t { stop, runs, ended_by_itself };
  std::uint32_t& flag(Flag which) const;
  std::span<const std::uint64_t> reading(int which) const;

  const gpu::Part& on_;
  gpu::Module module_;
  gpu::Kernel kernel_;
  std::uint32_t blocks_;
  gpu::Buffer words_;
  gpu::Buffer counts_;      // of each block, and behind them the flag that stops them
  gpu::HostBuffer shared_;  // flags, and two readings of the counts
  bool is_running_ = false;
};

}  // namespace warpwise::lab
