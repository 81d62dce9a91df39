#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "warpwise/live/pipeline.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// The way of one frame at a time through a pipeline: memory for what comes and for the result, and
/// what computes it. Several lanes of a pipeline work at the same time, each on one thread; all
/// memory is taken when they are made.
class Lane {
 public:
  virtual ~Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Where the source's frame belongs; empty where that is a GPU's memory.
  virtual std::span<std::byte> source() = 0;
  /// Has the source put its next frame there; false after the last one.
  virtual bool read(Source& source) { return source.next(this->source()); }
  /// Takes the frame of another lane, whose source's frames lie likewise. That has read or computed
  /// it, and keeps it until this has computed: a copy on the GPU is waited for then.
  virtual void take_frame_of(Lane& other) {
    std::memcpy(source().data(), other.source().data(), source().size());
  }
  /// Of the last compute(); the source's own memory where the pipeline has no step that computes.
  virtual std::span<const std::byte> result() const = 0;
  /// Where that is a GPU's memory, and result() fetches it: its place there; otherwise null.
  virtual const std::byte* result_on_gpu() const { return nullptr; }
  /// Returns when the result is there. \throws CudaError, …
  virtual void compute() = 0;
  /// Summed over all frames so far, for each step of the pipeline, and for the way to the GPU and
  /// back. Of a graph the parts' times are those of a rehearsal before the first frame.
  struct Milliseconds {
    std::vector<double> steps;
    double upload = 0;
    double download = 0;
  };
  virtual const Milliseconds& milliseconds() const = 0;

 protected:
  Lane() = default;
};

/// Lanes on the CPU. `threads` is what each may use; what lies between two steps is kept by
/// thread, so that it is in a cache. `pipeline` outlives them.
std::vector<std::unique_ptr<Lane>> cpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             int threads);

/// What of a lane lies in the GPU's memory rather than in the host's.
struct OnGpu {
  bool source = false;  ///< read() calls Source::next_on_gpu()
  bool result = false;
};

/// Lanes on the current GPU: page-locked memory, a stream and a CUDA graph each, which holds the
/// upload, every step and the download, so that those of different frames overlap. Pipelines that
/// cannot be recorded have no graph, and those that remember one stream. What lies on the GPU needs
/// no upload, or download. `pipeline` outlives them. \throws NoCudaDevice, CudaError
std::vector<std::unique_ptr<Lane>> gpu_lanes(const Pipeline& pipeline, std::size_t count,
                                             OnGpu on_gpu = {});

}  // namespace warpwise::live
