#pragma once

#include <functional>
#include <span>
#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/live/pinned_ring.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::live {

/// Computes pictures of any sizes on a GPU, one after another. Its memory there grows with them and
/// is kept. They pass through a PinnedRing, so the page-locked memory does not grow. Used by one
/// thread only.
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

  /// Takes the calling thread's current device. \throws NoCudaDevice, CudaError
  PicturesOnGpu() = default;

  /// Uploads the sources, calls `work`, and returns when the results are complete. Compute is the
  /// time between two events around the work. Before the first pictures the work is done once
  /// untimed, so that the time does not include loading a kernel. \throws CudaError, …
  Milliseconds compute(const Work& work, std::span<const io::Picture> sources,
                       std::span<io::Picture> results);

  gpu::StreamHandle stream() const { return stream_; }
  int device() const { return device_; }

 private:
  std::byte* memory(std::size_t index, std::int64_t bytes);

  int device_ = gpu::current_device();
  gpu::Stream stream_;
  gpu::Event begin_;
  gpu::Event uploaded_;
  gpu::Event start_;
  gpu::Event end_;
  PinnedRing ring_;
  std::vector<gpu::Buffer> buffers_;  // the sources', then the results'
  bool is_warm_ = false;
};

}  // namespace warpwise::live
