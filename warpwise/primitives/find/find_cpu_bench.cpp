#include <opencv2/imgproc.hpp>
#include <string>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "warpwise/primitives/find/find.hpp"

namespace warpwise::bench {
namespace {

// Computes the map of all scores, as matchTemplate does, and its best place.
void add_measure(const std::string& name, Measure measure, int peer_method, std::int64_t side) {
  const std::string size = std::to_string(side) + "x" + std::to_string(side);
  add({.name = "find/" + name + " " + size,
       .peer_name = "OpenCV matchTemplate, minMaxLoc",
       .bytes = [](auto width, auto height) { return 5 * width * height; },
       .make = [=](std::int64_t width, std::int64_t height) -> Pair {
         auto part = random_image(ElementType::u8, side, side);
         auto image = random_image(ElementType::u8, width, height);
         auto map = zero_image(ElementType::f32, width - side + 1, height - side + 1);
         return {[=] { find(part->view(), image->view(), map->view(), measure); },
                 [=] {
                   cv::Mat scores = mat_of(*map);
                   cv::matchTemplate(mat_of(*image), mat_of(*part), scores, peer_method);
                   cv::Point least;
                   cv::Point greatest;
                   cv::minMaxLoc(scores, nullptr, nullptr, &least, &greatest);
                 }};
       }});
}

const bool registered = [] {
  for (const std::int64_t side : {8, 32}) {
    add_measure("ssd", Measure::ssd, cv::TM_SQDIFF, side);
    add_measure("zncc", Measure::zncc, cv::TM_CCOEFF_NORMED, side);
  }
  add_measure("ncc", Measure::ncc, cv::TM_CCORR_NORMED, 32);
  for (const std::int64_t side : {48, 64, 128}) {
    add_measure("zncc", Measure::zncc, cv::TM_CCOEFF_NORMED, side);
  }
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
