#include <cstring>
#include <memory>
#include <string>

#include "bench/gpu_harness.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/primitives/find/find.hpp"

namespace warpwise::bench {
namespace {

/// `sets` images, in all of which a part of the first is looked for.
class Searches {
 public:
  Searches(int sets, Size size, std::int64_t side, const gpu::Stream& stream)
      : image_(ElementType::u8, size.width, size.height), side_(side) {
    const std::vector<std::uint8_t> bytes = random_bytes(image_.view().row_bytes() + 4096);
    for (std::int64_t y = 0; y < size.height; ++y) {
      // Every row another part of the random bytes.
      std::memcpy(image_.view().row(y), bytes.data() + (y * 37) % 4096,
                  static_cast<std::size_t>(image_.view().row_bytes()));
    }
    for (int i = 0; i < sets; ++i) {
      images_.emplace_back(ElementType::u8, size.width, size.height, 1, stream);
      best_.emplace_back(ElementType::u8, std::int64_t{sizeof(Finding)}, 1, 1, stream);
      gpu::upload(image_.view(), images_.back().view(), stream);
    }
    stream.synchronize();
  }

  void run(int set, Measure measure, gpu::StreamHandle stream) {
    const auto i = static_cast<std::size_t>(set);
    const ConstDeviceView first = images_.front().view();
    find(wanted(first), images_[i].view(), best_[i].view(), measure, stream);
  }

  /// Whether the best place in image 0 is the one that the CPU path finds.
  bool verify(Measure measure, const gpu::Stream& stream) {
    const ConstHostView image = image_.view();
    const Finding want = find(wanted(image), image, measure);
    Finding got{};
    gpu::download(best_.front().view(),
                  HostView(&got, ElementType::u8, std::int64_t{sizeof(Finding)}, 1), stream);
    stream.synchronize();
    return got.x == want.x && got.y == want.y && got.score == want.score;
  }

 private:
  template <class View>
  View wanted(const View& image) const {
    return image.sub_view(image.width() / 2 + 1, image.height() / 2, side_, side_);
  }

  Image image_;
  std::int64_t side_;
  std::vector<gpu::DeviceImage> images_;
  std::vector<gpu::DeviceImage> best_;
};

const Registration registered{[] {
  std::vector<Case> cases;
  const auto add = [&](Size size, const char* name, Measure measure, std::int64_t side) {
    Case result{
        "find",
        std::string(name) + " template " + std::to_string(side) + "x" + std::to_string(side),
        "warpwise",
        size.width,
        size.height,
        size.width * size.height,
        {}};
    result.prepare = [=](int sets, const gpu::Stream& stream) {
      auto searches = std::make_shared<Searches>(sets, size, side, stream);
      return Prepared{[=](int set, gpu::StreamHandle s) { searches->run(set, measure, s); },
                      [=, &stream] { return searches->verify(measure, stream); }};
    };
    cases.push_back(result);
  };
  for (const Size size : {sizes[0], sizes[1]}) {
    for (const std::int64_t side : {8, 32, 64}) {
      add(size, "sad", Measure::sad, side);
      add(size, "zncc", Measure::zncc, side);
    }
    add(size, "ssd", Measure::ssd, 32);
    add(size, "ncc", Measure::ncc, 32);
  }
  return cases;
}};

}  // namespace
}  // namespace warpwise::bench
