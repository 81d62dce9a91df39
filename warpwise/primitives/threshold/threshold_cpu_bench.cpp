#include <opencv2/imgproc.hpp>
#include <string>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise::bench {
namespace {

void add_window(ThresholdMethod method, int window) {
  const auto make = [=](std::int64_t width, std::int64_t height) -> Pair {
    auto src = random_image(ElementType::u8, width, height);
    auto dst = zero_image(ElementType::u8, width, height);
    ThresholdOptions options;
    options.method = method;
    options.window = window;
    options.offset = 7;
    const int peer_method = method == ThresholdMethod::mean ? cv::ADAPTIVE_THRESH_MEAN_C
                                                            : cv::ADAPTIVE_THRESH_GAUSSIAN_C;
    return {[=] { threshold(src->view(), dst->view(), options); },
            [=] {
              cv::Mat out = mat_of(*dst);
              cv::adaptiveThreshold(mat_of(*src), out, 255, peer_method, cv::THRESH_BINARY, window,
                                    7);
            }};
  };
  add({"threshold/u8 " + std::string(name_of(method)) + " " + std::to_string(window), "OpenCV",
       [](auto w, auto h) { return 2 * w * h; }, make});
}

const bool registered = [] {
  for (const int window : {3, 15, 63, 255}) add_window(ThresholdMethod::mean, window);
  add_window(ThresholdMethod::gaussian, 15);
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
