#include "warpwise/live/pipeline.hpp"

#include <gtest/gtest.h>

#include "warpwise/live/lane.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/stage_testing.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;
using test::refusal;
using Stages = std::vector<std::shared_ptr<Stage>>;

/// A sink that takes one format only.
class Wanting final : public Sink {
 public:
  explicit Wanting(PixelFormat format, std::optional<Range> range = std::nullopt)
      : Sink("wanting"), taken_{format, range} {}
  AcceptedFrames accepted_frames(const Stream&) const override { return taken_; }
  void begin(const Stream&) override {}
  void write(std::span<const std::byte>) override {}
  void finish() override {}

 private:
  AcceptedFrames taken_;
};

Pipeline made_of(Stages stages, PixelFormat from, const ColourTags& colours = {}) {
  return {std::move(stages), stream_of(from, 6, 4, {}, colours), *null_sink()};
}

constexpr MatchOptions four = {.block_width = 4, .block_height = 4};

std::shared_ptr<Stage> sobel() { return sobel_stage("sobel"); }
std::shared_ptr<Stage> threshold() { return threshold_stage("threshold window=3", {}); }
std::shared_ptr<Stage> track() { return track_stage("track", {0, 0, 2, 2}); }
std::shared_ptr<Stage> conversion(PixelFormat to) {
  return convert_stage(std::string(name_of(to)), to);
}

TEST(PipelineTest, WithoutStagesFramesPassAsTheyAre) {
  const Pipeline pipeline = made_of({}, PixelFormat::nv12);
  EXPECT_TRUE(pipeline.steps().empty());
  EXPECT_EQ(pipeline.text(), "nv12");
  EXPECT_EQ(pipeline.result().format(), PixelFormat::nv12);
}

TEST(PipelineTest, TheLumaPlaneIsTakenWithoutAConversion) {
  for (const PixelFormat from : {PixelFormat::i420, PixelFormat::nv12, PixelFormat::nv21}) {
    const Pipeline pipeline = made_of({sobel()}, from);
    ASSERT_EQ(pipeline.steps().size(), 2U);
    EXPECT_EQ(pipeline.steps()[0].stage, nullptr);
    EXPECT_TRUE(pipeline.steps()[0].is_inserted);
    EXPECT_EQ(pipeline.text(), std::string(name_of(from)) + " -> (luma) gray8 -> sobel gray8");
  }
}

TEST(PipelineTest, ConversionsAreInsertedWhereTheyAreNeeded) {
  const auto text = [](PixelFormat from) { return made_of({threshold()}, from).text(); };
  EXPECT_EQ(text(PixelFormat::gray8), "gray8 -> threshold window=3 gray8");
  for (const PixelFormat from : {PixelFormat::yuyv, PixelFormat::ycbcr32, PixelFormat::rgb24}) {
    EXPECT_EQ(text(from), std::string(name_of(from)) + " -> (gray8) -> threshold window=3 gray8");
  }
  EXPECT_EQ(made_of({sobel()}, PixelFormat::rgb24).text(), "rgb24 -> sobel gray8");
}

TEST(PipelineTest, OfAConversionWhoseLumaIsReadThatAloneIsComputed) {
  const auto text = [](PixelFormat from, PixelFormat by, const ColourTags& colours = {}) {
    return made_of({conversion(by), sobel()}, from, colours).text();
  };
  for (const PixelFormat by : {PixelFormat::ycbcr32, PixelFormat::ycrcb24, PixelFormat::i444}) {
    EXPECT_EQ(text(PixelFormat::rgb24, by),
              "rgb24 -> luma of " + std::string(name_of(by)) + " gray8 -> sobel gray8");
  }
  EXPECT_EQ(text(PixelFormat::nv12, PixelFormat::ycbcr32), "nv12 -> (luma) gray8 -> sobel gray8")
      << "which is there already";
  const std::shared_ptr<Stage> full =
      convert_stage("ycbcr32", PixelFormat::ycbcr32, {.to_range = Range::full});
  EXPECT_EQ(made_of({full, sobel()}, PixelFormat::nv12).text(),
            "nv12 -> luma of ycbcr32 gray8 -> sobel gray8");
  EXPECT_EQ(text(PixelFormat::nv12, PixelFormat::rgb24), "nv12 -> rgb24 -> sobel gray8");
  EXPECT_EQ(Pipeline({conversion(PixelFormat::ycbcr32)}, stream_of(PixelFormat::rgb24, 6, 4, {}),
                     Wanting(PixelFormat::ycbcr32))
                .text(),
            "rgb24 -> ycbcr32")
      << "the sink takes all of it";
}

TEST(PipelineTest, ASinkGetsWhatItTakes) {
  const Stream grey = stream_of(PixelFormat::gray8, 6, 4, {});
  EXPECT_EQ(Pipeline({sobel()}, grey, Wanting(PixelFormat::rgb24)).text(),
            "gray8 -> sobel gray8 -> (rgb24)");
  const Stream video = stream_of(PixelFormat::i420, 6, 4, {});
  EXPECT_EQ(Pipeline({}, video, Wanting(PixelFormat::i420, Range::limited)).steps().size(), 0U);
  EXPECT_EQ(Pipeline({}, video, Wanting(PixelFormat::gray8)).text(), "i420 -> (luma) gray8");
  const Pipeline full({}, video, Wanting(PixelFormat::gray8, Range::full));
  EXPECT_EQ(full.text(), "i420 -> (gray8)") << "luma of limited range is no grey of full range";
  EXPECT_EQ(full.result().colours.range.value, Range::full);
}

TEST(PipelineTest, SaysWhoSaysSoOfColours) {
  const ColourTags option{.range = Range::full};
  const Pipeline kept = made_of({conversion(PixelFormat::i444)}, PixelFormat::i420, option);
  EXPECT_EQ(kept.result().colours.range.origin, Origin::option);
  const Pipeline made = made_of({conversion(PixelFormat::i444)}, PixelFormat::rgb24, option);
  EXPECT_EQ(made.result().colours.range.origin, Origin::stage);
}

TEST(PipelineTest, JoinsThatCannotBeNameBothSides) {
  const auto expect_words = [](const std::string& said, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      EXPECT_NE(said.find(word), std::string::npos) << "'" << said << "' lacks '" << word << "'";
    }
  };
  const Stream odd = stream_of(PixelFormat::gray8, 7, 4, {});
  const std::shared_ptr<Stage> disparity = disparity_stage("disparity");
  expect_words(refusal([&] { Pipeline({disparity}, odd, *null_sink()); }),
               {"'disparity' cannot follow the source", "gray8 7x4", "even width"});
  expect_words(refusal([&] { Pipeline({sobel(), disparity}, odd, *null_sink()); }),
               {"'disparity' cannot follow 'sobel'", "gray8 7x4"});
  expect_words(
      refusal([&] { Pipeline({disparity}, stream_of(PixelFormat::i420, 7, 4, {}), *null_sink()); }),
      {"'disparity' cannot follow the source, giving i420 7x4, converted to gray8: "});
  expect_words(refusal([&] {
                 Pipeline({conversion(PixelFormat::ycbcr32), disparity},
                          stream_of(PixelFormat::rgb24, 7, 4, {}), *null_sink());
               }),
               {"cannot follow 'ycbcr32', giving ycbcr32 7x4, converted to gray8: "});
  expect_words(
      refusal([&] { made_of({conversion(PixelFormat::ycrcb24), track()}, PixelFormat::rgb24); }),
      {"track cannot take ycrcb24 frames", "ycrcb24"});
  const std::shared_ptr<Stage> dx = sobel_stage("sobel output=dx", {.output = SobelOutput::dx});
  expect_words(refusal([&] { Pipeline({dx, threshold()}, odd, *null_sink()); }),
               {"'sobel output=dx' gives i16", "does not fit the frames of a stream, u8 or u16"});
  const Stream ycrcb = stream_of(PixelFormat::ycrcb24, 7, 4, {});
  expect_words(refusal([&] { Pipeline({}, ycrcb, Wanting(PixelFormat::nv12)); }),
               {"wanting cannot take ycrcb24 frames", "ycrcb24"});
}

TEST(PipelineTest, IsStatefulIfOneStageIs) {
  EXPECT_FALSE(made_of({}, PixelFormat::i420).is_stateful());
  EXPECT_FALSE(made_of({sobel(), threshold()}, PixelFormat::i420).is_stateful());
  EXPECT_TRUE(made_of({sobel(), match_stage("match", four)}, PixelFormat::i420).is_stateful());
}

TEST(PipelineTest, IsRecordedIfAllStagesAre) {
  EXPECT_TRUE(made_of({}, PixelFormat::i420).is_recordable());
  EXPECT_TRUE(made_of({sobel(), threshold()}, PixelFormat::i420).is_recordable());
  EXPECT_FALSE(made_of({sobel(), disparity_stage("disparity")}, PixelFormat::i420).is_recordable());
  EXPECT_FALSE(made_of({sobel(), match_stage("match", four)}, PixelFormat::i420).is_recordable());
}

TEST(PipelineTest, StepsThatOneKernelComputesAreJoined) {
  const auto text = [](Stages stages, PixelFormat from, std::int64_t width) {
    Pipeline pipeline(std::move(stages), stream_of(from, width, 4, {}), *null_sink());
    const Stream result = pipeline.result();
    pipeline.join_chains();
    EXPECT_EQ(pipeline.result().text(), result.text());
    return pipeline.text();
  };
  for (const PixelFormat rgb : {PixelFormat::rgb24, PixelFormat::bgr24}) {
    const std::string name(name_of(rgb));
    EXPECT_EQ(text({sobel(), threshold()}, rgb, 16), name + " -> sobel | threshold window=3 gray8");
    EXPECT_EQ(text({sobel(), threshold(), sobel()}, rgb, 16),
              name + " -> sobel | threshold window=3 gray8 -> sobel gray8");
    EXPECT_EQ(text({sobel(), threshold()}, rgb, 15),
              name + " -> sobel gray8 -> threshold window=3 gray8")
        << "a width that it does not take";
  }
  EXPECT_EQ(text({sobel(), threshold()}, PixelFormat::gray8, 16),
            "gray8 -> sobel gray8 -> threshold window=3 gray8");
  EXPECT_EQ(text({sobel(), threshold()}, PixelFormat::nv12, 16),
            "nv12 -> (luma) gray8 -> sobel gray8 -> threshold window=3 gray8");
  EXPECT_EQ(text({threshold(), sobel()}, PixelFormat::rgb24, 16),
            "rgb24 -> (gray8) -> threshold window=3 gray8 -> sobel gray8");
}

// Computes "ycbcr32 | sobel | threshold window=3" with the reference functions only.
Bytes edges_by_reference(const Stream& from, const Bytes& frame) {
  const std::int64_t width = from.shape.width;
  const std::int64_t height = from.shape.height;
  const auto pixels = static_cast<std::size_t>(width * height);
  ConvertOptions options;
  const bool is_rgb = !has_luma(from.format());
  if (!is_rgb) options.from_range = from.colours.range.value;
  options.to_range = is_rgb ? Range::full : from.colours.range.value;
  Bytes ycbcr(4 * pixels);
  reference::convert(HostSource{from.shape, frame.data()}.frame(),
                     HostFrame(ycbcr.data(), PixelFormat::ycbcr32, width, height), options);
  Bytes luma(pixels), edges(pixels), cut(pixels);
  for (std::size_t i = 0; i < pixels; ++i) luma[i] = ycbcr[4 * i];
  const auto view = [&](Bytes& of) { return HostView(of.data(), ElementType::u8, width, height); };
  reference::sobel(view(luma), view(edges), {});
  reference::threshold(view(edges), view(cut), {});
  return cut;
}

TEST(CpuLanesTest, ComputeWhatTheReferencesDo) {
  constexpr std::array formats = {PixelFormat::rgb24, PixelFormat::i420, PixelFormat::yuyv,
                                  PixelFormat::nv12, PixelFormat::gray8};
  for (const PixelFormat format : formats) {
    for (const auto& [width, height] : {std::pair(1, 1), std::pair(7, 5), std::pair(65, 33)}) {
      const Stream from = stream_of(format, width, height, {});
      const Pipeline pipeline({conversion(PixelFormat::ycbcr32), sobel(), threshold()}, from,
                              *null_sink());
      std::uint64_t seed = 1;
      for (const int threads : {1, 2}) {
        for (const auto& lane : cpu_lanes(pipeline, 3, threads)) {
          const Bytes frame = test::random_frame(from, seed++);
          ASSERT_EQ(lane->source().size(), frame.size());
          std::copy(frame.begin(), frame.end(), lane->source().begin());
          lane->compute();
          const Bytes result(lane->result().begin(), lane->result().end());
          SCOPED_TRACE(from.text() + ", seed " + std::to_string(seed - 1));
          test::expect_same(edges_by_reference(from, frame), result);
        }
      }
    }
  }
}

TEST(CpuLanesTest, LumaAloneIsTheLumaOfTheWhole) {
  for (const PixelFormat format : convert_sources) {
    const Stream from = stream_of(format, 65, 33, {});
    const Bytes frame = test::random_frame(from, 3);
    const std::shared_ptr<Stage> whole = conversion(PixelFormat::i444);
    const Pipeline pipeline({whole}, from, Wanting(PixelFormat::gray8));
    const auto lanes = cpu_lanes(pipeline, 1, 1);
    std::copy(frame.begin(), frame.end(), lanes[0]->source().begin());
    lanes[0]->compute();
    Bytes planes(3 * 65 * 33);
    whole->run(HostSource{from.shape, frame.data()},
               HostResult{io::PictureShape::of(PixelFormat::i444, 65, 33), planes.data()});
    planes.resize(65 * 33);
    SCOPED_TRACE(from.text());
    test::expect_same(planes, {lanes[0]->result().begin(), lanes[0]->result().end()});
  }
}

TEST(CpuLanesTest, WithoutAStepThatComputesTheResultIsTheSourcesOwnMemory) {
  const Stream from = stream_of(PixelFormat::i420, 6, 4, {});
  const Pipeline pipeline({}, from, Wanting(PixelFormat::gray8));
  const auto lanes = cpu_lanes(pipeline, 1, 1);
  lanes[0]->compute();
  EXPECT_EQ(lanes[0]->result().data(), lanes[0]->source().data());
  EXPECT_EQ(lanes[0]->result().size(), 24U) << "the luma alone";
}

// Lanes share the buffers between steps. A lane must keep a buffer in which its result lies.
TEST(CpuLanesTest, ALumaStaysWhileAnotherLaneComputes) {
  const Pipeline pipeline({conversion(PixelFormat::nv12)}, stream_of(PixelFormat::rgb24, 6, 4, {}),
                          Wanting(PixelFormat::gray8));
  ASSERT_EQ(pipeline.text(), "rgb24 -> nv12 -> (luma) gray8");
  const auto lanes = cpu_lanes(pipeline, 2, 1);
  std::ranges::fill(lanes[0]->source(), std::byte{255});
  std::ranges::fill(lanes[1]->source(), std::byte{0});
  lanes[0]->compute();
  lanes[1]->compute();
  test::expect_same(Bytes(24, std::byte{255}),
                    {lanes[0]->result().begin(), lanes[0]->result().end()});
}

}  // namespace
}  // namespace warpwise::live
