#include <optional>

#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

std::string text_of(const std::vector<std::shared_ptr<Stage>>& stages) {
  std::string text;
  for (const auto& stage : stages) text += (text.empty() ? "" : " | ") + stage->text();
  return text;
}

class ChainStage final : public Stage {
 public:
  explicit ChainStage(std::vector<std::shared_ptr<Stage>> stages)
      : Stage(text_of(stages)), stages_(std::move(stages)) {}

  std::optional<PixelFormat> required_format(const Stream& from) const override {
    return stages_.front()->required_format(from);
  }

  Stream begin(const Stream& from) override {
    Stream stream = from;
    std::vector<ChainStep> steps;
    for (const auto& stage : stages_) {
      stream = stage->begin(stream);
      steps.push_back(stage->chain_step().value());
    }
    chain_.emplace(std::move(steps));
    return stream;
  }

  void run(HostSource from, HostResult to) override { chain_->run(from.view(), to.view()); }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    // Several streams may run this stage at once. Separate kernels would write to the chain's
    // intermediate images, which only one stream at a time can use.
    if (!chain_->is_fused(from.view(), to.view())) {
      throw InvalidArgument("'" + text() + "' is not a single GPU kernel for " +
                            from.shape.pixel_text() + " frames of " +
                            std::to_string(from.shape.width) + "x" +
                            std::to_string(from.shape.height));
    }
    chain_->run(from.view(), to.view(), stream);
  }

 private:
  std::vector<std::shared_ptr<Stage>> stages_;
  std::optional<Chain> chain_;
};

}  // namespace

std::unique_ptr<Stage> chain_stage(std::vector<std::shared_ptr<Stage>> stages) {
  return std::make_unique<ChainStage>(std::move(stages));
}

}  // namespace warpwise::live
