#include <algorithm>

#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

class SobelStage final : public Stage {
 public:
  SobelStage(std::string text, const SobelOptions& options)
      : Stage(std::move(text)), options_(options) {}

  std::optional<PixelFormat> required_format(const Stream& from) const override {
    // sobel() itself computes the grey of 8-bit RGB.
    const bool converts =
        from.shape.format ? has_luma(*from.shape.format) : are_deep_colours(from.shape);
    return converts ? required_grey_format(from) : std::nullopt;
  }

  bool accepts_deep_frames() const override { return true; }

  Stream begin(const Stream& from) override {
    const std::span<const ElementType> types = sobel_dst_types(from.shape.type, options_.output);
    if (from.shape.channels == 2 || types.empty()) {
      throw PixelsNotTaken("sobel takes grey and colour pixels of u8, u16 and f32");
    }
    if (from.shape.format) {
      options_.channels = colour_order(*from.shape.format).value_or(ChannelOrder::rgb);
    }
    // If sobel() offers the source's type, the result has this type, and magnitudes saturate.
    const bool keeps_type = std::ranges::find(types, from.shape.type) != types.end();
    return grey_result(from, keeps_type ? from.shape.type : types.front());
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
  return std::make_unique<SobelStage>(std::move(text), options);
}

}  // namespace warpwise::live
