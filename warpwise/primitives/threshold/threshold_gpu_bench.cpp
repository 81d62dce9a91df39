#include <string>

#include "bench/batch_cases.hpp"
#include "bench/image_cases.hpp"
#include "bench/npp.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise::bench {
namespace {

const Registration threshold_registered{[] {
  std::vector<Case> cases;
  const auto add = [&](Size size, ThresholdMethod method, int window,
                       ElementType type = ElementType::u8) {
    ThresholdOptions options;
    options.window = window;
    options.offset = 7;
    options.method = method;
    const ImageCase what{"threshold",
                         std::string(name_of(type)) + " " + std::string(name_of(method)) +
                             " window " + std::to_string(window),
                         type, 1, type};
    cases.push_back(warpwise_case(
        what, size,
        [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
          threshold(src, dst, options, stream);
        },
        [=](ConstHostView src, HostView dst) { threshold(src, dst, options); }));
    // NPP's time grows with the window's area. The largest cases would take it seconds and show
    // nothing new, so they are left out.
    if (method != ThresholdMethod::mean || type != ElementType::u8 ||
        size.width * window > 4096 * 63) {
      return;
    }
    cases.push_back(peer_case(what, "NPP FilterThresholdAdaptiveBox", size,
                              [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
                                npp::threshold_adaptive_box(src, dst, window, 7.0F, stream);
                              }));
  };
  for (const Size size : sizes) {
    for (const int window : {3, 15, 31, 63, 255, 511, 1023}) {
      add(size, ThresholdMethod::mean, window);
    }
    for (const int window : {31, 255}) {
      add(size, ThresholdMethod::mean, window, ElementType::u16);
    }
    add(size, ThresholdMethod::exact_mean, 31);
    for (const int window : {15, 31, 101}) add(size, ThresholdMethod::gaussian, window);
  }
  for (const int window : {15, 31, 63}) {
    const ThresholdOptions options{.window = window, .offset = 7};
    add_batch_cases(
        cases, {"threshold", "u8 mean window " + std::to_string(window)},
        [=](const auto& src, const auto& dst, gpu::StreamHandle stream) {
          threshold(src, dst, options, stream);
        },
        [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
          threshold(src, dst, options, stream);
        },
        [=](ConstHostView src, HostView dst) { threshold(src, dst, options); });
  }
  return cases;
}};

}  // namespace
}  // namespace warpwise::bench
