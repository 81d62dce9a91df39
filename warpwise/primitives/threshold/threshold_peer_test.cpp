#include <gtest/gtest.h>

#include <iostream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "support/guarded_image.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

// Compares the CPU path with OpenCV's adaptiveThreshold; the CUDA path equals the CPU's
// (threshold_test).
namespace warpwise {
namespace {

ConstHostView view_of(const cv::Mat& image) {
  return {image.data, ElementType::u8,
          image.cols, image.rows,
          1,          static_cast<std::int64_t>(image.step[0])};
}

HostView view_of(cv::Mat& image) {
  return {image.data, ElementType::u8,
          image.cols, image.rows,
          1,          static_cast<std::int64_t>(image.step[0])};
}

cv::Mat sample(const std::string& name) {
  const cv::Mat image =
      cv::imread(std::string(WARPWISE_SAMPLES) + "/" + name, cv::IMREAD_GRAYSCALE);
  if (image.empty()) throw std::runtime_error("the sample image " + name + " is missing");
  return image;
}

cv::Mat random_image(std::int64_t width, std::int64_t height) {
  test::GuardedImage image(ElementType::u8, width, height);
  image.fill_random(static_cast<std::uint64_t>(width * 7 + height));
  cv::Mat result(static_cast<int>(height), static_cast<int>(width), CV_8U);
  for (int y = 0; y < result.rows; ++y) {
    std::memcpy(result.ptr(y), image.view().row(y), static_cast<std::size_t>(width));
  }
  return result;
}

cv::Mat of_opencv(const cv::Mat& src, const ThresholdOptions& options) {
  cv::Mat dst;
  cv::adaptiveThreshold(src, dst, options.maximum,
                        options.method == ThresholdMethod::gaussian ? cv::ADAPTIVE_THRESH_GAUSSIAN_C
                                                                    : cv::ADAPTIVE_THRESH_MEAN_C,
                        options.inverted ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY,
                        static_cast<int>(options.window), options.offset);
  return dst;
}

cv::Mat of_warpwise(const cv::Mat& src, const ThresholdOptions& options) {
  cv::Mat dst(src.size(), CV_8U);
  threshold(view_of(src), view_of(dst), options);
  return dst;
}

int differing_pixels(const cv::Mat& a, const cv::Mat& b) {
  cv::Mat difference;
  cv::compare(a, b, difference, cv::CMP_NE);
  return cv::countNonZero(difference);
}

TEST(ThresholdPeer, MeanIsOpenCvForEveryWindowTo201) {
  const cv::Mat image = sample("sudoku.png");
  for (int window = 3; window <= 201; window += 2) {
    const ThresholdOptions options{.window = window,
                                   .offset = window % 5 * 1.75 - 3,
                                   .maximum = window % 3 == 0 ? 255U : 128U,
                                   .inverted = window % 4 == 1};
    EXPECT_EQ(differing_pixels(of_opencv(image, options), of_warpwise(image, options)), 0)
        << "window " << window;
  }
}

// From window 177 on, OpenCV 4.6 rounds a few means of these images to the wrong side. In larger
// windows, equal results would be luck.
constexpr int last_window_of_right_means = 175;

TEST(ThresholdPeer, MeanIsOpenCvOnOtherImages) {
  for (const char* name : {"building.jpg", "aloeL.jpg"}) {
    const cv::Mat image = sample(name);
    for (const int window : {3, 11, 31, 101, last_window_of_right_means}) {
      for (const bool inverted : {false, true}) {
        const ThresholdOptions options{.window = window, .offset = 5.5, .inverted = inverted};
        EXPECT_EQ(differing_pixels(of_opencv(image, options), of_warpwise(image, options)), 0)
            << name << " window " << window;
      }
    }
  }
}

TEST(ThresholdPeer, MeanIsOpenCvAtAwkwardSizes) {
  for (const test::Size& size : test::awkward_sizes()) {
    const cv::Mat image = random_image(size.width, size.height);
    for (const int window : {3, 5, 15, 31, 101, last_window_of_right_means}) {
      for (const double offset : {0.0, 7.0, -4.5, 0.25, 300.0, -300.0}) {
        for (const bool inverted : {false, true}) {
          const ThresholdOptions options{.window = window, .offset = offset, .inverted = inverted};
          ASSERT_EQ(differing_pixels(of_opencv(image, options), of_warpwise(image, options)), 0)
              << size.width << "x" << size.height << " window " << window << " offset " << offset;
        }
      }
    }
  }
}

// With larger windows, our mean must still be correctly rounded; OpenCV's differences are reported.
TEST(ThresholdPeer, LargerWindowsAreCorrectlyRounded) {
  for (const char* name : {"sudoku.png", "aloeL.jpg"}) {
    // Takes a part of the image, because the reference is slow.
    const cv::Mat image = sample(name)(cv::Rect(40, 60, 480, 400)).clone();
    for (const int window : {177, 203, 255, 501, 1001}) {
      const ThresholdOptions options{.window = window};
      cv::Mat expected(image.size(), CV_8U);
      cv::Mat expected_mean(image.size(), CV_8U);
      reference::threshold(view_of(image), view_of(expected), options, view_of(expected_mean));
      cv::Mat ours(image.size(), CV_8U);
      cv::Mat our_mean(image.size(), CV_8U);
      threshold(view_of(image), view_of(ours), options, view_of(our_mean));
      EXPECT_EQ(differing_pixels(expected, ours), 0) << name << " window " << window;
      EXPECT_EQ(differing_pixels(expected_mean, our_mean), 0) << name << " window " << window;

      cv::Mat opencv_mean;
      cv::boxFilter(image, opencv_mean, CV_8U, cv::Size(window, window), cv::Point(-1, -1), true,
                    cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
      const int means = differing_pixels(opencv_mean, our_mean);
      const int pixels = differing_pixels(of_opencv(image, options), ours);
      const std::string at = "_at_" + std::to_string(window);
      RecordProperty(std::string(name) + "_means_that_differ" + at, means);
      RecordProperty(std::string(name) + "_pixels_that_differ" + at, pixels);
      std::cout << name << ", window " << window << ": OpenCV " << CV_VERSION << " differs in "
                << means << " means and " << pixels << " pixels of " << image.total() << "\n";
    }
  }
}

// OpenCV's float filters sum in another order, and fuse some operations. A mean close to a half may
// be rounded the other way, and a pixel whose decision depends on that level differs.
TEST(ThresholdPeer, GaussianIsOpenCvButForRounding) {
  constexpr double allowed_share = 1e-4;
  for (const char* name : {"sudoku.png", "building.jpg", "aloeL.jpg"}) {
    const cv::Mat image = sample(name);
    for (const int window : {3, 5, 7, 9, 11, 31, 63, 101}) {
      for (const bool inverted : {false, true}) {
        const ThresholdOptions options{.window = window,
                                       .offset = 2,
                                       .method = ThresholdMethod::gaussian,
                                       .inverted = inverted};
        const int differing =
            differing_pixels(of_opencv(image, options), of_warpwise(image, options));
        EXPECT_LE(differing, allowed_share * static_cast<double>(image.total()))
            << name << " window " << window;
        RecordProperty(std::string(name) + "_differs_at_window_" + std::to_string(window),
                       differing);
        if (!inverted && differing > 0) {
          std::cout << name << ", window " << window << ": " << differing << " of " << image.total()
                    << " pixels differ\n";
        }
      }
    }
  }
}

TEST(ThresholdPeer, GaussianIsOpenCvAtAwkwardSizes) {
  std::int64_t differing = 0;
  std::int64_t pixels = 0;
  for (const test::Size& size : test::awkward_sizes()) {
    const cv::Mat image = random_image(size.width, size.height);
    for (const int window : {3, 5, 7, 9, 11, 15, 31, 101}) {
      const ThresholdOptions options{.window = window, .method = ThresholdMethod::gaussian};
      differing += differing_pixels(of_opencv(image, options), of_warpwise(image, options));
      pixels += static_cast<std::int64_t>(image.total());
    }
  }
  std::cout << differing << " of " << pixels << " pixels differ\n";
  EXPECT_LE(static_cast<double>(differing), 1e-4 * static_cast<double>(pixels));
}

}  // namespace
}  // namespace warpwise
