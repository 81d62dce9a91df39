#include "bench/batch_cases.hpp"
#include "bench/image_cases.hpp"
#include "bench/npp.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise::bench {
namespace {

Case sobel_case(const ImageCase& what, Size size, const SobelOptions& options) {
  return warpwise_case(
      what, size,
      [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        sobel(src, dst, options, stream);
      },
      [=](ConstHostView src, HostView dst) { sobel(src, dst, options); });
}

const Registration sobel_registered{[] {
  std::vector<Case> cases;
  SobelOptions dx;
  dx.output = SobelOutput::dx;
  SobelOptions l2;
  l2.norm = Norm::l2;
  for (const Size size : sizes) {
    const ImageCase magnitude{"sobel", "u8 magnitude l1"};
    cases.push_back(sobel_case(magnitude, size, {}));
    // NPP computes one of the two directions, without absolute value or sum: less work than ours.
    cases.push_back(peer_case({"sobel", "u8 one direction"}, "NPP FilterSobelHorizBorder", size,
                              npp::sobel_horizontal));
    cases.push_back(sobel_case({"sobel", "u8 magnitude l2"}, size, l2));
    cases.push_back(
        sobel_case({"sobel", "u8 dx to i16", ElementType::u8, 1, ElementType::i16}, size, dx));
    cases.push_back(sobel_case({"sobel", "rgba32 magnitude l1", ElementType::u8, 4}, size, {}));
    cases.push_back(sobel_case({"sobel", "rgb24 magnitude l1", ElementType::u8, 3}, size, {}));
    cases.push_back(
        sobel_case({"sobel", "u16 magnitude l1", ElementType::u16, 1, ElementType::u32}, size, {}));
  }
  const auto add_batch = [&](const ImageCase& what) {
    add_batch_cases(
        cases, what,
        [](const auto& src, const auto& dst, gpu::StreamHandle stream) {
          sobel(src, dst, {}, stream);
        },
        [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
          sobel(src, dst, {}, stream);
        },
        [](ConstHostView src, HostView dst) { sobel(src, dst); });
  };
  add_batch({"sobel", "u8 magnitude l1"});
  add_batch({"sobel", "rgb24 magnitude l1", ElementType::u8, 3});
  return cases;
}};

}  // namespace
}  // namespace warpwise::bench
