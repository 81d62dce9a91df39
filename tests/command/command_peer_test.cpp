// Compares the files that the command writes with OpenCV's results on real images, bit for bit.

#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "tests/support/files.hpp"

namespace {

class CommandPeerTest : public ::testing::TestWithParam<const char*>,
                        protected warpwise::test::Files {
 protected:
  void SetUp() override {
    sample_ = std::string(WARPWISE_SAMPLES) + "/" + GetParam();
    grey_ = grey_of(cv::imread(sample_, cv::IMREAD_UNCHANGED));
    ASSERT_FALSE(grey_.empty()) << sample_;
  }

  static cv::Mat grey_of(const cv::Mat& image) {
    cv::Mat grey = image;
    if (image.channels() == 3) cv::cvtColor(image, grey, cv::COLOR_BGR2GRAY);
    if (image.channels() == 4) cv::cvtColor(image, grey, cv::COLOR_BGRA2GRAY);
    return grey;
  }

  // Returns the image that `warpwise ARGUMENTS IN OUT OPTIONS` writes.
  cv::Mat made(const std::string& command, const std::string& input, const std::string& options,
               const std::string& extension = ".png") const {
    const std::string output = path("out" + extension);
    const std::string line = std::string("'") + WARPWISE_COMMAND + "' " + command + " '" + input +
                             "' '" + output + "' " + options + " > /dev/null";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return cv::imread(output, cv::IMREAD_UNCHANGED);
  }

  static void expect_same(const cv::Mat& ours, const cv::Mat& theirs, const std::string& what) {
    ASSERT_EQ(ours.size(), theirs.size()) << what;
    ASSERT_EQ(ours.type(), theirs.type()) << what;
    EXPECT_EQ(cv::countNonZero(ours != theirs), 0) << what;
  }

  std::string sample_;
  cv::Mat grey_;
};

TEST_P(CommandPeerTest, SobelByDefault) {
  cv::Mat dx, dy, magnitude;
  cv::Sobel(grey_, dx, CV_16S, 1, 0);
  cv::Sobel(grey_, dy, CV_16S, 0, 1);
  expect_same(made("sobel", sample_, "--output dx", ".tiff"), dx, "dx");
  expect_same(made("sobel", sample_, "--output dy", ".tiff"), dy, "dy");
  cv::convertScaleAbs(dx, dx);
  cv::convertScaleAbs(dy, dy);
  cv::add(dx, dy, magnitude);
  expect_same(made("sobel", sample_, ""), magnitude, "magnitude");
}

TEST_P(CommandPeerTest, SobelOptions) {
  cv::Mat dx;
  cv::Scharr(grey_, dx, CV_16S, 1, 0, 1, 0, cv::BORDER_REPLICATE);
  expect_same(made("sobel", sample_, "--kernel scharr --output dx --border replicate", ".tiff"), dx,
              "scharr");
  cv::Sobel(grey_, dx, CV_16S, 1, 0, 3, 1, 0, cv::BORDER_CONSTANT);
  expect_same(made("sobel", sample_, "--output dx --border constant", ".tiff"), dx, "constant");
}

TEST_P(CommandPeerTest, SobelOfDeepColour) {
  cv::Mat deep, dx;
  cv::imread(sample_, cv::IMREAD_COLOR).convertTo(deep, CV_16U, 251);
  deep.forEach<cv::Vec3w>([](cv::Vec3w& pixel, const int* at) {
    pixel[0] = static_cast<ushort>(pixel[0] + at[1] % 200);
    pixel[2] = static_cast<ushort>(pixel[2] + at[0] % 190);
  });
  cv::imwrite(path("deep.png"), deep);
  cv::Sobel(grey_of(deep), dx, CV_32F, 1, 0);  // exact below 2^24
  dx.convertTo(dx, CV_32S);
  expect_same(made("sobel", path("deep.png"), "--output dx", ".tiff"), dx, "16-bit colour");
}

TEST_P(CommandPeerTest, Threshold) {
  // From window 177 on, OpenCV rounds some means wrongly: threshold_peer_test counts these pixels.
  for (const int window : {3, 31, 101}) {
    cv::Mat theirs;
    const std::string option = "--window " + std::to_string(window);
    cv::adaptiveThreshold(grey_, theirs, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY, window,
                          0);
    expect_same(made("threshold", sample_, option), theirs, option);
    cv::adaptiveThreshold(grey_, theirs, 99, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY_INV,
                          window, -4.5);
    expect_same(made("threshold", sample_, option + " --offset -4.5 --max 99 --invert"), theirs,
                option + ", inverted");
  }
}

TEST_P(CommandPeerTest, ConvertInOpenCvsConvention) {
  const cv::Mat colour = cv::imread(sample_, cv::IMREAD_COLOR);
  cv::Mat theirs;
  cv::cvtColor(colour, theirs, cv::COLOR_BGR2GRAY);
  expect_same(made("convert", sample_, "--to gray8 --convention opencv"),
              cv::imread(sample_, cv::IMREAD_UNCHANGED).channels() == 1 ? grey_ : theirs, "gray8");
}

INSTANTIATE_TEST_SUITE_P(, CommandPeerTest,
                         ::testing::Values("building.jpg", "sudoku.png", "rubberwhale1.png"));

}  // namespace
