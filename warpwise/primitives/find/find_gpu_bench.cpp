#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "bench/gpu_harness.hpp"
#include "bench/growth_of.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/primitives/find/find.hpp"

namespace warpwise::bench {
namespace {

/// An image, and a part of it to be found in it.
class Search {
 public:
  Search(Size size, std::int64_t side, const gpu::Stream& stream)
      : image_(ElementType::u8, size.width, size.height), side_(side),
        device_image_(ElementType::u8, size.width, size.height, 1, stream),
        best_(ElementType::u8, std::int64_t{sizeof(Finding)}, 1, 1, stream) {
    const std::vector<std::uint8_t> bytes = random_bytes(image_.view().row_bytes() + 4096);
    for (std::int64_t y = 0; y < size.height; ++y) {
      // Every row is a different part of the random bytes.
      std::memcpy(image_.view().row(y), bytes.data() + (y * 37) % 4096,
                  static_cast<std::size_t>(image_.view().row_bytes()));
    }
    gpu::upload(image_.view(), device_image_.view(), stream);
    stream.synchronize();
  }

  void run(Measure measure, gpu::StreamHandle stream) {
    const ConstDeviceView image = device_image_.view();
    find(wanted(image), image, best_.view(), measure, stream);
  }

  /// Returns true if the best place equals the CPU path's.
  bool verify(Measure measure, const gpu::Stream& stream) {
    if (!want_) {
      const ConstHostView image = image_.view();
      want_ = find(wanted(image), image, measure);
    }
    Finding got{};
    gpu::download(best_.view(), HostView(&got, ElementType::u8, std::int64_t{sizeof(Finding)}, 1),
                  stream);
    stream.synchronize();
    return got.x == want_->x && got.y == want_->y && got.score == want_->score;
  }

 private:
  template <class View>
  View wanted(const View& image) const {
    return image.sub_view(image.width() / 2 + 1, image.height() / 2, side_, side_);
  }

  Image image_;
  std::int64_t side_;
  gpu::DeviceImage device_image_;
  gpu::DeviceImage best_;
  std::optional<Finding> want_;  // the CPU path's result, once verify() has computed it
};

Case find_case(Size size, const std::string& name, Measure measure, std::int64_t side) {
  Case result{"find",      name + " template " + std::to_string(side) + "x" + std::to_string(side),
              "warpwise",  size.width,
              size.height, size.width * size.height,
              {}};
  result.prepare = [=](const gpu::Stream& stream) {
    auto search = std::make_shared<Search>(size, side, stream);
    return Prepared{[=](gpu::StreamHandle s) { search->run(measure, s); },
                    [=, &stream] { return search->verify(measure, stream); }};
  };
  return result;
}

const Registration find_registered{[] {
  std::vector<Case> cases;
  const auto add = [&](Size size, const char* name, Measure measure, std::int64_t side) {
    cases.push_back(find_case(size, name, measure, side));
  };
  for (const Size size : {sizes[0], sizes[1]}) {
    for (const std::int64_t side : {8, 32, 64}) {
      add(size, "sad", Measure::sad, side);
      add(size, "zncc", Measure::zncc, side);
    }
    add(size, "ssd", Measure::ssd, 32);
    add(size, "ncc", Measure::ncc, 32);
  }
  // With templates of this area, the products dominate the time of a place.
  for (const std::int64_t side : {128, 512}) add({4096, 3000}, "zncc", Measure::zncc, side);
  return cases;
}};

}  // namespace

Case find_growth(Size image) { return find_case(image, "zncc", Measure::zncc, 32); }

}  // namespace warpwise::bench
