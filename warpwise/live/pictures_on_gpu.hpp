#pragma once

#include <functional>
#include <memory>
#include <span>

#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/lane.hpp"
#include "warpwise/live/pinned_ring.hpp"

namespace warpwise::live {

/// Computes pictures of any size on a GPU, one after another. They pass through a PinnedRing, which
/// bounds the page-locked memory. Used by one thread only.
class PicturesOnGpu {
 public:
  /// Enqueues the computation of results from sources.
  using Work = std::function<void(std::span<const DeviceSource>, std::span<const DeviceResult>,
                                  gpu::StreamHandle)>;
  struct Milliseconds {
    double upload = 0;
    double compute = 0;
    double download = 0;
  };

  /// Uses the calling thread's current device. \throws NoCudaDevice, CudaError
  PicturesOnGpu() = default;

  /// Uploads the sources, calls `work`, and returns when the results are complete. The compute time
  /// lies between two events around the work. Before the first pictures, the work runs once
  /// untimed, so that no time includes loading a kernel. \throws CudaError, …
  Milliseconds compute(const Work& work, std::span<const io::Picture> sources,
                       std::span<io::Picture> results);

  /// Makes a lane of this kind. A lane for each file costs little. This and `pipeline` must outlive
  /// it.
  std::unique_ptr<Lane> lane(const Pipeline& pipeline);

  gpu::StreamHandle stream() const { return stream_; }
  int device() const { return device_; }

 private:
  int device_ = gpu::current_device();
  gpu::Stream stream_;
  gpu::Event begin_;
  gpu::Event uploaded_;
  gpu::Event start_;
  gpu::Event end_;
  PinnedRing ring_;
  bool is_warm_ = false;
};

}  // namespace warpwise::live
