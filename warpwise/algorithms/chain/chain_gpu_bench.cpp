#include "bench/image_cases.hpp"
#include "warpwise/algorithms/chain/chain.hpp"

namespace warpwise::bench {
namespace {

std::vector<ChainStep> edges(std::int64_t window) {
  return {ChainConvert{PixelFormat::rgb24, PixelFormat::gray8, {.convention = Convention::opencv}},
          SobelOptions{}, ThresholdOptions{.window = window, .offset = -8}};
}

/// What the chain moves in one kernel: the roof is that of these bytes, for the separate kernels
/// too.
ImageCase case_of(const std::string& what, std::int64_t window) {
  return {"chain", what + " window " + std::to_string(window), ElementType::u8, 3};
}

/// So many frames below one another in one image, each by itself.
Case batch_case(const std::string& name, std::vector<ChainStep> steps, ImageCase what,
                std::int64_t frames, Size frame) {
  const auto views = [=](const auto& image) {
    std::vector<std::remove_cvref_t<decltype(image)>> parts;
    for (std::int64_t i = 0; i < frames; ++i) {
      parts.push_back(image.sub_view(0, i * frame.height, frame.width, frame.height));
    }
    return parts;
  };
  what.variant = std::to_string(frames) + " frames of " + std::to_string(frame.width) + "x" +
                 std::to_string(frame.height) + ", " + name;
  auto chain = std::make_shared<Chain>(std::move(steps));
  return warpwise_case(
      what, {frame.width, frame.height * frames},
      [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        chain->run(views(src), views(dst), stream);
      },
      [=](ConstHostView src, HostView dst) {
        const auto from = views(src);
        const auto to = views(dst);
        for (std::size_t i = 0; i < from.size(); ++i) chain->run(from[i], to[i]);
      });
}

const Registration registered{[] {
  std::vector<Case> cases;
  for (const Size size : sizes) {
    for (const std::int64_t window : {3, 15, 31, 63}) {
      const auto add = [&](ChainKernels kernels, const std::string& implementation) {
        auto chain = std::make_shared<Chain>(edges(window), kernels);
        cases.push_back(warpwise_case(
            case_of("rgb24 to edges", window), size,
            [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
              chain->run(src, dst, stream);
            },
            [=](ConstHostView src, HostView dst) { chain->run(src, dst); }));
        cases.back().implementation = implementation;
      };
      add(ChainKernels::fastest, "warpwise");
      add(ChainKernels::separate, "separate kernels");
    }
  }
  for (const std::int64_t window : {3, 15, 31}) {
    cases.push_back(batch_case("rgb24 to edges window " + std::to_string(window), edges(window),
                               case_of("", window), 64, {1280, 720}));
  }
  return cases;
}};

}  // namespace
}  // namespace warpwise::bench
