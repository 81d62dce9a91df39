#include "warpwise/live/depth.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/primitives/convert/deep.hpp"

namespace warpwise::live {
namespace {

class NarrowStage final : public Stage {
 public:
  NarrowStage() : Stage("8 bits") {}

  std::optional<PixelFormat> required_format(const Stream&) const override { return std::nullopt; }
  bool accepts_deep_frames() const override { return true; }

  Stream begin(const Stream& from) override {
    if (!from.is_deep()) throw PixelsNotTaken("only frames of u16 can be rounded to 8 bits");
    range_ = from.colours.range.value;
    return narrowed(from);
  }

  void run(HostSource from, HostResult to) override {
    round_to_8_bits(views_of(from), range_, to.frame());
  }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    round_to_8_bits(views_of(from), range_, to.frame(), stream);
  }

 private:
  Range range_ = Range::full;  // set by begin()
};

}  // namespace

std::unique_ptr<Stage> narrow_stage() { return std::make_unique<NarrowStage>(); }

}  // namespace warpwise::live
