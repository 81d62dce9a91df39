#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

class ThresholdStage final : public Stage {
 public:
  ThresholdStage(std::string text, const ThresholdOptions& options)
      : Stage(std::move(text)), options_(options) {}

  std::optional<PixelFormat> reads(const Stream& from) const override {
    return grey_unless_it_is(from);
  }

  Stream begin(const Stream& from) override { return grey_result(from); }

  std::optional<ChainStep> chain_step() const override { return options_; }

  void run(HostSource from, HostResult to) override { threshold(from.view(), to.view(), options_); }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    threshold(from.view(), to.view(), options_, stream);
  }

 private:
  ThresholdOptions options_;
};

}  // namespace

std::unique_ptr<Stage> threshold_stage(std::string text, const ThresholdOptions& options) {
  // Calls threshold() with one pixel, so that it refuses options itself.
  const std::byte pixel{};
  std::byte result{};
  threshold(ConstHostView(&pixel, ElementType::u8, 1, 1), HostView(&result, ElementType::u8, 1, 1),
            options);
  return std::make_unique<ThresholdStage>(std::move(text), options);
}

}  // namespace warpwise::live
