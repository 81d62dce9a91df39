#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

class ThresholdStage final : public Stage {
 public:
  ThresholdStage(std::string text, ThresholdChoice choose, bool gives_mean)
      : Stage(std::move(text)), choose_(std::move(choose)), gives_mean_(gives_mean) {}

  std::optional<PixelFormat> required_format(const Stream& from) const override {
    const io::PictureShape& shape = from.shape;
    const bool converts =
        shape.format || (shape.type == ElementType::u16 && are_deep_colours(shape));
    return converts ? required_grey_format(from) : std::nullopt;
  }

  bool accepts_deep_frames() const override { return true; }

  Stream begin(const Stream& from) override {
    const io::PictureShape& shape = from.shape;
    const bool is_taken = shape.type == ElementType::u8 || shape.type == ElementType::u16;
    if (shape.channels != 1 || !is_taken) {
      throw PixelsNotTaken("threshold takes grey and colour pixels of u8 and u16");
    }
    options_ = choose_(shape);
    const bool is_real = options_.method == ThresholdMethod::exact_mean;
    mean_ = io::PictureShape::interleaved(is_real ? ElementType::f32 : shape.type, 1, shape.width,
                                          shape.height);
    return grey_result(from, shape.type);
  }

  std::vector<io::PictureShape> further_results() const override {
    return gives_mean_ ? std::vector{mean_} : std::vector<io::PictureShape>();
  }

  std::optional<ChainStep> chain_step() const override { return options_; }

  void run(HostSource from, HostResult to) override { run_all(from, {&to, 1}); }
  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    run_all(from, {&to, 1}, stream);
  }
  void run_all(HostSource from, std::span<const HostResult> to) override { compute(from, to); }
  void run_all(DeviceSource from, std::span<const DeviceResult> to,
               gpu::StreamHandle stream) override {
    compute(from, to, stream);
  }

 private:
  template <class Source, class Result, class... OnStream>
  void compute(Source from, std::span<const Result> to, OnStream... stream) const {
    std::optional<decltype(to[0].view())> mean;
    if (to.size() > 1) mean = to[1].view();
    threshold(from.view(), to[0].view(), options_, mean, stream...);
  }

  ThresholdChoice choose_;
  bool gives_mean_;
  ThresholdOptions options_;  // chosen by begin()
  io::PictureShape mean_;
};

// Calls threshold() with one pixel. threshold() itself throws for invalid options.
void require_taken(const ThresholdOptions& options, ElementType type) {
  const std::uint16_t pixel = 0;
  std::uint16_t result = 0;
  threshold(ConstHostView(&pixel, type, 1, 1), HostView(&result, type, 1, 1), options);
}

}  // namespace

std::unique_ptr<Stage> threshold_stage(std::string text, const ThresholdOptions& options,
                                       bool is_white) {
  return threshold_by_shape(std::move(text), [options, is_white](const io::PictureShape& grey) {
    ThresholdOptions chosen = options;
    if (is_white) chosen.maximum = largest_of(grey.type);
    require_taken(chosen, grey.type);
    return chosen;
  });
}

std::unique_ptr<Stage> threshold_by_shape(std::string text, ThresholdChoice choose,
                                          bool gives_mean) {
  return std::make_unique<ThresholdStage>(std::move(text), std::move(choose), gives_mean);
}

}  // namespace warpwise::live
