// sobel() against OpenCV and libyuv themselves, on photographs and on every awkward size.

#include <gtest/gtest.h>
#include <libyuv/planar_functions.h>

#include <cmath>
#include <string>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "support/guarded_image.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise {
namespace {

using test::GuardedImage;

template <class T>
ConstHostView view_of(const cv::Mat& image) {
  return {image.ptr<T>(), image.cols, image.rows, image.channels(),
          static_cast<std::int64_t>(image.step)};
}

template <class T>
cv::Mat ours(const cv::Mat& src, const SobelOptions& options, int cv_type) {
  cv::Mat dst(src.rows, src.cols, cv_type);
  const auto type = cv_type == CV_8U    ? ElementType::u8
                    : cv_type == CV_16U ? ElementType::u16
                    : cv_type == CV_16S ? ElementType::i16
                    : cv_type == CV_32S && options.output == SobelOutput::magnitude
                        ? ElementType::u32
                    : cv_type == CV_32S ? ElementType::i32
                                        : ElementType::f32;
  sobel(view_of<T>(src),
        HostView(dst.data, type, dst.cols, dst.rows, 1, static_cast<std::int64_t>(dst.step)),
        options);
  return dst;
}

int cv_border(Border border) {
  switch (border) {
    case Border::reflect101: return cv::BORDER_REFLECT_101;
    case Border::replicate: return cv::BORDER_REPLICATE;
    case Border::constant: return cv::BORDER_CONSTANT;
  }
  __builtin_unreachable();
}

/// Returns OpenCV's dx or dy in elements of type `depth`. Only results of f32 pixels are rounded.
cv::Mat theirs(const cv::Mat& src, SobelOutput output, const SobelOptions& options, int depth) {
  const int x = output == SobelOutput::dx ? 1 : 0;
  cv::Mat dst;
  if (options.kernel == SobelKernel::sobel) {
    cv::Sobel(src, dst, depth, x, 1 - x, 3, 1, 0, cv_border(options.border));
  } else {
    cv::Scharr(src, dst, depth, x, 1 - x, 1, 0, cv_border(options.border));
  }
  return dst;
}

/// Returns the L1 magnitude in u8, by the calls that OpenCV users write.
cv::Mat their_magnitude(const cv::Mat& grey, const SobelOptions& options) {
  cv::Mat dx, dy, sum;
  cv::convertScaleAbs(theirs(grey, SobelOutput::dx, options, CV_16S), dx);
  cv::convertScaleAbs(theirs(grey, SobelOutput::dy, options, CV_16S), dy);
  cv::add(dx, dy, sum);
  return sum;
}

void expect_same(const cv::Mat& expected, const cv::Mat& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  ASSERT_EQ(expected.type(), actual.type());
  EXPECT_EQ(cv::norm(expected, actual, cv::NORM_INF), 0) << expected.cols << "x" << expected.rows;
}

cv::Mat photograph(const char* name, int mode) {
  cv::Mat image = cv::imread(std::string(WARPWISE_SAMPLES "/") + name, mode);
  EXPECT_FALSE(image.empty()) << name;
  return image;
}

/// Random pixels of every awkward size, and three photographs.
std::vector<cv::Mat> colour_images() {
  std::vector<cv::Mat> images;
  cv::RNG random(7);
  for (const auto& size : test::awkward_sizes()) {
    cv::Mat image(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3);
    random.fill(image, cv::RNG::UNIFORM, 0, 256);
    images.push_back(image);
  }
  for (const char* name : {"building.jpg", "sudoku.png", "aloeL.jpg"}) {
    images.push_back(photograph(name, cv::IMREAD_COLOR));
  }
  return images;
}

std::vector<cv::Mat> grey_images() {
  std::vector<cv::Mat> images;
  for (const cv::Mat& colour : colour_images()) {
    cv::extractChannel(colour, images.emplace_back(), 1);
  }
  return images;
}

/// Both kernels with each border.
std::vector<SobelOptions> kernels_and_borders() {
  std::vector<SobelOptions> all;
  for (const SobelKernel kernel : all_sobel_kernels) {
    for (const Border border : all_borders) all.push_back({.kernel = kernel, .border = border});
  }
  return all;
}

TEST(SobelPeer, MagnitudeIsOpenCvs) {
  for (const cv::Mat& grey : grey_images()) {
    for (const SobelOptions& options : kernels_and_borders()) {
      expect_same(their_magnitude(grey, options), ours<std::uint8_t>(grey, options, CV_8U));
    }
  }
}

TEST(SobelPeer, DefaultsAreOpenCvsDefaults) {
  const cv::Mat grey = photograph("building.jpg", cv::IMREAD_GRAYSCALE);
  cv::Mat dx, dy, sum;
  cv::Sobel(grey, dx, CV_16S, 1, 0);
  cv::Sobel(grey, dy, CV_16S, 0, 1);
  cv::convertScaleAbs(dx, dx);
  cv::convertScaleAbs(dy, dy);
  cv::add(dx, dy, sum);
  expect_same(sum, ours<std::uint8_t>(grey, {}, CV_8U));
}

TEST(SobelPeer, ComponentsAreOpenCvs) {
  for (const cv::Mat& grey : grey_images()) {
    cv::Mat deep;
    grey.convertTo(deep, CV_16U, 257);
    for (SobelOptions options : kernels_and_borders()) {
      for (const SobelOutput output : {SobelOutput::dx, SobelOutput::dy}) {
        options.output = output;
        expect_same(theirs(grey, output, options, CV_16S),
                    ours<std::uint8_t>(grey, options, CV_16S));
        // OpenCV's floats are whole numbers below 2^24 here, which are exact.
        cv::Mat expected;
        theirs(deep, output, options, CV_32F).convertTo(expected, CV_32S);
        expect_same(expected, ours<std::uint16_t>(deep, options, CV_32S));
      }
    }
  }
}

TEST(SobelPeer, LongMagnitudesFollowFromOpenCvsComponents) {
  for (const cv::Mat& grey : grey_images()) {
    cv::Mat deep;
    grey.convertTo(deep, CV_16U, 257);
    for (SobelOptions options : kernels_and_borders()) {
      const cv::Mat dx = theirs(deep, SobelOutput::dx, options, CV_64F);
      const cv::Mat dy = theirs(deep, SobelOutput::dy, options, CV_64F);
      cv::Mat l1, l2, root;
      cv::Mat(cv::abs(dx) + cv::abs(dy)).convertTo(l1, CV_32S);
      expect_same(l1, ours<std::uint16_t>(deep, options, CV_32S));
      // The root of an integer is never k + 1/2, and a double is exact enough to round it right.
      cv::magnitude(dx, dy, root);
      root.forEach<double>([](double& value, const int*) { value = std::floor(value + 0.5); });
      root.convertTo(l2, CV_32S);
      options.norm = Norm::l2;
      expect_same(l2, ours<std::uint16_t>(deep, options, CV_32S));
    }
  }
}

TEST(SobelPeer, GreyOfColoursIsOpenCvs) {
  for (const cv::Mat& bgr : colour_images()) {
    cv::Mat grey, rgb, bgra, rgba;
    cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
    cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
    cv::cvtColor(bgr, bgra, cv::COLOR_BGR2BGRA);
    cv::cvtColor(bgr, rgba, cv::COLOR_BGR2RGBA);
    const cv::Mat expected = their_magnitude(grey, {});
    const SobelOptions blue_first{.channels = ChannelOrder::bgr};
    expect_same(expected, ours<std::uint8_t>(bgr, blue_first, CV_8U));
    expect_same(expected, ours<std::uint8_t>(bgra, blue_first, CV_8U));
    expect_same(expected, ours<std::uint8_t>(rgb, {}, CV_8U));
    expect_same(expected, ours<std::uint8_t>(rgba, {}, CV_8U));
  }
}

TEST(SobelPeer, FloatIsOpenCvsWithinRounding) {
  for (const cv::Mat& grey : grey_images()) {
    cv::Mat real;
    grey.convertTo(real, CV_32F, 1.0 / 255);
    for (SobelOptions options : kernels_and_borders()) {
      // Pixels in [0, 1] make sums of at most 16, each with five roundings. Another order of
      // operations changes a sum by less than 10 half units in the last place of 16.
      const double bound = 10 * 16 * std::ldexp(1.0, -24);
      for (const SobelOutput output : {SobelOutput::dx, SobelOutput::dy}) {
        options.output = output;
        EXPECT_LE(cv::norm(theirs(real, output, options, CV_32F),
                           ours<float>(real, options, CV_32F), cv::NORM_INF),
                  bound);
      }
    }
  }
}

TEST(SobelPeer, MagnitudeIsLibyuvsWithItsBorder) {
  // libyuv's own grey weights sum to 256: equal channels give back the grey value.
  for (const cv::Mat& grey : grey_images()) {
    cv::Mat argb;
    cv::cvtColor(grey, argb, cv::COLOR_GRAY2BGRA);
    cv::Mat expected(grey.rows, grey.cols, CV_8U);
    ASSERT_EQ(libyuv::ARGBSobelToPlane(argb.data, static_cast<int>(argb.step), expected.data,
                                       static_cast<int>(expected.step), grey.cols, grey.rows),
              0);
    expect_same(expected, ours<std::uint8_t>(argb, {.border = Border::replicate}, CV_8U));
  }
}

}  // namespace
}  // namespace warpwise
