#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "support/guarded_image.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"

// Compares the disparity of a real stereo pair with the true disparity, and with block matching put
// together from OpenCV's own filters.
namespace warpwise {
namespace {

using test::GuardedImage;

cv::Mat read_grey(const std::string& name) {
  cv::Mat image = cv::imread(std::string(WARPWISE_SAMPLES) + "/" + name, cv::IMREAD_GRAYSCALE);
  if (image.empty()) throw std::runtime_error("cannot read the sample " + name);
  return image;
}

ConstHostView view_of(const cv::Mat& m) {
  return {m.data, ElementType::u8, m.cols, m.rows, 1, static_cast<std::int64_t>(m.step)};
}

/// Comparison of a disparity with the true one, over the pixels whose true disparity is known.
struct Quality {
  double valid = 0;     ///< share that passed the check
  double within_1 = 0;  ///< share of the valid ones whose error is at most 1 pixel
  double within_2 = 0;
  double spread = 0;  ///< the standard deviation of the errors of up to 2 pixels
  /// The shares of the disparities whose fraction is in each quarter of a pixel.
  double quarters[4] = {};
};

Quality quality_of(ConstHostView disparities, const cv::Mat& truth) {
  double known = 0, valid = 0, within_1 = 0, within_2 = 0, near = 0, sum = 0, squares = 0;
  double quarters[4] = {};
  for (int y = 0; y < truth.rows; ++y) {
    for (int x = 0; x < truth.cols; ++x) {
      // The file holds the true disparity in pixels of the stereo images; 0 if it is not known.
      const int wanted = truth.at<std::uint8_t>(y, x);
      if (wanted == 0) continue;
      ++known;
      const float d = load<float>(disparities.row(y), x);
      if (d < 0) continue;
      ++valid;
      quarters[static_cast<int>(4 * (d - std::floor(d)))] += 1;
      const double error = d - wanted;
      within_1 += std::abs(error) <= 1;
      within_2 += std::abs(error) <= 2;
      // Selects the same pixels with and without sub-pixel results.
      if (std::abs(std::lround(d) - wanted) > 2) continue;
      near += 1;
      sum += error;
      squares += error * error;
    }
  }
  const double mean = sum / near;
  Quality quality{valid / known, within_1 / valid, within_2 / valid,
                  std::sqrt(squares / near - mean * mean)};
  for (int i = 0; i < 4; ++i) quality.quarters[i] = quarters[i] / valid;
  return quality;
}

struct Floor {
  Measure measure;
  const char* name;
  int block;
  bool subpixel;
  Quality least;
};

TEST(DisparityPeer, RealStereoPairAgainstItsTruth) {
  const cv::Mat left = read_grey("aloeL.jpg"), right = read_grey("aloeR.jpg");
  const cv::Mat truth = read_grey("aloeGT.png");
  const Floor floors[] = {
      {Measure::sad, "sad", 11, false, {0.78, 0.90, 0.93}},
      {Measure::ssd, "ssd", 11, false, {0.78, 0.89, 0.92}},
      {Measure::ncc, "ncc", 11, false, {0.78, 0.93, 0.955}},
      {Measure::zncc, "zncc", 11, false, {0.78, 0.92, 0.945}},
      {Measure::sad, "sad", 11, true, {0.78, 0.86, 0.92}},
      {Measure::ncc, "ncc", 11, true, {0.78, 0.88, 0.945}},
  };
  GuardedImage dst(ElementType::f32, left.cols, left.rows);
  for (const Floor& f : floors) {
    const DisparityOptions options{f.block, 255, f.measure, 1, f.subpixel};
    disparity(view_of(left), view_of(right), dst.view(), options);
    const Quality got = quality_of(dst.view(), truth);
    std::cout << "aloe, " << f.name << (f.subpixel ? " sub-pixel" : "") << ", block " << f.block
              << ": " << 100 * got.valid << " % valid, of these within 1 pixel "
              << 100 * got.within_1 << " %, within 2 " << 100 * got.within_2
              << " %, the errors of these spread by " << got.spread << " pixels";
    if (f.subpixel) std::cout << "; by the quarter of their fraction:";
    for (const double share : got.quarters) {
      if (!f.subpixel) continue;
      std::cout << ' ' << 100 * share << " %";
      EXPECT_NEAR(share, 0.25, 0.03) << "drawn to whole pixels, or away from them";
    }
    std::cout << '\n';
    EXPECT_GE(got.valid, f.least.valid) << f.name;
    EXPECT_GE(got.within_1, f.least.within_1) << f.name;
    EXPECT_GE(got.within_2, f.least.within_2) << f.name;
  }
}

/// Returns the best displacement by |a − b| or (a − b)², box-filtered by OpenCV, for pixels whose
/// blocks touch no border; −1 elsewhere.
cv::Mat block_matching_by_opencv(const cv::Mat& left, const cv::Mat& right, int block, int range,
                                 bool squares) {
  cv::Mat best(left.size(), CV_64F, cv::Scalar(1e300)), result(left.size(), CV_32F, cv::Scalar(-1));
  for (int d = 0; d <= range; ++d) {
    cv::Mat difference, sums;
    cv::absdiff(left.colRange(d, left.cols), right.colRange(0, right.cols - d), difference);
    cv::Mat_<double> terms(difference);
    if (squares) terms = terms.mul(terms);
    cv::boxFilter(terms, sums, CV_64F, {block, block}, {-1, -1}, false);
    for (int y = block / 2; y < left.rows - block / 2; ++y) {
      for (int x = range + block / 2; x < left.cols - block / 2; ++x) {
        const double score = std::round(sums.at<double>(y, x - d));
        if (score >= best.at<double>(y, x)) continue;
        best.at<double>(y, x) = score;
        result.at<float>(y, x) = static_cast<float>(d);
      }
    }
  }
  return result;
}

TEST(DisparityPeer, EqualsBlockMatchingFromOpenCVsFilters) {
  const cv::Rect part(300, 200, 400, 120);
  const cv::Mat left = read_grey("aloeL.jpg")(part), right = read_grey("aloeR.jpg")(part);
  GuardedImage dst(ElementType::f32, part.width, part.height);
  for (const int block : {1, 5, 11, 21}) {
    for (const Measure measure : {Measure::sad, Measure::ssd}) {
      const int range = 70;
      disparity(view_of(left), view_of(right), dst.view(), {block, range, measure, -1, false});
      const cv::Mat want =
          block_matching_by_opencv(left, right, block, range, measure == Measure::ssd);
      int compared = 0;
      for (int y = 0; y < part.height; ++y) {
        for (int x = 0; x < part.width; ++x) {
          if (want.at<float>(y, x) < 0) continue;
          ++compared;
          ASSERT_EQ(load<float>(dst.view().row(y), x), want.at<float>(y, x))
              << "pixel " << x << ", " << y << " block " << block;
        }
      }
      EXPECT_EQ(compared, (part.height - block + 1) * (part.width - range - block + 1));
    }
  }
}

}  // namespace
}  // namespace warpwise
