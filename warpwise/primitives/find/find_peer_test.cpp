#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "support/guarded_image.hpp"
#include "warpwise/primitives/find/find.hpp"

// Comparison with cv::matchTemplate. OpenCV correlates by Fourier transforms in float, so its
// results agree with ours only within their rounding.
namespace warpwise {
namespace {

using test::GuardedImage;
using test::Size;

struct Peer {
  Measure measure;
  int method;
};
constexpr Peer peers[] = {{Measure::ssd, cv::TM_SQDIFF},
                          {Measure::ncc, cv::TM_CCORR_NORMED},
                          {Measure::zncc, cv::TM_CCOEFF_NORMED}};

cv::Mat read_grey(const std::string& name) {
  cv::Mat image = cv::imread(std::string(WARPWISE_SAMPLES) + "/" + name, cv::IMREAD_GRAYSCALE);
  if (image.empty()) throw std::runtime_error("cannot read the sample " + name);
  return image;
}

ConstHostView view_of(const cv::Mat& m) {
  return {m.data, ElementType::u8, m.cols, m.rows, 1, static_cast<std::int64_t>(m.step)};
}

/// Returns the root mean square (for zero_mean, the standard deviation) of the part of the image at
/// each place.
cv::Mat spread_of(const cv::Mat& image, cv::Size size, bool zero_mean) {
  cv::Mat mean, squares, spread;
  const cv::Mat_<double> pixels(image);
  cv::boxFilter(pixels, mean, CV_64F, size, {0, 0}, true, cv::BORDER_CONSTANT);
  cv::boxFilter(pixels.mul(pixels), squares, CV_64F, size, {0, 0}, true, cv::BORDER_CONSTANT);
  if (zero_mean) squares -= mean.mul(mean);
  cv::sqrt(cv::max(squares, 0.0), spread);
  return spread(cv::Rect(0, 0, image.cols - size.width + 1, image.rows - size.height + 1)).clone();
}

void compare(const cv::Mat& templ, const cv::Mat& image, const Peer& peer) {
  SCOPED_TRACE(testing::Message() << templ.size() << " in " << image.size() << " method "
                                  << peer.method);
  cv::Mat want;
  cv::matchTemplate(image, templ, want, peer.method);
  GuardedImage got(ElementType::f32, want.cols, want.rows);
  const Finding best = find(view_of(templ), view_of(image), got.view(), peer.measure);

  const bool zero_mean = peer.measure == Measure::zncc;
  const cv::Mat spread = spread_of(image, templ.size(), zero_mean);
  const double templ_spread = spread_of(templ, templ.size(), zero_mean).at<double>(0, 0);
  // Float transforms of about 2^16 points change a sum of n products by at most 16 rounding errors
  // of the largest possible sum, n · 255². Normalised measures divide it by n and both spreads.
  const double rounding = 16 * std::numeric_limits<float>::epsilon() * 255 * 255;
  const double flat = 1e-4;  // a part with less spread is flat: any other 8-bit part spreads more
  int compared = 0;
  for (int y = 0; y < want.rows; ++y) {
    for (int x = 0; x < want.cols; ++x) {
      const float score = load<float>(got.view().row(y), x);
      double bound = rounding * static_cast<double>(templ.total());
      if (peer.measure != Measure::ssd) {
        const double spreads = templ_spread * spread.at<double>(y, x);
        if (spreads < flat) {
          // OpenCV gives 1, 0 or rounding errors here; we give 0.
          ASSERT_EQ(score, 0.0F) << "at a flat part " << x << ", " << y;
          continue;
        }
        bound = rounding / spreads;
      }
      ++compared;
      ASSERT_NEAR(score, want.at<float>(y, x), bound) << "at " << x << ", " << y;
    }
  }
  const bool flat_templ = peer.measure != Measure::ssd && templ_spread < flat;
  EXPECT_EQ(compared == 0, flat_templ || cv::countNonZero(spread >= flat) == 0);
  EXPECT_EQ(static_cast<float>(best.score), load<float>(got.view().row(best.y), best.x));
}

TEST(FindPeer, RealImages) {
  for (const char* name : {"building.jpg", "sudoku.png"}) {
    const cv::Mat image = read_grey(name);
    for (const cv::Rect& part : {cv::Rect(200, 150, 32, 32), cv::Rect(100, 300, 61, 23),
                                 cv::Rect(333, 77, 5, 7), cv::Rect(10, 20, 128, 96)}) {
      for (const Peer& peer : peers) compare(image(part), image, peer);
    }
  }
}

TEST(FindPeer, AwkwardSizes) {
  for (const Size& size : test::awkward_sizes()) {
    cv::Mat image(static_cast<int>(size.height), static_cast<int>(size.width), CV_8U);
    cv::randu(image, 0, 256);
    const int width = std::max(1, std::min(image.cols / 2, 21));
    const int height = std::max(1, std::min(image.rows / 2, 13));
    cv::Mat templ(height, width, CV_8U);
    cv::randu(templ, 0, 256);
    for (const Peer& peer : peers) compare(templ, image, peer);
  }
}

}  // namespace
}  // namespace warpwise
