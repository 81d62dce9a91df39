#include "warpwise/live/device_steps.hpp"

namespace warpwise::live {

DeviceSteps::DeviceSteps(const Pipeline& pipeline, gpu::StreamHandle stream) : pipeline_(pipeline) {
  const std::vector<Step>& steps = pipeline.steps();
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    between_.emplace_back(steps[i].stage ? steps[i].to.shape.bytes() : 0, stream);
  }
}

DeviceSource DeviceSteps::run(DeviceSource from, std::span<const DeviceResult> results,
                              gpu::StreamHandle stream) {
  for (std::size_t i = 0; i < pipeline_.steps().size(); ++i) {
    from = run_step(i, from, results, stream);
  }
  return from;
}

DeviceSource DeviceSteps::run_step(std::size_t i, DeviceSource from,
                                   std::span<const DeviceResult> results,
                                   gpu::StreamHandle stream) {
  const Step& step = pipeline_.steps()[i];
  if (!step.stage) return {step.to.shape, from.data};
  if (i == between_.size()) {
    step.stage->run_all(from, results, stream);
    return {results[0].shape, results[0].data};
  }
  step.stage->run(from, {step.to.shape, between_[i].data()}, stream);
  return {step.to.shape, between_[i].data()};
}

}  // namespace warpwise::live
