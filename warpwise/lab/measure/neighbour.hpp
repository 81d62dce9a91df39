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

/// A kernel that runs beside the measured one, on multiprocessors of its own. It reads memory at a
/// chosen rate, so that the other kernel has the rest of the bandwidth. It reads more than L2
/// holds, again and again, with streaming loads (ld.cs), which the caches evict first.
///
/// The kernel ends by itself after `limit_s`, even if the host fails. Not thread-safe.
class Neighbour {
 public:
  static constexpr double limit_s = 5;  ///< a measurement takes one or two seconds

  /// \param on  the neighbour's multiprocessors; has to outlive it
  /// \throws CompileError, Unsupported, IoError  as compile_file()  \throws CudaError
  Neighbour(const gpu::DeviceInfo& device, const gpu::Part& on,
            const Toolchain& toolchain = find_toolchain());
  ~Neighbour();
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  /// Makes the neighbour read at this rate, or as fast as the memory allows. Returns once it runs.
  /// \throws InvalidArgument  the rate is not above 0
  /// \throws CudaError        the neighbour does not begin within a second
  void start(double gb_per_s);

  /// Returns the neighbour's read rate while `work` runs on a stream, once or several times, for
  /// 20 ms or 10,000 runs. The work's kernels must have been launched before: loading a kernel
  /// waits for the neighbour's end.
  /// \param work_us  approximate time of the work
  /// \throws CudaError
  double gb_per_s_during(const GpuWork& work, double work_us, const gpu::Stream& stream);

  /// Stops the neighbour and waits for its end. Returns false if the neighbour had already ended by
  /// itself. A part of the measurement since start() then ran without it. \throws CudaError
  bool stop();

 private:
  // Indices of the flags at the start of the memory that the host and the kernel share.
  enum class Flag : std::uint8_t { stop, runs, ended_by_itself };
  std::uint32_t& flag(Flag which) const;
  std::span<const std::uint64_t> reading(int which) const;

  const gpu::Part& on_;
  gpu::Module module_;
  gpu::Kernel kernel_;
  std::uint32_t blocks_;
  gpu::Buffer words_;
  gpu::Buffer counts_;      // a count for each block, then the flag that stops the blocks
  gpu::HostBuffer shared_;  // flags, and two readings of the counts
  bool is_running_ = false;
};

}  // namespace warpwise::lab
