#include <opencv2/imgproc.hpp>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise::bench {
namespace {

// The calls an OpenCV user would make for the magnitude of an 8-bit image. Intermediate images are
// reused, as in code written for speed.
struct OpencvMagnitude {
  cv::Mat dx, dy, abs_dx, abs_dy, grey;

  void operator()(const cv::Mat& src, cv::Mat dst) {
    cv::Sobel(src, dx, CV_16S, 1, 0);
    cv::Sobel(src, dy, CV_16S, 0, 1);
    cv::convertScaleAbs(dx, abs_dx);
    cv::convertScaleAbs(dy, abs_dy);
    cv::add(abs_dx, abs_dy, dst);
  }
};

Pair magnitude(std::int64_t width, std::int64_t height) {
  auto src = random_image(ElementType::u8, width, height);
  auto dst = zero_image(ElementType::u8, width, height);
  auto peer = std::make_shared<OpencvMagnitude>();
  return {[=] { sobel(src->view(), dst->view()); }, [=] { (*peer)(mat_of(*src), mat_of(*dst)); }};
}

Pair magnitude_of_colour(std::int64_t width, std::int64_t height) {
  auto src = random_image(ElementType::u8, width, height, 3);
  auto dst = zero_image(ElementType::u8, width, height);
  auto peer = std::make_shared<OpencvMagnitude>();
  return {[=] { sobel(src->view(), dst->view()); },
          [=] {
            cv::cvtColor(mat_of(*src), peer->grey, cv::COLOR_RGB2GRAY);
            (*peer)(peer->grey, mat_of(*dst));
          }};
}

Pair derivative(std::int64_t width, std::int64_t height) {
  auto src = random_image(ElementType::u8, width, height);
  auto dst = zero_image(ElementType::i16, width, height);
  SobelOptions options;
  options.output = SobelOutput::dx;
  return {[=] { sobel(src->view(), dst->view(), options); },
          [=] {
            cv::Mat out = mat_of(*dst);
            cv::Sobel(mat_of(*src), out, CV_16S, 1, 0);
          }};
}

const bool registered =
    (add({"sobel/u8 magnitude l1", "OpenCV", [](auto w, auto h) { return 2 * w * h; }, magnitude}),
     add({"sobel/rgb24 magnitude l1", "OpenCV", [](auto w, auto h) { return 4 * w * h; },
          magnitude_of_colour}),
     add({"sobel/u8 dx", "OpenCV", [](auto w, auto h) { return 3 * w * h; }, derivative}), true);

}  // namespace
}  // namespace warpwise::bench
