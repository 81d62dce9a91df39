#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/live/stages/stage_result.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::live {
namespace {

constexpr std::array<std::uint8_t, 3> green = {0, 255, 0};
constexpr std::array<std::uint8_t, 3> red = {255, 0, 0};  // the last known place of a lost box
constexpr std::int64_t outline_pixels = 2;
constexpr ConvertOptions to_grey = {.convention = convention_of_grey};

// Returns four bars along the box's inner edges.
std::array<Box, 4> outline_of(const Box& box) {
  const std::int64_t across = std::min(outline_pixels, box.width);
  const std::int64_t down = std::min(outline_pixels, box.height);
  return {{{box.x, box.y, box.width, down},
           {box.x, box.y + box.height - down, box.width, down},
           {box.x, box.y, across, box.height},
           {box.x + box.width - across, box.y, across, box.height}}};
}

// Makes an image of one colour, at least as large as each bar.
Image ink_of(const Box& box, const std::array<std::uint8_t, 3>& colour) {
  Image ink(ElementType::u8, box.width, box.height, 3);
  for (std::int64_t y = 0; y < box.height; ++y) {
    for (std::int64_t x = 0; x < box.width; ++x) store(ink.view().row(y), x, colour);
  }
  return ink;
}

void draw(ConstHostView bar, HostView place, gpu::StreamHandle) { copy(bar, place); }
void draw(ConstHostView bar, DeviceView place, gpu::StreamHandle stream) {
  gpu::upload(bar, place, stream);
}

class TrackStage final : public Stage {
 public:
  TrackStage(std::string text, const Box& box, const TrackOptions& options)
      : Stage(std::move(text)), box_(box), options_(options) {}

  std::optional<PixelFormat> required_format(const Stream& from) const override {
    const bool is_grey =
        from.format() == PixelFormat::gray8 && from.colours.range.value == Range::full;
    if (is_grey || !has_luma(from.format())) return std::nullopt;
    return PixelFormat::rgb24;
  }

  Stream begin(const Stream& from) override {
    const io::PictureShape& shape = from.shape;
    require_box(shape);
    ink_.emplace(ink_of(box_, green));
    ink_of_lost_.emplace(ink_of(box_, red));
    return rgb_result(from, shape.width, shape.height);
  }

  bool is_stateful() const override { return true; }
  void release() override { on_device_.reset(); }

  void run(HostSource from, HostResult to) override {
    Image grey(ElementType::u8, from.shape.width, from.shape.height);
    convert(from.frame(), HostFrame(PixelFormat::gray8, grey.view()), to_grey);
    const TrackedBox box = follow(std::as_const(grey).view());
    convert(from.frame(), to.frame());
    draw_outline(box, to.view(), nullptr);
  }

  void run(DeviceSource from, DeviceResult to, gpu::StreamHandle stream) override {
    gpu::DeviceImage grey(ElementType::u8, from.shape.width, from.shape.height, 1, stream);
    convert(from.frame(), DeviceFrame(PixelFormat::gray8, grey.view()), to_grey, stream);
    const TrackedBox box = follow(std::as_const(grey).view(), stream);
    convert(from.frame(), to.frame(), {}, stream);
    draw_outline(box, to.view(), stream);
  }

 private:
  // Makes a Tracker on a black frame. Tracker itself throws for an invalid box.
  void require_box(const io::PictureShape& shape) const {
    const std::vector<std::byte> black(static_cast<std::size_t>(shape.width * shape.height));
    Tracker(ConstHostView(black.data(), ElementType::u8, shape.width, shape.height), box_,
            options_);
  }

  TrackedBox follow(ConstHostView grey) {
    if (on_host_) return on_host_->next(grey);
    on_host_.emplace(grey, box_, options_);
    return {box_};
  }
  TrackedBox follow(ConstDeviceView grey, gpu::StreamHandle stream) {
    if (on_device_) return on_device_->next(grey);
    on_device_.emplace(grey, box_, options_, stream);
    return {box_};
  }

  template <class View>
  void draw_outline(const TrackedBox& tracked, const View& picture,
                    gpu::StreamHandle stream) const {
    const Image& ink = tracked.lost ? *ink_of_lost_ : *ink_;
    for (const Box& bar : outline_of(tracked.box)) {
      draw(ink.view().sub_view(0, 0, bar.width, bar.height),
           picture.sub_view(bar.x, bar.y, bar.width, bar.height), stream);
    }
  }

  Box box_;  // place in the first frame
  TrackOptions options_;
  std::optional<Image> ink_;
  std::optional<Image> ink_of_lost_;
  std::optional<Tracker> on_host_;
  std::optional<DeviceTracker> on_device_;
};

}  // namespace

std::unique_ptr<Stage> track_stage(std::string text, const Box& box, const TrackOptions& options) {
  return std::make_unique<TrackStage>(std::move(text), box, options);
}

}  // namespace warpwise::live
