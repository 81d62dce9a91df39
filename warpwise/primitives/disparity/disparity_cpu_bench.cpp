#include <string>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"

namespace warpwise::bench {
namespace {

// No peer library computes the same result; bench/stereo_bm.cpp has the most similar one.
void add_measure(const std::string& name, Measure measure) {
  add({.name = "disparity/" + name + " block 11, 0 to 64",
       .peer_name = {},
       .bytes = [](auto width, auto height) { return 6 * width * height; },
       .make =
           [=](std::int64_t width, std::int64_t height) {
             auto left = random_image(ElementType::u8, width, height);
             auto right = right_image(*left);
             auto dst = zero_image(ElementType::f32, width, height);
             DisparityOptions options;
             options.measure = measure;
             return Pair{[=] { disparity(left->view(), right->view(), dst->view(), options); }, {}};
           }});
}

const bool registered = [] {
  add_measure("sad", Measure::sad);
  add_measure("zncc", Measure::zncc);
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
