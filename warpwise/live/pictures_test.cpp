#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "warpwise/live/pictures_on_gpu.hpp"
#include "warpwise/live/stage_testing.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

using io::PictureShape;
using test::Bytes;
using test::expect_same;
using test::random_bytes;
using warpwise::test::Backend;

io::Picture random_picture(const PictureShape& shape, std::uint64_t seed) {
  io::Picture picture(shape);
  if (shape.type == ElementType::f32) {  // finite values, because random bytes may be NaN
    std::mt19937_64 random(seed);
    for (std::int64_t i = 0; i < shape.bytes() / 4; ++i) {
      store(picture.bytes().data(), i, static_cast<float>(random() % 4096) / 16);
    }
    return picture;
  }
  const Bytes bytes = random_bytes(shape.bytes(), seed);
  std::copy(bytes.begin(), bytes.end(), picture.bytes().begin());
  return picture;
}

ConstHostView view_of(const io::Picture& picture) {
  return HostSource{picture.shape(), picture.bytes().data()}.view();
}
HostView view_of(io::Picture& picture) {
  return HostResult{picture.shape(), picture.bytes().data()}.view();
}

// Computes OpenCV's COLOR_RGB2GRAY by its formulas.
io::Picture grey_by_formula(const io::Picture& colour) {
  const PictureShape& shape = colour.shape();
  io::Picture grey(PictureShape::interleaved(shape.type, 1, shape.width, shape.height));
  if (shape.format) {
    reference::convert(HostSource{shape, colour.bytes().data()}.frame(),
                       HostResult{grey.shape(), grey.bytes().data()}.frame(),
                       {.convention = Convention::opencv});
    return grey;
  }
  const std::byte* const pixels = colour.bytes().data();
  for (std::int64_t i = 0; i < shape.width * shape.height; ++i) {
    const std::int64_t at = i * shape.channels;
    if (shape.type == ElementType::u16) {
      const auto value = [&](int c) { return std::uint32_t{load<std::uint16_t>(pixels, at + c)}; };
      const std::uint32_t sum = 9798 * value(0) + 19235 * value(1) + 3735 * value(2);
      store(grey.bytes().data(), i, static_cast<std::uint16_t>((sum + (1U << 14)) >> 15));
    } else {
      const auto value = [&](int c) { return load<float>(pixels, at + c); };
      store(grey.bytes().data(), i, (0.299F * value(0) + 0.587F * value(1)) + 0.114F * value(2));
    }
  }
  return grey;
}

void expect_picture(const io::Picture& expected, const io::Picture& actual) {
  EXPECT_EQ(expected.shape().pixel_text(), actual.shape().pixel_text());
  expect_same(Bytes(expected.bytes().begin(), expected.bytes().end()),
              Bytes(actual.bytes().begin(), actual.bytes().end()));
}

class PicturesTest : public warpwise::test::BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (!IsSkipped() && GetParam() == Backend::cuda) gpu_.emplace();
  }

  std::unique_ptr<Lane> lane_of(const Pipeline& pipeline) {
    if (gpu_) return gpu_->lane(pipeline);
    return std::move(cpu_lanes(pipeline, 1, 0).front());
  }

 private:
  std::optional<PicturesOnGpu> gpu_;  // shared by all pictures of a test
};

// Uses a lane for each picture, like a command for each file of a folder. Memory is reused.
TEST_P(PicturesTest, SobelOfDeepColoursOfChangingSizes) {
  std::uint64_t seed = 1;
  for (const ElementType type : {ElementType::u16, ElementType::f32}) {
    for (const auto& [width, height] : {std::pair{5, 3}, {640, 570}, {1, 1}, {33, 20}}) {
      const PictureShape shape = PictureShape::interleaved(type, 3, width, height);
      SCOPED_TRACE(shape.pixel_text() + " " + std::to_string(width));
      const io::Picture picture = random_picture(shape, seed++);
      const Pipeline pipeline(sobel_stage("sobel", {.output = SobelOutput::dx}), shape);
      EXPECT_TRUE(pipeline.steps().front().is_inserted);
      const std::unique_ptr<Lane> lane = lane_of(pipeline);
      std::copy(picture.bytes().begin(), picture.bytes().end(), lane->source().begin());
      lane->prepare();
      lane->compute();
      const io::Picture grey = grey_by_formula(picture);
      io::Picture expected(pipeline.result().shape);
      reference::sobel(view_of(grey), view_of(expected), {.output = SobelOutput::dx});
      ASSERT_EQ(lane->pictures().size(), 1U);
      expect_picture(expected, lane->pictures()[0]);
    }
  }
}

TEST_P(PicturesTest, ThresholdWithItsMeanAndAWindowByTheShape) {
  const auto choose = [](const PictureShape& shape) {
    return ThresholdOptions{.window = shape.width | 1, .offset = 1, .maximum = 77};
  };
  for (const PictureShape& shape : {PictureShape::interleaved(ElementType::u16, 4, 12, 9),
                                    PictureShape::interleaved(ElementType::u16, 1, 21, 4),
                                    PictureShape::of(PixelFormat::bgr24, 8, 8)}) {
    SCOPED_TRACE(shape.pixel_text());
    io::Picture picture = random_picture(shape, 3);
    const io::Picture grey =
        shape.channels == 1 ? random_picture(shape, 3) : grey_by_formula(picture);
    const Pipeline pipeline(threshold_by_shape("threshold", choose, true), shape);
    const std::vector<PictureShape> shapes = pipeline.results();
    ASSERT_EQ(shapes.size(), 2U);
    io::Picture expected(shapes[0]);
    io::Picture mean(shapes[1]);
    reference::threshold(view_of(grey), view_of(expected), choose(shape), view_of(mean));

    const std::unique_ptr<Lane> lane = lane_of(pipeline);
    lane->adopt_picture(std::move(picture));
    lane->compute();
    ASSERT_EQ(lane->pictures().size(), 2U);
    expect_picture(expected, lane->pictures()[0]);
    expect_picture(mean, lane->pictures()[1]);
  }
}

TEST_P(PicturesTest, TheLumaOfAVideoIsTakenWithoutAStep) {
  const PictureShape shape = PictureShape::of(PixelFormat::i420, 17, 6);
  const Pipeline pipeline(sobel_stage("sobel"), shape);
  const std::unique_ptr<Lane> lane = lane_of(pipeline);
  for (const std::uint64_t seed : {5, 6}) {
    const io::Picture frame = random_picture(shape, seed);
    std::copy(frame.bytes().begin(), frame.bytes().end(), lane->source().begin());
    lane->compute();
    io::Picture expected(pipeline.result().shape);
    reference::sobel(ConstHostView(frame.bytes().data(), ElementType::u8, 17, 6),
                     view_of(expected));
    expect_picture(expected, lane->pictures()[0]);
  }
  EXPECT_EQ(lane->milliseconds().steps.size(), 2U);
  EXPECT_GT(lane->milliseconds().steps[1], 0);
}

TEST(Pictures, OfOtherPixelsAreRefused) {
  const auto refused = [](std::shared_ptr<Stage> stage, ElementType type, int channels) {
    try {
      Pipeline(std::move(stage), PictureShape::interleaved(type, channels, 4, 4));
    } catch (const PixelsNotTaken& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(sobel_stage("sobel"), ElementType::i32, 1),
            "sobel takes grey and colour pixels of u8, u16 and f32");
  EXPECT_NE(refused(sobel_stage("sobel"), ElementType::u8, 2), "");
  EXPECT_EQ(refused(threshold_stage("threshold", {}), ElementType::f32, 3),
            "threshold takes grey and colour pixels of u8 and u16");
  EXPECT_EQ(refused(convert_stage("convert", PixelFormat::gray8), ElementType::f32, 3),
            "convert takes grey, RGB and RGBA of 8 and 16 bits");
}

TEST(Pictures, AConversionByConventionIsConvertsOwn) {
  PictureShape limited = PictureShape::of(PixelFormat::i420, 2000, 2);
  limited.full_range = false;
  for (const Convention convention : all_conventions) {
    SCOPED_TRACE(name_of(convention));
    const bool takes_limited = convention == Convention::exact || convention == Convention::libyuv;
    io::Picture picture = random_picture(limited, 7);
    const ConvertOptions options{.convention = convention, .from_range = Range::limited};
    const Pipeline pipeline(
        convert_stage("", PixelFormat::rgb24, {.convention = convention, .by_convention = true}),
        limited);
    io::Picture expected(pipeline.result().shape);
    const HostSource from{limited, picture.bytes().data()};
    const HostResult to{expected.shape(), expected.bytes().data()};
    const auto lanes = cpu_lanes(pipeline, 1, 0);
    if (!takes_limited && convention != Convention::opencv) {
      lanes[0]->adopt_picture(std::move(picture));
      EXPECT_THROW(lanes[0]->compute(), InvalidArgument);
      continue;
    }
    reference::convert(from.frame(), to.frame(), options);  // matrix bt601, also for large pictures
    lanes[0]->adopt_picture(std::move(picture));
    lanes[0]->compute();
    expect_picture(expected, lanes[0]->pictures()[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(, PicturesTest, warpwise::test::both_backends(),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise::live
