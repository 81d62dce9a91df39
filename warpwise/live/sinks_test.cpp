#include "warpwise/live/sinks.hpp"

#include <gtest/gtest.h>

#include "warpwise/base/samples.hpp"
#include "warpwise/live/depth.hpp"
#include "warpwise/live/file_testing.hpp"
#include "warpwise/live/pipeline.hpp"
#include "warpwise/live/sources.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;
using test::expect_same;
using test::failure;
using test::frames_of;
using test::random_frame;
using test::refusal;

class SinksTest : public test::FilesTest {};

TEST_F(SinksTest, Y4mIsReadAsItWasWritten) {
  struct Case {
    PixelFormat format;
    ColourTags tags;
  };
  const Case cases[] = {
      {PixelFormat::gray8, {.range = Range::full}},
      {PixelFormat::gray8, {.range = Range::limited}},
      {PixelFormat::i420, {.range = Range::limited, .siting = Siting::left}},
      {PixelFormat::i420, {.range = Range::full, .siting = Siting::centre}},
      {PixelFormat::i420, {.range = Range::limited, .siting = Siting::top_left}},
  };
  for (const Case& each : cases) {
    const Stream stream = stream_of(each.format, 7, 5, {30000, 1001}, {}, each.tags);
    const std::vector<Bytes> frames = {random_frame(stream, 1), random_frame(stream, 2)};
    const auto sink = y4m_sink(path("a.y4m"));
    EXPECT_EQ(sink->accepted_frames(stream).format, each.format);
    test::write_all(*sink, stream, frames);
    const auto source = y4m_source(path("a.y4m"), {});
    SCOPED_TRACE(stream.text());
    EXPECT_EQ(source->stream().text(), stream.text());
    const std::vector<Bytes> back = frames_of(*source);
    ASSERT_EQ(back.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) expect_same(frames[i], back[i]);
  }
}

TEST_F(SinksTest, Y4mOf444IsReadAsPixels) {
  const Stream stream = stream_of(PixelFormat::i444, 7, 5, {25, 1});
  const Bytes planes = random_frame(stream, 3);
  test::write_all(*y4m_sink(path("a.y4m")), stream, {planes});
  const auto source = y4m_source(path("a.y4m"), {});
  ASSERT_EQ(source->stream().format(), PixelFormat::ycbcr32);
  const Bytes pixels = frames_of(*source).at(0);
  for (std::size_t i = 0; i < 35; ++i) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      ASSERT_EQ(pixels[4 * i + channel], planes[35 * channel + i]);
    }
  }
}

TEST_F(SinksTest, Y4mKeepsTheBitsOfDeepFrames) {
  using io::DeepPlanes;
  for (const auto planes : {std::optional(DeepPlanes::yuv420), std::optional(DeepPlanes::yuv422),
                            std::optional(DeepPlanes::yuv444), std::optional<DeepPlanes>()}) {
    for (const Range range : {Range::limited, Range::full}) {
      for (const int depth : {9, 10, 12, 14, 16}) {
        const auto shape = planes ? io::PictureShape::of(*planes, 7, 5)
                                  : io::PictureShape::interleaved(ElementType::u16, 1, 7, 5);
        Stream stream = stream_of(shape, {25, 1}, {}, {.range = range});
        stream.depth = depth;
        Bytes frame = random_frame(stream, static_cast<unsigned>(depth));
        for (int plane = 0; plane < (planes ? 3 : 1); ++plane) {
          const auto table = levels(depth, 16, coding_of(stream, plane));
          const std::int64_t begin = shape.plane_begin(plane);
          const std::int64_t end = begin + shape.plane_width(plane) * shape.plane_height(plane);
          for (std::int64_t i = begin; i < end; ++i) {
            store(frame.data(), i, table[load<std::uint16_t>(frame.data(), i) % table.size()]);
          }
        }
        const auto sink = y4m_sink(path("a.y4m"));
        ASSERT_TRUE(sink->accepts_deep_frames(stream));
        test::write_all(*sink, stream, {frame});
        const auto source = y4m_source(path("a.y4m"), {});
        SCOPED_TRACE(stream.text());
        EXPECT_EQ(source->stream().shape.pixel_text(), shape.pixel_text());
        EXPECT_EQ(source->stream().depth, depth == 14 && !planes ? 16 : depth);
        expect_same(frame, frames_of(*source).at(0));
      }
    }
  }
}

// If the user states a range, deep samples are scaled by this range, not by the file's.
TEST_F(SinksTest, Y4mIsScaledByTheRangeThatIsSaid) {
  std::string file = "YUV4MPEG2 W1 H1 C420p10\nFRAME\n";
  file.append("\xff\x03\x00\x02\x00\x02", 6);
  write("a.y4m", file);
  const auto white = [&](const ColourTags& said) {
    const Bytes frame = frames_of(*y4m_source(path("a.y4m"), {.colours = said})).at(0);
    return load<std::uint16_t>(frame.data(), 0);
  };
  EXPECT_EQ(white({}), 1023 * 64);
  EXPECT_EQ(white({.range = Range::full}), 65535);
}

TEST_F(SinksTest, DeepColoursGoIntoY4mAs444) {
  Stream stream = stream_of(io::PictureShape::interleaved(ElementType::u16, 3, 4, 4), {}, {}, {});
  stream.depth = 10;
  const auto sink = y4m_sink(path("a.y4m"));
  const Pipeline pipeline({}, stream, *sink);
  EXPECT_EQ(pipeline.result().shape.planes, io::DeepPlanes::yuv444);
  EXPECT_EQ(pipeline.result().colours.range.value, Range::limited);
  EXPECT_FALSE(pipeline.rounds_to_8_bits());
}

TEST_F(SinksTest, Y4mOfDeepFramesSaysThatTheSitingIsDropped) {
  const auto shape = io::PictureShape::of(io::DeepPlanes::yuv420, 4, 4);
  const auto sink = y4m_sink(path("a.y4m"));
  const auto unstored_parts = [&](Siting siting) {
    return sink->unstored_parts(stream_of(shape, {}, {}, {.siting = siting}), nullptr);
  };
  EXPECT_EQ(unstored_parts(Siting::top_left), std::vector<std::string>{"the chroma siting"});
  EXPECT_TRUE(unstored_parts(Siting::left).empty());
}

void expect_same_samples(const ConstHostFrame& given, const ConstHostFrame& found) {
  for (int component = 0; component < 3; ++component) {
    const Samples from = samples_of(given.format(), component);
    const Samples to = samples_of(found.format(), component);
    const std::int64_t columns = component == 0 ? given.width() : (given.width() + 1) / 2;
    for (std::int64_t y = 0; y < plane_rows(given.format(), from.plane, given.height()); ++y) {
      for (std::int64_t x = 0; x < columns; ++x) {
        ASSERT_EQ(given.row(from.plane, y)[from.first + x * from.step],
                  found.row(to.plane, y)[to.first + x * to.step]);
      }
    }
  }
}

TEST_F(SinksTest, Y4mKeepsSharedChroma) {
  for (const PixelFormat format :
       {PixelFormat::nv12, PixelFormat::nv21, PixelFormat::yuyv, PixelFormat::uyvy}) {
    for (const auto& [width, height] : {std::pair(7, 5), std::pair(8, 6), std::pair(1, 1)}) {
      const Stream stream = stream_of(format, width, height, {25, 1});
      SCOPED_TRACE(stream.text());
      const std::vector<Bytes> frames = {random_frame(stream, 1), random_frame(stream, 2)};
      test::write_all(*y4m_sink(path("a.y4m")), stream, frames);
      const auto source = y4m_source(path("a.y4m"), {});
      const std::vector<Bytes> back = frames_of(*source);
      ASSERT_EQ(back.size(), 2U);
      for (std::size_t i = 0; i < 2; ++i) {
        expect_same_samples({frames[i].data(), format, width, height},
                            {back[i].data(), source->stream().format(), width, height});
      }
    }
  }
}

TEST_F(SinksTest, Y4mTakesWhatItHolds) {
  const auto sink = y4m_sink(path("a.y4m"));
  const auto taken = [&](PixelFormat format) {
    return sink->accepted_frames(stream_of(format, 4, 4, {}));
  };
  EXPECT_EQ(taken(PixelFormat::i420).format, PixelFormat::i420);
  EXPECT_EQ(taken(PixelFormat::nv12).format, PixelFormat::nv12);
  EXPECT_EQ(taken(PixelFormat::uyvy).format, PixelFormat::uyvy);
  EXPECT_EQ(taken(PixelFormat::ycbcr32).format, PixelFormat::i444);
  EXPECT_EQ(taken(PixelFormat::ycbcr32).range, std::nullopt) << "its own";
  EXPECT_EQ(taken(PixelFormat::rgb24).format, PixelFormat::i444);
  EXPECT_EQ(taken(PixelFormat::rgb24).range, Range::limited);
}

TEST_F(SinksTest, AY4mFileKeepsTheShapeOfPixels) {
  Stream stream = stream_of(PixelFormat::gray8, 2, 1, {});
  stream.pixel_aspect = {4, 3};
  test::write_all(*y4m_sink(path("a.y4m")), stream, {random_frame(stream, 1)});
  EXPECT_NE(read("a.y4m").find(" A4:3 "), std::string::npos);
  const PixelAspect back = y4m_source(path("a.y4m"), {})->stream().pixel_aspect;
  EXPECT_EQ(back.width, 4);
  EXPECT_EQ(back.height, 3);
}

TEST_F(SinksTest, AY4mFileSaysWhatItDrops) {
  Stream stream = stream_of(PixelFormat::gray8, 2, 1, {});
  const auto sink = y4m_sink(path("a.y4m"));
  EXPECT_TRUE(sink->unstored_parts(stream, nullptr).empty());
  stream.is_varying = true;
  stream.orientation = 6;
  stream.transfer = 18;
  EXPECT_EQ(sink->unstored_parts(stream, nullptr),
            (std::vector<std::string>{"varying frame durations (--fps makes them equal)",
                                      "the rotation tag", "the transfer function"}));
}

TEST_F(SinksTest, AY4mFileAppearsWhenItIsFinished) {
  const Stream stream = stream_of(PixelFormat::gray8, 2, 1, {});
  const auto sink = y4m_sink(path("a.y4m"));
  sink->begin(stream);
  sink->write(random_frame(stream, 1));
  EXPECT_FALSE(std::filesystem::exists(path("a.y4m")));
  sink->finish();
  EXPECT_EQ(names(), std::vector<std::string>{"a.y4m"});
  EXPECT_EQ(read("a.y4m").substr(0, 28), "YUV4MPEG2 W2 H1 F25:1 Ip A0:")
      << "25, where nothing is known";
}

TEST_F(SinksTest, PicturesAreCountedFromOne) {
  const Stream stream = stream_of(PixelFormat::gray8, 2, 1, {});
  const std::vector<Bytes> frames(11, random_frame(stream, 1));
  test::write_all(*picture_sink(path("new/%02d.npy")), stream, frames);
  EXPECT_EQ(failure([&] { picture_source(path("new"), {}); }), "");
  for (const char* name : {"new/01.npy", "new/09.npy", "new/11.npy"}) {
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(path("new/00.npy")));
  EXPECT_FALSE(std::filesystem::exists(path("new/12.npy")));
  test::write_all(*picture_sink(path("a%d-b.npy")), stream, {frames[0]});
  EXPECT_EQ(names(), (std::vector<std::string>{"a1-b.npy", "new"}));
}

TEST_F(SinksTest, PicturesAreGreyOrRgb) {
  const auto sink = picture_sink(path("%d.npy"));
  EXPECT_EQ(sink->accepted_frames(stream_of(PixelFormat::gray8, 4, 4, {})).format,
            PixelFormat::gray8);
  EXPECT_EQ(sink->accepted_frames(stream_of(PixelFormat::i420, 4, 4, {})).format,
            PixelFormat::rgb24);
  const Stream rgb = stream_of(PixelFormat::rgb24, 5, 3, {});
  const Bytes frame = random_frame(rgb, 1);
  test::write_all(*sink, rgb, {frame});
  const auto source = picture_source(path("1.npy"), {});
  EXPECT_EQ(source->stream().format(), PixelFormat::rgb24);
  expect_same(frame, frames_of(*source).at(0));
}

TEST_F(SinksTest, NamesThatAreNoPattern) {
  const std::pair<const char*, const char*> cases[] = {{"a.png", "is one picture"},
                                                       {"%.png", "is one picture"},
                                                       {"%xd.png", "needs one number"},
                                                       {"%d%d.png", "needs one number"},
                                                       {"%-5d.png", "needs one number"},
                                                       {"%123d.png", "needs one number"},
                                                       {"%005d.png", "needs one number"},
                                                       {"%d.gif", "gif"},
                                                       {"%d", "cannot"}};
  for (const auto& [name, words] : cases) {
    const std::string said = refusal([&] { picture_sink(path(name)); });
    EXPECT_NE(said.find(words), std::string::npos) << name << ": " << said;
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(SinksTest, ANameThatIsTooLongFailsWhereItIsWritten) {
  const Stream stream = stream_of(PixelFormat::gray8, 2, 1, {});
  const std::string name = path(std::string(300, 'a') + "%d.npy");
  const auto sink = picture_sink(name);
  sink->begin(stream);
  EXPECT_NE(failure([&] { sink->write(random_frame(stream, 1)); }).find("too long"),
            std::string::npos);
}

TEST(PipeSinkTest, TakesTheFormatsOfConvert) {
  for (const PixelFormat format : frame_destinations) {
    const auto sink = pipe_sink(std::string(name_of(format)));
    EXPECT_EQ(sink->accepted_frames(stream_of(PixelFormat::i420, 4, 4, {})).format, format);
  }
  for (const char* text : {"", "i422", "rgb", "rgb24:4x4"}) {
    EXPECT_NE(refusal([&] { pipe_sink(text); }).find("rgb24"), std::string::npos) << text;
  }
}

TEST(OpenSinkTest, NamesThatAreNoSink) {
  for (const char* name : {"a.txt", "a:b", "/dev/full", "a.wmv"}) {
    EXPECT_NE(refusal([&] { open_sink(name); }).find("is no frame sink"), std::string::npos)
        << name;
  }
  EXPECT_EQ(open_sink("a-new-folder")->name(), "a-new-folder/");
  EXPECT_EQ(open_sink("null")->name(), "null");
}

}  // namespace
}  // namespace warpwise::live
