#include "warpwise/live/device_steps.hpp"

namespace warpwise::live {

DeviceSteps::DeviceSteps(const Pipeline& pipeline, gpu::StreamHandle stream) : pipeline_(pipeline) {
  const std::vector<Step>& steps = pipeline.steps();
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    between_.emplace_back(steps[i].stage ? steps[i].to.shape.bytes() : 0, stream);
  }
}

DeviceSource DeviceSteps::run(DeviceSource from, std::byte* result, gpu::StreamHandle stream) {
  for (std::size_t i = 0; i < pipeline_.steps().size(); ++i) {
    from = run_step(i, from, result, stream);
  }
  return from;
}

DeviceSource DeviceSteps::run_step(std::size_t i, DeviceSource from, std::byte* result,
                                   gpu::StreamHandle stream) {
  const Step& step = pipeline_.steps()[i];
  if (!step.stage) return {step.to.shape, from.data};
  std::byte* const to = i < between_.size() ? between_[i].data() : result;
  step.stage->run(from, {step.to.shape, to}, stream);
  return {step.to.shape, to};
}

}  // namespace warpwise::live
