#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

class SobelStage final : public Stage {
 public:
  SobelStage(std::string text, const SobelOptions& options)
      : Stage(std::move(text)), options_(options) {}

  std::optional<PixelFormat> reads(const Stream& from) const override {
    // sobel() itself computes the grey of RGB.
    return has_luma(from.format()) ? grey_unless_it_is(from) : std::nullopt;
  }

  Stream begin(const Stream& from) override {
    options_.channels = colour_order(from.format()).value_or(ChannelOrder::rgb);
    return grey_result(from);
  }

  std::optional<ChainStep> chain_step() const override { return options_; }

  void run(HostSource from, HostResult to) override { sobel(from.view(), to.view(), options_); }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    sobel(from.view(), to.view(), options_, stream);
  }

 private:
  SobelOptions options_;
};

}  // namespace

std::unique_ptr<Stage> sobel_stage(std::string text, const SobelOptions& options) {
  if (options.output != SobelOutput::magnitude) {
    throw InvalidArgument("sobel: " + std::string(name_of(options.output)) +
                          " does not fit the 8-bit frames of a stream; take magnitude");
  }
  return std::make_unique<SobelStage>(std::move(text), options);
}

}  // namespace warpwise::live
