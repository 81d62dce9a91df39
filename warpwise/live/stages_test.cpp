#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "warpwise/gpu/graph.hpp"
#include "warpwise/live/disparity_colours.hpp"
#include "warpwise/live/flow.hpp"
#include "warpwise/live/lane.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/stage_testing.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;
using test::expect_same;
using test::random_frame;
using test::refusal;
using test::Running;
using warpwise::test::Backend;

struct Size {
  std::int64_t width;
  std::int64_t height;
};
constexpr std::array sizes = {Size{1, 1}, Size{7, 5}, Size{65, 33}};

Bytes bytes_for(const Stream& stream) {
  return Bytes(static_cast<std::size_t>(stream.shape.bytes()));
}

ConstHostView view_of(const Stream& stream, const Bytes& frame) {
  return HostSource{stream.shape, frame.data()}.view();
}
HostView view_of(const Stream& stream, Bytes& frame) {
  return HostResult{stream.shape, frame.data()}.view();
}

Stream grey_stream(std::int64_t width, std::int64_t height) {
  return stream_of(PixelFormat::gray8, width, height, {25, 1});
}

Bytes converted(const Stream& from, const Bytes& frame, PixelFormat to,
                const ConvertOptions& options) {
  const auto shape = io::PictureShape::of(to, from.shape.width, from.shape.height);
  Bytes result(static_cast<std::size_t>(shape.bytes()));
  reference::convert(HostSource{from.shape, frame.data()}.frame(),
                     HostResult{shape, result.data()}.frame(), options);
  return result;
}

class StagesTest : public warpwise::test::BackendTest {};

TEST_P(StagesTest, ConvertsBetweenFormats) {
  struct Case {
    PixelFormat from;
    PixelFormat to;
    ConvertChoices choices;
    ConvertOptions same;
  };
  const Range full = Range::full, limited = Range::limited;
  // The streams have guessed properties: bt601 and limited range.
  const Case cases[] = {
      {PixelFormat::rgb24, PixelFormat::bgra32, {}, {}},
      {PixelFormat::bgr24, PixelFormat::ycbcr32, {}, {.to_range = full}},
      {PixelFormat::rgb24,
       PixelFormat::i444,
       {.matrix = Matrix::bt709, .to_range = limited},
       {.matrix = Matrix::bt709, .to_range = limited}},
      {PixelFormat::yuyv, PixelFormat::gray8, {}, {.from_range = limited, .to_range = limited}},
      {PixelFormat::i420,
       PixelFormat::ycbcr32,
       {.to_range = full},
       {.from_range = limited, .to_range = full}},
      {PixelFormat::nv12,
       PixelFormat::rgb24,
       {.convention = Convention::libyuv},
       {.convention = Convention::libyuv, .from_range = limited}},
      {PixelFormat::rgba32,
       PixelFormat::gray8,
       {.convention = Convention::opencv},
       {.convention = Convention::opencv}}};
  for (const Case& each : cases) {
    for (const auto& [width, height] : sizes) {
      const Stream from = stream_of(each.from, width, height, {});
      SCOPED_TRACE(from.text() + " to " + std::string(name_of(each.to)));
      Running running(GetParam(), convert_stage("", each.to, each.choices), from);
      const Bytes frame = random_frame(from, 1);
      expect_same(converted(from, frame, each.to, each.same), running(frame));
    }
  }
}

Bytes luma_in(const Bytes& frame, const Stream& stream) {
  const bool is_planar = stream.format() == PixelFormat::i444;
  const auto step =
      static_cast<std::size_t>(is_planar ? 1 : plane_row_bytes(stream.format(), 0, 1));
  Bytes luma(static_cast<std::size_t>(stream.shape.width * stream.shape.height));
  for (std::size_t i = 0; i < luma.size(); ++i) luma[i] = frame[i * step];
  return luma;
}

// Returns all combinations of convention, matrix and ranges, also those that convert() refuses.
std::vector<ConvertChoices> all_choices() {
  const std::optional<Range> ranges[] = {std::nullopt, Range::full, Range::limited};
  std::vector<ConvertChoices> choices;
  for (const Convention convention : all_conventions) {
    for (const Matrix matrix : all_matrices) {
      for (const auto from : ranges) {
        for (const auto to : ranges) choices.push_back({matrix, from, to, convention});
      }
    }
  }
  return choices;
}

TEST_P(StagesTest, LumaAloneIsTheLumaOfTheWhole) {
  int compared = 0;
  for (const PixelFormat format : convert_sources) {
    const Stream from = stream_of(format, 257, 19, {});
    const Bytes frame = random_frame(from, 3);
    for (const PixelFormat to : {PixelFormat::ycbcr32, PixelFormat::ycrcb24, PixelFormat::i444}) {
      for (const ConvertChoices& choices : all_choices()) {
        SCOPED_TRACE(from.text() + " to " + std::string(name_of(to)) + " by " +
                     std::string(name_of(choices.convention)));
        auto whole = convert_stage("", to, choices);
        if (!refusal([&] { whole->begin(from); }).empty()) continue;
        Running luma(GetParam(), whole->luma_alone(), from);
        Running all(GetParam(), std::move(whole), from);
        EXPECT_EQ(luma.result().colours.range.value, all.result().colours.range.value);
        expect_same(luma_in(all(frame), all.result()), luma(frame));
        if (HasFatalFailure()) return;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
  for (const PixelFormat to : {PixelFormat::gray8, PixelFormat::rgb24, PixelFormat::bgra32}) {
    EXPECT_EQ(convert_stage("", to)->luma_alone(), nullptr);
  }
}

// The stage scales grey of limited range itself, because convert() does not take it.
TEST_P(StagesTest, ConvertsGreyOfLimitedRange) {
  const auto expected = [](const Bytes& frame, std::size_t copies) {
    Bytes result;
    for (const std::byte code : frame) {
      const double luma = (std::to_integer<int>(code) - 16) * 255.0 / 219;
      const double level = std::clamp(std::floor(luma + 0.5), 0.0, 255.0);
      result.insert(result.end(), copies, static_cast<std::byte>(level));
    }
    return result;
  };
  for (const auto& [width, height] : sizes) {
    const Stream from =
        stream_of(PixelFormat::gray8, width, height, {}, {}, {.range = Range::limited});
    SCOPED_TRACE(from.text());
    const Bytes frame = random_frame(from, 5);
    Running rgb(GetParam(), convert_stage("", PixelFormat::rgb24), from);
    expect_same(expected(frame, 3), rgb(frame));
    Running full(GetParam(), convert_stage("", PixelFormat::gray8, {.to_range = Range::full}),
                 from);
    expect_same(expected(frame, 1), full(frame));
    Running limited(GetParam(), convert_stage("", PixelFormat::gray8), from);
    expect_same(frame, limited(frame));
  }
}

TEST_P(StagesTest, SobelTakesGreyAndColours) {
  const SobelOptions scharr = {.norm = Norm::l2, .kernel = SobelKernel::scharr};
  for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::rgb24, PixelFormat::bgra32}) {
    for (const auto& [width, height] : sizes) {
      const Stream from = stream_of(format, width, height, {});
      SCOPED_TRACE(from.text());
      SobelOptions options = scharr;
      if (format == PixelFormat::bgra32) options.channels = ChannelOrder::bgr;
      Running running(GetParam(), sobel_stage("", scharr), from);
      const Bytes frame = random_frame(from, 2);
      Bytes expected = bytes_for(running.result());
      reference::sobel(view_of(from, frame), view_of(running.result(), expected), options);
      expect_same(expected, running(frame));
    }
  }
}

TEST_P(StagesTest, ThresholdComparesWithItsWindow) {
  const ThresholdOptions options = {.window = 5, .offset = -3.5, .maximum = 200, .inverted = true};
  for (const auto& [width, height] : sizes) {
    const Stream from = grey_stream(width, height);
    SCOPED_TRACE(from.text());
    Running running(GetParam(), threshold_stage("", options), from);
    const Bytes frame = random_frame(from, 3);
    Bytes expected = bytes_for(running.result());
    reference::threshold(view_of(from, frame), view_of(running.result(), expected), options);
    expect_same(expected, running(frame));
  }
}

TEST_P(StagesTest, AChainIsItsStagesOneByOne) {
  const ThresholdOptions cut = {.window = 3, .offset = -3.5};
  for (const PixelFormat format : {PixelFormat::rgb24, PixelFormat::bgr24}) {
    for (const auto& [width, height] : {Size{7, 5}, Size{40, 17}, Size{264, 9}}) {
      const Stream from = stream_of(format, width, height, {});
      SCOPED_TRACE(from.text());
      const Bytes frame = random_frame(from, 6);
      Running edges(GetParam(), sobel_stage(""), from);
      Running both(GetParam(), threshold_stage("", cut), edges.result());
      Running chain(GetParam(), chain_stage({sobel_stage("sobel"), threshold_stage("cut", cut)}),
                    from);
      EXPECT_EQ(chain.result().text(), both.result().text());
      if (GetParam() == Backend::cuda && width % 8 != 0) {  // the chain is not a single kernel
        const std::string why = refusal([&] { chain(frame); });
        EXPECT_NE(why.find("'sobel | cut'"), std::string::npos) << why;
        continue;
      }
      expect_same(both(edges(frame)), chain(frame));
    }
  }
}

/// Returns a frame cut from a large random picture; (x, y) is the place of the window.
Bytes scene(const Stream& stream, std::int64_t x, std::int64_t y) {
  const auto [width, height] = Size{stream.shape.width, stream.shape.height};
  const Bytes picture = test::random_bytes((width + 64) * (height + 64), 4);
  Bytes frame;
  for (std::int64_t row = 0; row < height; ++row) {
    const auto first = picture.begin() + (row + y + 32) * (width + 64) + x + 32;
    frame.insert(frame.end(), first, first + width);
  }
  return frame;
}

Bytes motion(const Stream& grey, const Bytes& before, const Bytes& after,
             const MatchOptions& options, float full) {
  const MatchGrid grid = match_grid(grey.shape.width, grey.shape.height, options);
  std::vector<std::int16_t> found(static_cast<std::size_t>(grid.columns * grid.rows * 2));
  const HostView displacement(found.data(), grid.columns, grid.rows, 2);
  reference::match(view_of(grey, before), view_of(grey, after), displacement, options);
  Bytes rgb(before.size() * 3);
  draw_motion(displacement, options, full,
              HostView(rgb.data(), ElementType::u8, grey.shape.width, grey.shape.height, 3));
  return rgb;
}

std::array<int, 3> pixel(const Bytes& rgb, std::int64_t width, std::int64_t x, std::int64_t y) {
  std::array<int, 3> colours{};
  for (std::size_t i = 0; i < 3; ++i) {
    colours[i] = std::to_integer<int>(rgb[static_cast<std::size_t>(3 * (y * width + x)) + i]);
  }
  return colours;
}

TEST_P(StagesTest, MatchShowsTheMotionSinceTheFrameBefore) {
  MatchOptions options;
  options.block_width = options.block_height = 8;
  options.search_x = options.search_y = {-4, 4};
  options.border = MatchBorder::replicate;
  const Stream from = grey_stream(61, 37);
  // The window moves left, so its content moves right; then the window moves down.
  const Bytes frames[] = {scene(from, 0, 0), scene(from, -4, 0), scene(from, -4, 2)};

  Running running(GetParam(), match_stage("", options), from);
  expect_same(Bytes(frames[0].size() * 3, std::byte{255}), running(frames[0]));
  const Bytes right = running(frames[1]);
  expect_same(motion(from, frames[0], frames[1], options, 4), right);
  EXPECT_EQ(pixel(right, 61, 20, 20), (std::array{255, 0, 0}));  // full colour: largest motion
  EXPECT_EQ(pixel(right, 61, 55, 20), (std::array{255, 0, 0}));
  EXPECT_EQ(pixel(right, 61, 56, 20), (std::array{0, 0, 0}));  // outside all blocks
  const Bytes up = running(frames[2]);
  expect_same(motion(from, frames[1], frames[2], options, 4), up);
  EXPECT_EQ(pixel(up, 61, 20, 20), (std::array{191, 128, 255}));  // half colour: 2 of 4 pixels

  Running scaled(GetParam(), match_stage("", options, 16.0F), from);
  scaled(frames[0]);
  EXPECT_EQ(pixel(scaled(frames[1]), 61, 20, 20), (std::array{255, 191, 191}));
}

TEST_P(StagesTest, DisparityTakesTheHalvesOfAFrame) {
  const DisparityOptions options = {.block = 5, .max_disparity = 7};
  const Stream half = grey_stream(41, 19);
  const Stream from = grey_stream(82, 19);
  // Content at column x of the left image is at column x - 7 of the right image.
  const Bytes left = scene(half, 0, 0);
  const Bytes right = scene(half, 7, 0);
  Bytes pair;
  for (std::size_t row = 0; row < 19; ++row) {
    pair.insert(pair.end(), left.begin() + 41 * row, left.begin() + 41 * (row + 1));
    pair.insert(pair.end(), right.begin() + 41 * row, right.begin() + 41 * (row + 1));
  }
  std::vector<float> found(41 * 19);
  const HostView disparities(found.data(), 41, 19);
  reference::disparity(view_of(half, left), view_of(half, right), disparities, options);
  Bytes expected(left.size() * 3);
  draw_disparity(disparities, 7, HostView(expected.data(), ElementType::u8, 41, 19, 3));

  Running running(GetParam(), disparity_stage("", options), from);
  EXPECT_EQ(running.result().shape.width, 41);
  const Bytes colours = running(pair);
  expect_same(expected, colours);
  EXPECT_EQ(pixel(colours, 41, 25, 10), (std::array{185, 25, 20}));  // the largest disparity
  EXPECT_EQ(running(pair), colours);
}

/// Returns RGB with three equal channels, so that its grey equals `grey`.
Bytes as_rgb(const Bytes& grey) {
  Bytes rgb;
  for (const std::byte value : grey) rgb.insert(rgb.end(), 3, value);
  return rgb;
}

void draw_box(Bytes& rgb, std::int64_t width, const Box& box) {
  for (std::int64_t y = 0; y < box.height; ++y) {
    for (std::int64_t x = 0; x < box.width; ++x) {
      const std::int64_t inside =
          std::min({x, y, box.width - 1 - x, box.height - 1 - y});  // pixels from the box's edge
      if (inside > 1) continue;
      const std::int64_t at = 3 * ((box.y + y) * width + box.x + x);
      rgb[static_cast<std::size_t>(at)] = rgb[static_cast<std::size_t>(at + 2)] = std::byte{0};
      rgb[static_cast<std::size_t>(at + 1)] = std::byte{255};
    }
  }
}

TEST_P(StagesTest, TrackDrawsTheBoxThatItFollows) {
  const Stream grey = grey_stream(61, 47);
  for (const Box& size : {Box{0, 0, 16, 9}, Box{0, 0, 3, 12}, Box{0, 0, 12, 1}}) {
    SCOPED_TRACE(size.width);
    const Box first = {20, 15, size.width, size.height};
    for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::rgb24, PixelFormat::bgra32}) {
      const Stream from = stream_of(format, 61, 47, {});
      SCOPED_TRACE(from.text());
      Running running(GetParam(), track_stage("", first), from);
      for (const Size moved : {Size{0, 0}, Size{5, -7}, Size{-9, 3}}) {
        const Bytes frame = scene(grey, -moved.width, -moved.height);
        Bytes expected = as_rgb(frame);
        draw_box(expected, 61,
                 {first.x + moved.width, first.y + moved.height, size.width, size.height});
        expect_same(expected, running(converted(grey, frame, format, {})));
      }
    }
  }
}

// The outline of a lost box is red, and stays at the box's last known place.
TEST_P(StagesTest, TrackDrawsALostBoxRed) {
  const Stream grey = grey_stream(61, 47);
  const TrackOptions options{.measure = Measure::zncc, .min_score = 0.9};
  Running running(GetParam(), track_stage("", {20, 15, 16, 9}, options), grey);
  running(scene(grey, 0, 0));
  const Bytes flat(61 * 47, std::byte{90});
  const Bytes lost = running(flat);
  const std::size_t corner = 3 * (15 * 61 + 20);
  EXPECT_EQ(lost[corner], std::byte{255});
  EXPECT_EQ(lost[corner + 1], std::byte{0});
  EXPECT_EQ(lost[corner - 3], std::byte{90});
}

class LanesTest : public warpwise::test::BackendTest {};

TEST_P(LanesTest, JoinedStepsGiveTheBytesOfTheSteps) {
  const Stream from = stream_of(PixelFormat::rgb24, 48, 19, {});
  const auto pipeline = [&] {
    return Pipeline({sobel_stage("sobel", {.border = Border::replicate}),
                     threshold_stage("cut", {.window = 3, .offset = -2}), sobel_stage("again")},
                    from, *null_sink());
  };
  const Pipeline steps = pipeline();
  Pipeline joined = pipeline();
  joined.join_chains();
  ASSERT_EQ(joined.steps().size(), 2U);
  const auto expected = cpu_lanes(steps, 1, 1);
  std::uint64_t seed = 1;
  for (const auto& lane : gpu_lanes(joined, 2)) {
    const Bytes frame = random_frame(from, seed++);
    for (Lane* const each : {expected[0].get(), lane.get()}) {
      std::copy(frame.begin(), frame.end(), each->source().begin());
      each->compute();
    }
    const auto bytes = [](const Lane& of) { return Bytes(of.result().begin(), of.result().end()); };
    expect_same(bytes(*expected[0]), bytes(*lane));
  }
}

INSTANTIATE_TEST_SUITE_P(, LanesTest, testing::Values(Backend::cuda),
                         testing::PrintToStringParamName());

class RecordingTest : public warpwise::test::BackendTest {};

TEST_P(RecordingTest, StatelessPipelinesAreRecorded) {
  const Stream yuv = stream_of(PixelFormat::nv12, 33, 21, {});
  const Stream grey = grey_stream(33, 21);
  const auto record = [](std::unique_ptr<Stage> stage, const Stream& from) {
    SCOPED_TRACE(stage->text());
    EXPECT_TRUE(stage->is_recordable());
    const Stream to = stage->begin(from);
    gpu::Stream stream;
    gpu::Buffer source(from.shape.bytes(), stream);
    gpu::Buffer result(to.shape.bytes(), stream);
    const gpu::Graph graph([&](gpu::StreamHandle recording) {
      stage->run(DeviceSource{from.shape, source.data()}, DeviceResult{to.shape, result.data()},
                 recording);
    });
    for (const std::uint64_t seed : {1, 2}) {
      const Bytes frame = random_frame(from, seed);
      Bytes expected = bytes_for(to), actual = bytes_for(to);
      stage->run(HostSource{from.shape, frame.data()}, HostResult{to.shape, expected.data()});
      gpu::upload(frame.data(), source.data(), from.shape.bytes(), stream);
      graph.launch(stream);
      gpu::download(result.data(), actual.data(), to.shape.bytes(), stream);
      stream.synchronize();
      expect_same(expected, actual);
    }
  };
  record(convert_stage("rgb24", PixelFormat::rgb24), yuv);
  record(convert_stage("rgb24 of limited grey", PixelFormat::rgb24),
         stream_of(PixelFormat::gray8, 33, 21, {}, {}, {.range = Range::limited}));
  record(sobel_stage("sobel"), grey);
  record(threshold_stage("threshold", {.window = 7}), grey);
}

// ---- Properties of stages that are the same on every backend

TEST(Stages, SayWhatTheyRead) {
  const auto required_format = [](const Stage& stage, PixelFormat format) {
    return stage.required_format(stream_of(format, 64, 64, {}));
  };
  const std::optional<PixelFormat> grey = PixelFormat::gray8, as_it_is = std::nullopt;
  const auto convert = convert_stage("", PixelFormat::rgb24);
  const auto sobel = sobel_stage("");
  const auto track = track_stage("", {0, 0, 8, 8});
  EXPECT_EQ(required_format(*convert, PixelFormat::i420), as_it_is);
  EXPECT_EQ(required_format(*sobel, PixelFormat::gray8), as_it_is);
  EXPECT_EQ(required_format(*sobel, PixelFormat::bgr24), as_it_is);
  EXPECT_EQ(required_format(*sobel, PixelFormat::ycbcr32), grey);
  EXPECT_EQ(required_format(*track, PixelFormat::gray8), as_it_is);
  EXPECT_EQ(required_format(*track, PixelFormat::bgra32), as_it_is);
  EXPECT_EQ(required_format(*track, PixelFormat::nv12), PixelFormat::rgb24);
  const ColourTags limited = {.range = Range::limited};
  EXPECT_EQ(track->required_format(stream_of(PixelFormat::gray8, 64, 64, {}, {}, limited)),
            PixelFormat::rgb24);
  for (const auto& stage : {threshold_stage("", {}), match_stage(""), disparity_stage("")}) {
    EXPECT_EQ(required_format(*stage, PixelFormat::gray8), as_it_is);
    EXPECT_EQ(required_format(*stage, PixelFormat::rgb24), grey);
    EXPECT_EQ(required_format(*stage, PixelFormat::yuyv), grey);
  }
}

TEST(Stages, SayWhatTheyKeep) {
  EXPECT_EQ(sobel_stage("sobel norm=l2")->text(), "sobel norm=l2");
  EXPECT_FALSE(disparity_stage("")->is_stateful());
  EXPECT_FALSE(disparity_stage("")->is_recordable());
  for (const auto& stage : {match_stage(""), track_stage("", {0, 0, 8, 8})}) {
    EXPECT_TRUE(stage->is_stateful());
    EXPECT_FALSE(stage->is_recordable());
  }
}

TEST(Stages, SayWhatTheirFramesMean) {
  const ColourTags tags = {Matrix::bt2020, Range::limited, Siting::left};
  const Stream yuv = stream_of(PixelFormat::i420, 64, 48, {25, 1}, {}, tags);
  const auto text = [&](std::unique_ptr<Stage> stage, const Stream& from) {
    return stage->begin(from).text();
  };
  EXPECT_EQ(text(convert_stage("", PixelFormat::ycbcr32), yuv),
            "64x48 ycbcr32, bt2020 (tag), limited (tag), 25 fps");
  EXPECT_EQ(text(convert_stage("", PixelFormat::ycbcr32, {.to_range = Range::full}), yuv),
            "64x48 ycbcr32, bt2020 (tag), full (stage), 25 fps");
  EXPECT_EQ(text(convert_stage("", PixelFormat::gray8), yuv), "64x48 gray8, limited (tag), 25 fps");
  EXPECT_EQ(text(convert_stage("", PixelFormat::rgb24), yuv), "64x48 rgb24, 25 fps");
  const Stream rgb = stream_of(PixelFormat::rgb24, 64, 48, {25, 1});
  EXPECT_EQ(text(convert_stage("", PixelFormat::i444), rgb),
            "64x48 i444, bt601 (stage), full (stage), 25 fps");
  EXPECT_EQ(text(convert_stage("", PixelFormat::ycbcr32, {.convention = Convention::opencv}),
                 stream_of(PixelFormat::rgb24, 1280, 720, {})),
            "1280x720 ycbcr32, bt601 (stage), full (stage)");
  EXPECT_EQ(text(sobel_stage(""), rgb), "64x48 gray8, full (stage), 25 fps");
  const Stream grey = grey_stream(64, 48);
  EXPECT_EQ(text(threshold_stage("", {}), grey), "64x48 gray8, full (stage), 25 fps");
  EXPECT_EQ(text(match_stage(""), grey), "64x48 rgb24, 25 fps");
  EXPECT_EQ(text(disparity_stage(""), grey), "32x48 rgb24, 25 fps");
  EXPECT_EQ(text(track_stage("", {1, 2, 3, 4}), grey), "64x48 rgb24, 25 fps");
}

TEST(Stages, RefuseWhatHasNoDefinition) {
  const Stream grey = grey_stream(33, 20);
  const auto begin = [](std::unique_ptr<Stage> stage, const Stream& from) {
    return refusal([&] { stage->begin(from); });
  };
  for (const PixelFormat to : {PixelFormat::rgb24, PixelFormat::nv12}) {
    EXPECT_EQ(
        begin(convert_stage("", to), stream_of(PixelFormat::ycrcb24, 4, 4, {})),
        "convert: ycrcb24 is not a source; supported: rgb24 bgr24 rgba32 bgra32 gray8 yuyv uyvy "
        "nv12 nv21 i420 ycbcr32");
  }
  EXPECT_EQ(begin(convert_stage("", PixelFormat::rgb24, {.convention = Convention::opencv}),
                  stream_of(PixelFormat::nv12, 2000, 2, {})),
            "convert: convention opencv has no matrix bt709; supported: bt601");
  const Stream yuv = stream_of(PixelFormat::i420, 64, 48, {});
  EXPECT_EQ(begin(convert_stage("", PixelFormat::ycbcr32, {.matrix = Matrix::bt709}), yuv),
            "convert cannot change the matrix of YUV from bt601 (guess) to bt709; put the stage "
            "rgb24 before it");
  EXPECT_EQ(begin(convert_stage("", PixelFormat::ycbcr32, {.matrix = Matrix::bt601}), yuv), "");
  EXPECT_EQ(begin(convert_stage("", PixelFormat::rgb24, {.matrix = Matrix::bt709}), yuv), "");
  EXPECT_EQ(begin(match_stage("", {}), stream_of(PixelFormat::gray8, 31, 31, {})).substr(0, 6),
            "match:");
  EXPECT_EQ(
      begin(disparity_stage(""), grey),
      "disparity: a frame must hold the left and the right image side by side, and so have an "
      "even width; these frames are 33x20");
  EXPECT_EQ(begin(track_stage("", {30, 0, 8, 8}), grey),
            "track: a box of 8x8 at (30, 0) is not inside the frame of 33x20");
}

TEST(Stages, RefuseOptionsThatDoNotFitEightBits) {
  const Stream bytes = stream_of(PixelFormat::gray8, 8, 8, {});
  EXPECT_NE(refusal([&] { threshold_stage("", {.maximum = 256})->begin(bytes); }), "");
  EXPECT_NE(refusal([&] { threshold_stage("", {.window = 4})->begin(bytes); }), "");
  EXPECT_NE(refusal([] { disparity_stage("", {.block = 4}); }), "");
  EXPECT_EQ(refusal([] { match_stage("", {}, 0.5F); }),
            "match: the length of full colour is 0.500000, it must be 1 pixel or more");
}

INSTANTIATE_TEST_SUITE_P(, StagesTest, warpwise::test::both_backends(),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(, RecordingTest, testing::Values(Backend::cuda),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise::live
