#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "warpwise/io/picture.hpp"
#include "warpwise/live/pipeline.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// A lane takes one frame at a time through a pipeline. It has memory for the source's frame and
/// for the results. Several lanes of a pipeline work at the same time, each on one thread. A
/// lane of gpu_lanes() allocates its memory when it is made, other lanes when they first use it.
class Lane {
 public:
  virtual ~Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Memory for the source's frame; empty if the frame lies in a GPU's memory.
  virtual std::span<std::byte> source() = 0;
  /// Has the source write its next frame to source(); false after the last one.
  virtual bool read(Source& source) { return source.next(this->source()); }
  /// Copies the source's frame from another lane, whose frames lie in the same kind of memory. The
  /// other lane must have read or computed it, and must keep it until this lane has computed. On a
  /// GPU the copy completes only then.
  virtual void take_frame_of(Lane& other) {
    std::memcpy(source().data(), other.source().data(), source().size());
  }
  /// Takes a picture as the source's frame. Lanes that have pictures() do not copy it.
  virtual void take(io::Picture picture) {
    std::memcpy(source().data(), picture.bytes().data(), source().size());
  }
  /// Allocates and touches the memory that compute() will write. Otherwise the times of the first
  /// frame include that.
  virtual void prepare() {}
  /// Result of the last compute(). If no step of the pipeline computes, it is the source's memory.
  virtual std::span<const std::byte> result() const = 0;
  /// All results of the last step, whole pictures of Pipeline::results(). Empty if that step does
  /// not compute, and for lanes of gpu_lanes().
  virtual std::span<const io::Picture> pictures() const { return {}; }
  /// Result in the GPU's memory, which result() downloads; null if the result lies on the host.
  virtual const std::byte* result_on_gpu() const { return nullptr; }
  /// Computes the frame and returns when the result is complete. \throws CudaError, …
  virtual void compute() = 0;
  /// Times of each step, upload and download, summed over all frames. For a graph they are the
  /// times of a rehearsal before the first frame. A lane of pictures on a GPU has the time of all
  /// steps at the last one.
  struct Milliseconds {
    std::vector<double> steps;
    double upload = 0;
    double download = 0;
  };
  virtual const Milliseconds& milliseconds() const = 0;

 protected:
  Lane() = default;
};

/// Makes lanes on the CPU, each of which may use `threads` threads; with 0 the lane computes on the
/// calling thread's oneTBB arena. Lanes share the memory between steps: each frame in flight takes
/// the set used last, which is in a cache. `pipeline` must outlive them.
std::vector<std::unique_ptr<Lane>> cpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             int threads);

/// Parts of a lane that lie in the GPU's memory instead of the host's.
struct OnGpu {
  bool source = false;  ///< read() calls Source::next_on_gpu()
  bool result = false;
};

/// Makes lanes on the current GPU. Each has page-locked memory, a stream, and a CUDA graph of the
/// upload, every step and the download, so that different frames overlap. Pipelines that cannot be
/// recorded have no graph; lanes of pipelines that remember share one stream. A source on the GPU
/// needs no upload, a result on it no download. `pipeline` must outlive them. \throws NoCudaDevice,
/// CudaError
std::vector<std::unique_ptr<Lane>> gpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             OnGpu on_gpu = {});

}  // namespace warpwise::live
