#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/jpeg_on_gpu.hpp"
#include "warpwise/live/lane.hpp"
#include "warpwise/live/pinned_ring.hpp"

namespace warpwise::live {

/// Computes pictures of any size on a GPU, one after another. They pass through a PinnedRing, which
/// bounds the page-locked memory. Only one thread may use an object.
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

  /// Uploads the sources, calls `work`, and returns when the results are complete. Two events
  /// around the work measure the compute time. For the first pictures, the work runs once before,
  /// untimed, so that no time includes loading a kernel. \throws CudaError, …
  Milliseconds compute(const Work& work, std::span<const io::Picture> sources,
                       std::span<io::Picture> results);

  /// Works like the overload above, but with one source that already lies in the GPU's memory.
  Milliseconds compute(const Work& work, DeviceSource source, std::span<io::Picture> results);

  /// A picture in the GPU's memory.
  struct Decoded {
    io::PictureShape shape;
    gpu::Buffer pixels;
  };
  /// Decodes a JPEG file; returns nullopt if the CPU has to decode it.
  /// \throws CudaError
  std::optional<Decoded> decode_jpeg(std::span<const std::byte> file, bool luma, bool autorotate);

  /// Makes a lane that computes with this object. A lane is cheap enough to make one for each file.
  /// This object and `pipeline` must outlive the lane.
  std::unique_ptr<Lane> lane(const Pipeline& pipeline);

  gpu::StreamHandle stream() const { return stream_; }
  int device() const { return device_; }

 private:
  Milliseconds compute(const Work& work, std::span<const DeviceSource> from,
                       std::span<io::Picture> results);

  int device_ = gpu::current_device();
  gpu::Stream stream_;
  gpu::Event begin_;
  gpu::Event uploaded_;
  gpu::Event start_;
  gpu::Event end_;
  PinnedRing ring_;
  JpegOnGpu jpeg_;
  bool is_warm_ = false;
};

}  // namespace warpwise::live
