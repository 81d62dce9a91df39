#include <opencv2/calib3d.hpp>

#include <string>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"

// Compares disparity with OpenCV's block matching. The settings are as close as possible, but the
// two do not do the same work.
namespace warpwise::bench {
namespace {

// Differences between our disparity and StereoBM:
// - Input: ours sums the absolute differences of the pixels themselves. StereoBM first takes the
//   horizontal gradients of both images, clipped to 63 values (preFilterCap 31: its vector code
//   takes no more), and sums their differences.
// - Check: ours searches for both images' pixels. StereoBM searches for the left image's pixels
//   only and checks the result against the right image's displacements derived from them
//   (disp12MaxDiff).
// - Border: ours replicates it. StereoBM leaves out half a block and the displacements.
// - Precision: StereoBM always refines to sixteenths of a pixel.
//
// StereoBM's checks of texture and of uniqueness are switched off, because ours has none.
void add_levels(int levels) {
  constexpr int block = 9;
  const auto make = [=](std::int64_t width, std::int64_t height) {
    const auto left = random_image(ElementType::u8, width, height);
    const auto right = right_image(*left);
    const auto dst = zero_image(ElementType::f32, width, height);
    DisparityOptions options;
    options.block = block;
    options.max_disparity = levels - 1;
    const cv::Ptr<cv::StereoBM> peer = cv::StereoBM::create(levels, block);
    peer->setPreFilterType(cv::StereoBM::PREFILTER_XSOBEL);
    peer->setPreFilterCap(31);
    peer->setTextureThreshold(0);
    peer->setUniquenessRatio(0);
    peer->setDisp12MaxDiff(options.check);
    const auto found = std::make_shared<cv::Mat>();
    return Pair{[=] { disparity(left->view(), right->view(), dst->view(), options); },
                [=] { peer->compute(mat_of(*left), mat_of(*right), *found); }};
  };
  add({.name =
           "disparity/sad block " + std::to_string(block) + ", 0 to " + std::to_string(levels - 1),
       .peer_name = "OpenCV StereoBM, which filters and searches one way",
       .bytes = [](auto width, auto height) { return 6 * width * height; },
       .make = make});
}

const bool registered = [] {
  for (const int levels : {64, 128}) add_levels(levels);
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
