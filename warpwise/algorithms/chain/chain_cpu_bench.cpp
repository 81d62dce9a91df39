#include <opencv2/imgproc.hpp>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "warpwise/algorithms/chain/chain.hpp"

namespace warpwise::bench {
namespace {

constexpr std::int64_t window = 31;
constexpr ConvertOptions grey_options{.convention = Convention::opencv};
constexpr ThresholdOptions threshold_options{.window = window, .offset = -8};

std::shared_ptr<Chain> edges() {
  return std::make_shared<Chain>(
      std::vector<ChainStep>{ChainConvert{PixelFormat::rgb24, PixelFormat::gray8, grey_options},
                             SobelOptions{}, threshold_options});
}

/// The same primitives over the whole image, one after another. Intermediate images are reused.
Pair beside_single_calls(std::int64_t width, std::int64_t height) {
  auto src = random_image(ElementType::u8, width, height, 3);
  auto dst = zero_image(ElementType::u8, width, height);
  auto grey = zero_image(ElementType::u8, width, height);
  auto gradient = zero_image(ElementType::u8, width, height);
  return {[=, chain = edges()] { chain->run(src->view(), dst->view()); },
          [=] {
            convert(ConstHostFrame(PixelFormat::rgb24, src->view()),
                    HostFrame(PixelFormat::gray8, grey->view()), grey_options);
            sobel(grey->view(), gradient->view());
            threshold(gradient->view(), dst->view(), threshold_options);
          }};
}

/// The calls an OpenCV user would make. Intermediate images are reused.
Pair beside_opencv(std::int64_t width, std::int64_t height) {
  auto src = random_image(ElementType::u8, width, height, 3);
  auto dst = zero_image(ElementType::u8, width, height);
  struct Kept {
    cv::Mat grey, dx, dy, abs_dx, abs_dy, gradient;
  };
  auto kept = std::make_shared<Kept>();
  return {[=, chain = edges()] { chain->run(src->view(), dst->view()); },
          [=] {
            cv::cvtColor(mat_of(*src), kept->grey, cv::COLOR_RGB2GRAY);
            cv::Sobel(kept->grey, kept->dx, CV_16S, 1, 0);
            cv::Sobel(kept->grey, kept->dy, CV_16S, 0, 1);
            cv::convertScaleAbs(kept->dx, kept->abs_dx);
            cv::convertScaleAbs(kept->dy, kept->abs_dy);
            cv::add(kept->abs_dx, kept->abs_dy, kept->gradient);
            cv::Mat out = mat_of(*dst);
            cv::adaptiveThreshold(kept->gradient, out, 255, cv::ADAPTIVE_THRESH_MEAN_C,
                                  cv::THRESH_BINARY, window, -8);
          }};
}

const bool registered = (add({"chain/rgb24 to edges window 31", "OpenCV",
                              [](auto w, auto h) { return 4 * w * h; }, beside_opencv}),
                         add({"chain/rgb24 to edges window 31", "single calls",
                              [](auto w, auto h) { return 4 * w * h; }, beside_single_calls}),
                         true);

}  // namespace
}  // namespace warpwise::bench
