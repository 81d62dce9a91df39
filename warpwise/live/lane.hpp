#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/live/pipeline.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// A lane takes one frame at a time through a pipeline. It owns memory for the source's frame and
/// for the results. Several lanes of a pipeline may work at the same time, one thread each.
/// Lanes of gpu_lanes() allocate their memory on construction, other lanes on first use.
class Lane {
 public:
  virtual ~Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Returns memory for the source's frame. The span is empty with OnGpu::source.
  virtual std::span<std::byte> source() = 0;
  /// Reads the source's next frame into this lane. Returns false after the last frame.
  virtual bool read(Source& source) { return source.next(this->source()); }
  /// Copies the source's frame from another lane, whose frames lie in the same kind of memory. The
  /// other lane must have read or computed that frame, and keep it until this lane has computed: a
  /// copy on a GPU completes only then.
  virtual void copy_source_from(Lane& other) {
    std::memcpy(source().data(), other.source().data(), source().size());
  }
  /// Takes over a picture as the source's frame. Lanes that have pictures() do not copy it.
  virtual void adopt_picture(io::Picture picture) {
    std::memcpy(source().data(), picture.bytes().data(), source().size());
  }
  /// Takes over the source's frame in GPU memory. \throws Error  the lane does not support it.
  virtual void adopt_gpu_buffer(gpu::Buffer /*pixels*/) {
    throw Error("this lane takes no frames in the GPU's memory");
  }
  /// Allocates and touches the memory that compute() writes. If it is not called, the first frame's
  /// times include this work.
  virtual void prepare() {}
  /// Returns the result of the last compute(). If no step computes, a CPU lane returns source().
  virtual std::span<const std::byte> result() const = 0;
  /// Returns all results of the last step: the pictures of Pipeline::results(). Returns none if
  /// that step does not compute, and for lanes of gpu_lanes().
  virtual std::span<const io::Picture> pictures() const { return {}; }
  /// Returns the result in GPU memory, which result() downloads; null for results on the host.
  virtual const std::byte* result_on_gpu() const { return nullptr; }
  /// Computes the frame and returns when the result is complete. \throws CudaError, …
  virtual void compute() = 0;
  /// Times of each step, upload and download, summed over all frames. A CUDA graph can be timed
  /// only as a whole. Its frames count with the shortest times of runs before the recording. A lane
  /// of PicturesOnGpu reports the time of all steps as the last step's.
  struct Milliseconds {
    std::vector<double> steps;
    double upload = 0;
    double download = 0;
  };
  virtual const Milliseconds& milliseconds() const = 0;

 protected:
  Lane() = default;
};

/// Makes lanes on the CPU with `threads` threads each; with 0 a lane computes in the calling
/// thread's oneTBB arena. The lanes share buffers for the results between steps. A frame takes the
/// buffers used last, because they may still be in a cache. `pipeline` must outlive the lanes.
std::vector<std::unique_ptr<Lane>> cpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             int threads);

/// Parts of a lane that lie in the GPU's memory instead of the host's.
struct OnGpu {
  bool source = false;  ///< read() calls Source::next_on_gpu()
  bool result = false;
};

/// Makes lanes on the current GPU. Each has page-locked memory, a stream, and a CUDA graph of the
/// upload, every step and the download, so that frames overlap. Pipelines that are not recordable
/// have no graph. Lanes of a stateful pipeline share one stream. With OnGpu::source there is no
/// upload, with OnGpu::result no download. `pipeline` must outlive the lanes.
/// \throws NoCudaDevice, CudaError
std::vector<std::unique_ptr<Lane>> gpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             OnGpu on_gpu = {});

}  // namespace warpwise::live
