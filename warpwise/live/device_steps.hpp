#pragma once

#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/live/pipeline.hpp"

namespace warpwise::live {

/// The steps of a pipeline on frames that lie on a GPU: what a lane does between upload and
/// download. It owns what lies between two steps, so that one frame at a time goes through it.
class DeviceSteps {
 public:
  /// Takes its memory on `stream`. `pipeline` outlives it. \throws CudaError
  DeviceSteps(const Pipeline& pipeline, gpu::StreamHandle stream);

  /// Asynchronous on `stream`. The last step writes to `result`; where it computes nothing, the
  /// result lies where the answer says. \throws CudaError, …
  DeviceSource run(DeviceSource from, std::byte* result, gpu::StreamHandle stream);
  /// The same of step `i` alone, on what came of the one before.
  DeviceSource run_step(std::size_t i, DeviceSource from, std::byte* result,
                        gpu::StreamHandle stream);

 private:
  const Pipeline& pipeline_;
  std::vector<gpu::Buffer> between_;  // results of all steps but the last
};

}  // namespace warpwise::live
