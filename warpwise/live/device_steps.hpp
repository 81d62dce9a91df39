#pragma once

#include <span>
#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/live/pipeline.hpp"

namespace warpwise::live {

/// Runs a pipeline's steps on frames in GPU memory, between the upload and the download of a Lane.
/// The object owns the results between steps, so only one frame at a time may pass through it.
class DeviceSteps {
 public:
  /// Allocates its memory on `stream`. `pipeline` must outlive this object. \throws CudaError
  DeviceSteps(const Pipeline& pipeline, gpu::StreamHandle stream);

  /// Enqueues all steps on `stream`. Returns the last step's first result: results[0], or a part of
  /// the step's input if the step has no stage. \throws CudaError, …
  DeviceSource run(DeviceSource from, std::span<const DeviceResult> results,
                   gpu::StreamHandle stream);
  /// Enqueues only step `i`, on `from`, which is the result of the previous step.
  DeviceSource run_step(std::size_t i, DeviceSource from, std::span<const DeviceResult> results,
                        gpu::StreamHandle stream);

 private:
  const Pipeline& pipeline_;
  std::vector<gpu::Buffer> between_;  // results of all steps but the last
};

}  // namespace warpwise::live
