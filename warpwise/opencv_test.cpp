#include "warpwise/opencv.hpp"

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include <utility>
#include <vector>

#include "tests/support/message_of.hpp"
#include "warpwise/algorithms/chain/chain.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/primitives/convert/grey.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise {
namespace {

cv::Mat noise(int rows, int columns, int type) {
  cv::Mat image(rows, columns, type);
  cv::RNG random(7);
  random.fill(image, cv::RNG::UNIFORM, 0, 256);
  return image;
}

TEST(OpenCv, AMatIsAViewOfItsPixels) {
  cv::Mat image = noise(5, 7, CV_16UC3);
  const HostView view = view_of(image);
  EXPECT_EQ(static_cast<void*>(view.data()), image.data);
  EXPECT_EQ(view.width(), 7);
  EXPECT_EQ(view.height(), 5);
  EXPECT_EQ(view.channels(), 3);
  EXPECT_EQ(view.type(), ElementType::u16);
  EXPECT_EQ(view.pitch_bytes(), static_cast<std::int64_t>(image.step));
  static_assert(std::is_same_v<decltype(view_of(std::as_const(image))), ConstHostView>);
}

// Computes a colour image's edges by OpenCV: cvtColor, Sobel, and the sum of |dx| and |dy|.
cv::Mat edges_by_opencv(const cv::Mat& image, int to_grey) {
  cv::Mat grey;
  cv::cvtColor(image, grey, to_grey);
  cv::Mat sum;
  for (const auto& [x, y] : {std::pair(1, 0), std::pair(0, 1)}) {
    cv::Mat part;
    cv::Mat bytes;
    cv::Sobel(grey, part, CV_16S, x, y);
    cv::convertScaleAbs(part, bytes);
    if (sum.empty())
      sum = bytes;
    else
      cv::add(sum, bytes, sum);
  }
  return sum;
}

struct Colours {
  int type;
  ChannelOrder order;
  int to_grey;
};
constexpr Colours all_colours[] = {{CV_8UC3, ChannelOrder::bgr, cv::COLOR_BGR2GRAY},
                                   {CV_8UC4, ChannelOrder::bgr, cv::COLOR_BGRA2GRAY},
                                   {CV_8UC3, ChannelOrder::rgb, cv::COLOR_RGB2GRAY},
                                   {CV_8UC4, ChannelOrder::rgb, cv::COLOR_RGBA2GRAY}};

TEST(OpenCv, EdgesOfColoursAreThoseOfOpenCv) {
  for (const Colours& colours : all_colours) {
    cv::Mat image = noise(479, 641, colours.type);
    const cv::Mat part = image(cv::Rect(3, 5, 600, 400));
    const cv::Mat expected = edges_by_opencv(part, colours.to_grey);
    cv::Mat edges(part.size(), CV_8U);
    sobel(view_of(part, colours.order), view_of(edges));
    EXPECT_EQ(cv::countNonZero(edges != expected), 0) << name_of(colours.order);
    edges = 0;
    reference::sobel(view_of(part, colours.order), view_of(edges));
    EXPECT_EQ(cv::countNonZero(edges != expected), 0) << name_of(colours.order);
  }
}

// Views of cv::Mat are BGR unless the call says RGB. The order of a view wins over the option.
TEST(OpenCv, ColoursAreBgrUnlessTheCallerSaysRgb) {
  cv::Mat image = noise(40, 60, CV_8UC3);
  EXPECT_EQ(view_of(image).order(), ChannelOrder::bgr);
  EXPECT_EQ(view_of(std::as_const(image)).order(), ChannelOrder::bgr);
  EXPECT_EQ(view_of(image, ChannelOrder::rgb).order(), ChannelOrder::rgb);
  EXPECT_EQ(ConstHostView(view_of(image)).sub_view(1, 2, 3, 4).order(), ChannelOrder::bgr);
  EXPECT_EQ(view_of(noise(4, 4, CV_8UC2)).order(), std::nullopt);
  EXPECT_EQ(HostView(image.data, 60, 40, 3).order(), std::nullopt);
  const cv::Mat expected = edges_by_opencv(image, cv::COLOR_BGR2GRAY);
  cv::Mat edges(image.size(), CV_8U);
  sobel(view_of(image), view_of(edges), {.channels = ChannelOrder::rgb});
  EXPECT_EQ(cv::countNonZero(edges != expected), 0);
}

TEST(OpenCv, ImagesOfACallHaveOneOrder) {
  cv::Mat image = noise(40, 60, CV_8UC3);
  cv::Mat first(image.size(), CV_8U);
  cv::Mat second(image.size(), CV_8U);
  const cv::Mat expected = edges_by_opencv(image, cv::COLOR_BGR2GRAY);
  const std::vector<HostView> to = {view_of(first), view_of(second)};
  const std::vector<ConstHostView> same(2, view_of(image));
  sobel(same, to);
  EXPECT_EQ(cv::countNonZero(first != expected), 0);
  EXPECT_EQ(cv::countNonZero(second != expected), 0);
  const std::vector<ConstHostView> mixed = {view_of(image), view_of(image, ChannelOrder::rgb)};
  EXPECT_THROW(sobel(mixed, to), InvalidArgument);
}

TEST(OpenCv, AChainKeepsTheOrderOfItsImage) {
  for (const Colours& colours : all_colours) {
    const cv::Mat image = noise(500, 640, colours.type);
    const cv::Mat expected = edges_by_opencv(image, colours.to_grey);
    const ConstHostView view = view_of(image, colours.order);
    const bool bgr = colours.order == ChannelOrder::bgr;
    const bool four = image.channels() == 4;
    const PixelFormat format = four ? (bgr ? PixelFormat::bgra32 : PixelFormat::rgba32)
                                    : (bgr ? PixelFormat::bgr24 : PixelFormat::rgb24);
    const PixelFormat turned = bgr ? PixelFormat::rgb24 : PixelFormat::bgr24;
    cv::Mat edges(image.size(), CV_8U);
    Chain({SobelOptions{}}).run(view, view_of(edges));
    EXPECT_EQ(cv::countNonZero(edges != expected), 0);
    edges = 0;
    Chain({ChainConvert{format, turned}, SobelOptions{}}).run(view, view_of(edges));
    EXPECT_EQ(cv::countNonZero(edges != expected), 0);
    Chain contradictory({ChainConvert{turned, PixelFormat::gray8}, SobelOptions{}});
    EXPECT_THROW(contradictory.run(view, view_of(edges)), InvalidArgument);
  }
}

TEST(OpenCv, GreyOf16BitsIsThatOfOpenCv) {
  for (const Colours& colours : all_colours) {
    const cv::Mat image = noise(41, 70, CV_MAKETYPE(CV_16U, CV_MAT_CN(colours.type)));
    cv::Mat expected;
    cv::cvtColor(image, expected, colours.to_grey);
    cv::Mat result(image.size(), CV_16U);
    grey(view_of(image, colours.order), view_of(result));
    EXPECT_EQ(cv::norm(result, expected, cv::NORM_INF), 0) << name_of(colours.order);
  }
}

TEST(OpenCv, PartsAreReadAndWrittenWhereTheyLie) {
  const cv::Mat whole = noise(40, 60, CV_8U);
  const cv::Mat part = whole(cv::Rect(3, 5, 41, 30));
  cv::Mat into = cv::Mat::zeros(50, 70, CV_8U);
  cv::Mat place = into(cv::Rect(7, 9, 41, 30));
  sobel(view_of(part), view_of(place));
  cv::Mat alone(30, 41, CV_8U);
  sobel(view_of(std::as_const(part)), view_of(alone));
  EXPECT_EQ(cv::norm(place, alone, cv::NORM_INF), 0);
  EXPECT_GT(cv::countNonZero(alone), 0);
  EXPECT_EQ(cv::countNonZero(into), cv::countNonZero(alone));
  const cv::Mat row = whole.row(4).colRange(1, 9);
  EXPECT_EQ(view_of(row).height(), 1);
}

TEST(OpenCv, EveryDepthHasItsTypeOrIsRefused) {
  const std::pair<int, ElementType> depths[] = {
      {CV_8U, ElementType::u8},   {CV_16U, ElementType::u16}, {CV_16S, ElementType::i16},
      {CV_32S, ElementType::i32}, {CV_32F, ElementType::f32}, {CV_16F, ElementType::f16}};
  for (const auto& [depth, type] : depths) {
    const cv::Mat image(2, 3, CV_MAKETYPE(depth, 2));
    EXPECT_EQ(view_of(image).type(), type);
    EXPECT_EQ(view_of(image).channels(), 2);
  }
  EXPECT_THROW(view_of(cv::Mat(2, 3, CV_8S)), InvalidArgument);
  EXPECT_EQ(test::message_of<InvalidArgument>([] { view_of(cv::Mat(2, 3, CV_64F)); }),
            "an image of OpenCV's has the depth CV_64F; it needs CV_8U, CV_16U, CV_16S, CV_32S, "
            "CV_32F or CV_16F");
}

TEST(OpenCv, WhatIsNoImageIsRefused) {
  cv::Mat empty;
  EXPECT_THROW(view_of(empty), InvalidArgument);
  const int sizes[] = {2, 3, 4};
  cv::Mat volume(3, sizes, CV_8U);
  EXPECT_THROW(view_of(volume), InvalidArgument);
}

TEST(OpenCv, AGpuMatIsAViewOfItsPixels) {
  // The GpuMat lies over memory that is never read: OpenCV without CUDA cannot allocate any other.
  alignas(256) static std::byte memory[3 * 256];
  cv::cuda::GpuMat image(3, 10, CV_32FC2, memory, 256);
  const DeviceView view = view_of(image);
  EXPECT_EQ(view.data(), memory);
  EXPECT_EQ(view.width(), 10);
  EXPECT_EQ(view.height(), 3);
  EXPECT_EQ(view.channels(), 2);
  EXPECT_EQ(view.type(), ElementType::f32);
  EXPECT_EQ(view.pitch_bytes(), 256);
  static_assert(std::is_same_v<decltype(view_of(std::as_const(image))), ConstDeviceView>);
  cv::cuda::GpuMat empty;
  EXPECT_THROW(view_of(empty), InvalidArgument);
}

// Even if OpenCV was built without CUDA, a GpuMat can refer to memory that somebody else owns.
TEST(OpenCv, AGpuMatIsWorkedOnWhereItLies) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const gpu::Stream stream;
  const cv::Mat image = noise(41, 70, CV_8U);
  gpu::DeviceImage memory(ElementType::u8, 70, 41, 1, stream);
  gpu::DeviceImage result(ElementType::i16, 41, 30, 1, stream);
  gpu::upload(view_of(image), memory.view(), stream);
  const auto pitch = [](const DeviceView& view) {
    return static_cast<std::size_t>(view.pitch_bytes());
  };
  const cv::cuda::GpuMat whole(41, 70, CV_8U, memory.view().data(), pitch(memory.view()));
  cv::cuda::GpuMat to(30, 41, CV_16S, result.view().data(), pitch(result.view()));
  const cv::Rect place(3, 5, 41, 30);
  const cv::cuda::GpuMat part = whole(place);
  sobel(view_of(part), view_of(to), {.output = SobelOutput::dx}, stream);
  cv::Mat there(30, 41, CV_16S);
  cv::Mat expected(30, 41, CV_16S);
  gpu::download(view_of(std::as_const(to)), view_of(there), stream);
  stream.synchronize();
  sobel(view_of(std::as_const(image)(place)), view_of(expected), {.output = SobelOutput::dx});
  EXPECT_EQ(cv::norm(there, expected, cv::NORM_INF), 0);
}

// The fused kernel of a chain also reads the colours in the view's order.
TEST(OpenCv, ColoursOnAGpuAreBgr) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const gpu::Stream stream;
  cv::Mat image = noise(41, 64, CV_8UC3);
  cv::Mat expected(image.size(), CV_8U);
  cv::Mat there(image.size(), CV_8U);
  gpu::DeviceImage memory(ElementType::u8, 64, 41, 3, stream);
  gpu::DeviceImage result(ElementType::u8, 64, 41, 1, stream);
  gpu::upload(view_of(image), memory.view(), stream);
  const ConstDeviceView colours = memory.view().in_order(ChannelOrder::bgr);
  const ThresholdOptions cut{.window = 5, .offset = -8};
  for (const ChainKernels kernels : {ChainKernels::fused, ChainKernels::separate}) {
    Chain chain({SobelOptions{}, cut}, kernels);
    chain.run(view_of(image), view_of(expected));
    chain.run(colours, result.view(), stream);
    gpu::download(result.view(), view_of(there), stream);
    stream.synchronize();
    EXPECT_EQ(cv::norm(there, expected, cv::NORM_INF), 0);
  }
}

TEST(OpenCv, AGpuMatAndAStreamOfOpenCvs) {
  if (cv::cuda::getCudaEnabledDeviceCount() < 1) GTEST_SKIP() << "OpenCV has no CUDA here";
  const cv::Mat image = noise(41, 70, CV_8U);
  cv::cuda::Stream stream;
  cv::cuda::GpuMat from;
  from.upload(image, stream);
  cv::cuda::GpuMat to(image.size(), CV_16S);
  sobel(view_of(std::as_const(from)), view_of(to), {.output = SobelOutput::dy}, handle_of(stream));
  cv::Mat there;
  to.download(there, stream);
  stream.waitForCompletion();
  cv::Mat expected(image.size(), CV_16S);
  sobel(view_of(image), view_of(expected), {.output = SobelOutput::dy});
  EXPECT_EQ(cv::norm(there, expected, cv::NORM_INF), 0);
}

}  // namespace
}  // namespace warpwise
