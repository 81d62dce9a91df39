#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/primitives/convert/grey.hpp"

namespace warpwise::live {
namespace {

class GreyStage final : public Stage {
 public:
  GreyStage() : Stage("grey") {}

  std::optional<PixelFormat> required_format(const Stream&) const override { return std::nullopt; }

  Stream begin(const Stream& from) override {
    if (!are_deep_colours(from.shape)) throw PixelsNotTaken("grey takes colours of u16 and f32");
    return grey_result(from, from.shape.type);
  }

  void run(HostSource from, HostResult to) override { grey(from.view(), to.view()); }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    grey(from.view(), to.view(), stream);
  }
};

}  // namespace

std::unique_ptr<Stage> grey_stage() { return std::make_unique<GreyStage>(); }

io::Picture grey_of(const io::Picture& colour) {
  const io::PictureShape& shape = colour.shape();
  io::Picture result(io::PictureShape::interleaved(shape.type, 1, shape.width, shape.height));
  const HostSource from{shape, colour.bytes().data()};
  const HostResult to{result.shape(), result.bytes().data()};
  if (shape.format) {
    convert(from.frame(), to.frame(), {.convention = convention_of_grey});
  } else {
    grey(from.view(), to.view());
  }
  return result;
}

}  // namespace warpwise::live
