#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "bench/gpu_harness.hpp"
#include "bench/growth_of.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"

namespace warpwise::bench {
namespace {

/// A stereo pair. The left image is the right one shifted by a few pixels.
class StereoPair {
 public:
  StereoPair(Size size, const gpu::Stream& stream)
      : scene_(ElementType::u8, size.width + shift, size.height), size_(size),
        device_scene_(ElementType::u8, size.width + shift, size.height, 1, stream),
        result_(ElementType::f32, size.width, size.height, 1, stream) {
    const std::vector<std::uint8_t> bytes = random_bytes(scene_.view().row_bytes() + 4096);
    for (std::int64_t y = 0; y < size.height; ++y) {
      // Every row is a different part of the random bytes.
      std::memcpy(scene_.view().row(y), bytes.data() + (y * 37) % 4096,
                  static_cast<std::size_t>(scene_.view().row_bytes()));
    }
    gpu::upload(scene_.view(), device_scene_.view(), stream);
    stream.synchronize();
  }

  void run(const DisparityOptions& options, gpu::StreamHandle stream) {
    const ConstDeviceView scene = device_scene_.view();
    disparity(part(scene, 0), part(scene, shift), result_.view(), options, stream);
  }

  /// Returns true if the result equals the CPU path's.
  bool verify(const DisparityOptions& options, const gpu::Stream& stream) {
    if (!want_) {
      want_.emplace(ElementType::f32, size_.width, size_.height);
      const ConstHostView scene = scene_.view();
      disparity(part(scene, 0), part(scene, shift), want_->view(), options);
    }
    Image got(ElementType::f32, size_.width, size_.height);
    gpu::download(result_.view(), got.view(), stream);
    stream.synchronize();
    for (std::int64_t y = 0; y < size_.height; ++y) {
      if (std::memcmp(want_->view().row(y), got.view().row(y),
                      static_cast<std::size_t>(want_->view().row_bytes())) != 0)
        return false;
    }
    return true;
  }

 private:
  static constexpr std::int64_t shift = 24;

  template <class View>
  View part(const View& scene, std::int64_t x) const {
    return scene.sub_view(x, 0, size_.width, size_.height);
  }

  Image scene_;
  Size size_;
  gpu::DeviceImage device_scene_;
  gpu::DeviceImage result_;
  std::optional<Image> want_;  // the CPU path's result, once verify() has computed it
};

Case disparity_case(Size size, const std::string& measure, const DisparityOptions& options) {
  Case result{"disparity",
              measure + " block " + std::to_string(options.block) + " range " +
                  std::to_string(options.max_disparity + 1),
              "warpwise",
              size.width,
              size.height,
              size.width * size.height * 6,
              {}};
  result.prepare = [=](const gpu::Stream& stream) {
    auto pair = std::make_shared<StereoPair>(size, stream);
    return Prepared{[=](gpu::StreamHandle s) { pair->run(options, s); },
                    [=, &stream] { return pair->verify(options, stream); }};
  };
  return result;
}

const Registration disparity_registered{[] {
  std::vector<Case> cases;
  const auto add = [&](Size size, const std::string& measure, const DisparityOptions& options) {
    cases.push_back(disparity_case(size, measure, options));
  };
  for (const Size size : {sizes[0], sizes[1]}) {
    for (const int block : {5, 11, 21}) add(size, "sad", {block, 63, Measure::sad, 1, false});
    add(size, "ssd", {11, 63, Measure::ssd, 1, false});
    add(size, "ncc", {11, 63, Measure::ncc, 1, false});
    add(size, "zncc", {11, 63, Measure::zncc, 1, true});
  }
  // The sizes timed before the sweep kernel existed. 128 displacements fill a warp, 65 about half
  // of one.
  for (const Measure measure : all_measures) {
    const std::string name(name_of(measure));
    add({1282, 1110}, name, {9, 127, measure, 1, false});
    add({4096, 3072}, name, {9, 64, measure, 1, false});
  }
  return cases;
}};

}  // namespace

Case disparity_growth(Size image) {
  return disparity_case(image, "sad", {11, 63, Measure::sad, 1, false});
}

}  // namespace warpwise::bench
