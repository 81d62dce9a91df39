#include <utility>

#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/live/disparity_colours.hpp"
#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

template <class View>
View left_of(const View& pair) {
  return pair.sub_view(0, 0, pair.width() / 2, pair.height());
}

template <class View>
View right_of(const View& pair) {
  return pair.sub_view(pair.width() / 2, 0, pair.width() / 2, pair.height());
}

class DisparityStage final : public Stage {
 public:
  DisparityStage(std::string text, const DisparityOptions& options)
      : Stage(std::move(text)), options_(options) {}

  std::optional<PixelFormat> required_format(const Stream& from) const override {
    return required_grey_format(from);
  }

  Stream begin(const Stream& from) override {
    const io::PictureShape& shape = from.shape;
    if (shape.width % 2 == 0) return rgb_result(from, shape.width / 2, shape.height);
    throw InvalidArgument(
        "disparity: a frame must hold the left and the right image side by side, and so have an "
        "even width; these frames are " +
        std::to_string(shape.width) + "x" + std::to_string(shape.height));
  }

  bool is_recordable() const override { return false; }

  void run(HostSource from, HostResult to) override {
    Image disparities(ElementType::f32, to.shape.width, to.shape.height);
    disparity(left_of(from.view()), right_of(from.view()), disparities.view(), options_);
    draw_disparity(disparities.view(), options_.max_disparity, to.view());
  }

  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    gpu::DeviceImage found(ElementType::f32, to.shape.width, to.shape.height, 1, stream);
    disparity(left_of(from.view()), right_of(from.view()), found.view(), options_, stream);
    Image disparities(ElementType::f32, to.shape.width, to.shape.height);
    gpu::download(std::as_const(found).view(), disparities.view(), stream);
    wait_for(stream);
    io::Picture picture(to.shape);
    draw_disparity(disparities.view(), options_.max_disparity,
                   HostResult{to.shape, picture.bytes().data()}.view());
    gpu::upload(picture.bytes().data(), to.view().data(), to.shape.bytes(), stream);
    wait_for(stream);  // `picture`, which the upload reads, ends with this scope
  }

 private:
  static void wait_for(gpu::StreamHandle stream) {
    gpu::Event reached;
    reached.record(stream);
    reached.synchronize();
  }

  DisparityOptions options_;
};

}  // namespace

std::unique_ptr<Stage> disparity_stage(std::string text, const DisparityOptions& options) {
  // Calls disparity() with one pixel. disparity() itself throws for invalid options.
  const std::byte pixel{};
  float result = 0;
  const ConstHostView image(&pixel, ElementType::u8, 1, 1);
  disparity(image, image, HostView(&result, 1, 1), options);
  return std::make_unique<DisparityStage>(std::move(text), options);
}

}  // namespace warpwise::live
