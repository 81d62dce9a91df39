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

/// The three calls, with images between them.
Case separate_case(std::int64_t window, Size size) {
  const auto host = [=](ConstHostView src, HostView dst) { Chain(edges(window)).run(src, dst); };
  Case made = warpwise_case(case_of("rgb24 to edges", window), size, [](auto...) {}, host);
  made.implementation = "separate kernels";
  made.prepare = [=](const gpu::Stream& stream) {
    auto pair = std::make_shared<ImagePair>(ElementType::u8, 3, ElementType::u8, 1, size, stream);
    const auto image = [&] {
      return std::make_shared<gpu::DeviceImage>(ElementType::u8, size.width, size.height, 1,
                                                stream);
    };
    return Prepared{[=, grey = image(), gradient = image()](gpu::StreamHandle s) {
                      const ConvertOptions options{.convention = Convention::opencv};
                      convert(ConstDeviceFrame(PixelFormat::rgb24, pair->src()),
                              DeviceFrame(PixelFormat::gray8, grey->view()), options, s);
                      sobel(grey->view(), gradient->view(), {}, s);
                      threshold(gradient->view(), pair->dst(), {.window = window, .offset = -8}, s);
                    },
                    [=, &stream] { return pair->matches(host, stream); }};
  };
  return made;
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
      auto chain = std::make_shared<Chain>(edges(window));
      cases.push_back(warpwise_case(
          case_of("rgb24 to edges", window), size,
          [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
            chain->run(src, dst, stream);
          },
          [=](ConstHostView src, HostView dst) { chain->run(src, dst); }));
      cases.push_back(separate_case(window, size));
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
