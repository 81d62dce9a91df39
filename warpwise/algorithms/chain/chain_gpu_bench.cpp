#include "bench/batch_cases.hpp"
#include "bench/growth_of.hpp"
#include "warpwise/algorithms/chain/chain.hpp"

namespace warpwise::bench {
namespace {

std::vector<ChainStep> edges(std::int64_t window) {
  return {ChainConvert{PixelFormat::rgb24, PixelFormat::gray8, {.convention = Convention::opencv}},
          SobelOptions{}, ThresholdOptions{.window = window, .offset = -8}};
}

/// Describes a case. For every implementation it counts the bytes that the fused kernel moves: 3
/// read and 1 written for each pixel.
ImageCase case_of(const std::string& what, std::int64_t window) {
  return {"chain", what + " window " + std::to_string(window), ElementType::u8, 3};
}

void add_edges(std::vector<Case>& cases, Size size, std::int64_t window) {
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

const Registration chain_registered{[] {
  std::vector<Case> cases;
  for (const Size size : sizes) {
    for (const std::int64_t window : {3, 15, 31, 63}) add_edges(cases, size, window);
  }
  for (const std::int64_t window : {3, 15, 31}) {
    auto chain = std::make_shared<Chain>(edges(window));
    cases.push_back(batch_case(
        case_of("rgb24 to edges", window),
        [=](const auto& src, const auto& dst, gpu::StreamHandle stream) {
          chain->run(src, dst, stream);
        },
        [=](ConstHostView src, HostView dst) { chain->run(src, dst); }));
  }
  return cases;
}};

}  // namespace

std::vector<Case> chain_growth(Size size) {
  std::vector<Case> cases;
  add_edges(cases, size, 3);
  return cases;
}

}  // namespace warpwise::bench
