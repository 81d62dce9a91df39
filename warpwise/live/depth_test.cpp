// Tests frames of more than 8 bits. The program ffmpeg makes and reads the files.
#include <cmath>
#include <cstring>

#include "warpwise/base/samples.hpp"
#include "warpwise/live/depth.hpp"
#include "warpwise/live/lane.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/live/video_testing.hpp"

namespace warpwise::live::test {
namespace {

constexpr Coding codings[] = {Coding::limited, Coding::full, Coding::full_chroma};

// Converts a code of `from` bits to `to` bits in double precision. The result is not rounded.
double level_of(double code, int from, int to, Coding coding) {
  if (coding == Coding::limited) return code * std::exp2(to - from);
  const double scaled = (std::exp2(to) - 1) / (std::exp2(from) - 1);
  if (coding == Coding::full) return code * scaled;
  return (code - std::exp2(from - 1)) * scaled + std::exp2(to - 1);
}

TEST(Levels, AreTheRealValuesRoundedHalfUp) {
  for (const Coding coding : codings) {
    for (int from = 8; from <= 16; ++from) {
      for (int to = 8; to <= 16; ++to) {
        const std::vector<std::uint16_t> table = levels(from, to, coding);
        ASSERT_EQ(table.size(), std::size_t{1} << from);
        for (std::size_t code = 0; code < table.size(); ++code) {
          // 2^-20 makes inexact halves round up. All other values are 2^-17 or more off a half.
          const double real = level_of(static_cast<double>(code), from, to, coding) + 0x1p-20;
          const double most = std::exp2(to) - 1;
          ASSERT_EQ(table[code], std::clamp(std::floor(real + 0.5), 0.0, most))
              << from << " to " << to << " bits, code " << code;
        }
      }
    }
  }
}

TEST(Levels, ComeBackFromSixteenBits) {
  for (const Coding coding : codings) {
    for (int bits = 9; bits <= 16; ++bits) {
      const std::vector<std::uint16_t> there = levels(bits, 16, coding);
      const std::vector<std::uint16_t> back = levels(16, bits, coding);
      for (std::size_t code = 0; code < there.size(); ++code) ASSERT_EQ(back[there[code]], code);
    }
  }
}

std::vector<std::uint16_t> words_of(const Bytes& bytes) {
  std::vector<std::uint16_t> words(bytes.size() / 2);
  std::memcpy(words.data(), bytes.data(), 2 * words.size());
  return words;
}

/// A file that ffmpeg makes, and the pixel format to which ffmpeg decodes it.
struct Made {
  const char* name;
  const char* options;
  // ffmpeg's pixel format for the decoded frames
  const char* pixels;
  const char* text;
};
constexpr Made made[] = {
    {"420p10.mkv", "-c:v ffv1 -level 3 -pix_fmt yuv420p10le", "yuv420p10le",
     "yuv420p16 from 10 bits"},
    {"420p12.mkv", "-c:v ffv1 -pix_fmt yuv420p12le", "yuv420p12le", "yuv420p16 from 12 bits"},
    {"422p10.mkv", "-c:v ffv1 -pix_fmt yuv422p10le", "yuv422p10le", "yuv422p16 from 10 bits"},
    {"422p12.mkv", "-c:v ffv1 -pix_fmt yuv422p12le", "yuv422p12le", "yuv422p16 from 12 bits"},
    {"444p10.mkv", "-c:v ffv1 -pix_fmt yuv444p10le", "yuv444p10le", "yuv444p16 from 10 bits"},
    {"444p12.mkv", "-c:v ffv1 -pix_fmt yuv444p12le", "yuv444p12le", "yuv444p16 from 12 bits"},
    {"444p16.mkv", "-c:v ffv1 -pix_fmt yuv444p16le", "yuv444p16le", "yuv444p16, "},
    {"420p9.mkv", "-c:v ffv1 -pix_fmt yuv420p9le", "yuv420p9le", "yuv420p16 from 9 bits"},
    {"gray10.mkv", "-c:v ffv1 -pix_fmt gray10le", "gray10le", "u16 from 10 bits, full"},
    {"gray12.mkv", "-c:v ffv1 -pix_fmt gray12le", "gray12le", "u16 from 12 bits, full"},
    {"gray16.mkv", "-c:v ffv1 -pix_fmt gray16le", "gray16le", "u16, full"},
    {"h264.mp4", "-c:v libx264 -pix_fmt yuv420p10le", "yuv420p10le", "yuv420p16 from 10 bits"},
    {"hevc.mp4", "-c:v libx265 -x265-params log-level=none -pix_fmt yuv420p10le", "yuv420p10le",
     "yuv420p16 from 10 bits"},
    {"vp9.webm", "-c:v libvpx-vp9 -pix_fmt yuv420p10le", "yuv420p10le", "yuv420p16 from 10 bits"},
    {"av1.mkv", "-c:v libaom-av1 -cpu-used 8 -pix_fmt yuv420p10le", "yuv420p10le",
     "yuv420p16 from 10 bits"},
    {"prores.mov", "-c:v prores_ks -profile:v 3 -pix_fmt yuv422p10le", "yuv422p10le",
     "yuv422p16 from 10 bits"},
    {"dnxhr.mov", "-s 256x128 -c:v dnxhd -profile:v dnxhr_hqx -pix_fmt yuv422p10le", "yuv422p10le",
     "yuv422p16 from 10 bits"},
    {"v210.mov", "-c:v v210", "yuv422p10le", "yuv422p16 from 10 bits"},
};

class DeepVideo : public VideoTest {
 protected:
  void make(const std::string& name, const std::string& options) const {
    ffmpeg("-f lavfi -i testsrc2=s=94x66:r=10 -frames:v 3 " + options + " " + name);
  }
};

TEST_F(DeepVideo, EverySampleIsRead) {
  for (const Made& file : made) {
    SCOPED_TRACE(file.name);
    make(file.name, file.options);
    const auto source = open(file.name);
    const Stream& stream = source->stream();
    EXPECT_NE(stream.text().find(file.text), std::string::npos) << stream.text();
    const Coding luma = coding_of(stream, 0);
    const std::vector<std::uint16_t> table = levels(stream.depth, 16, luma);
    std::vector<std::uint16_t> expected = words_of(decoded(file.name, file.pixels));
    for (std::uint16_t& each : expected) each = table[each];
    EXPECT_EQ(words_of(joined(frames_of(*source))), expected);
  }
}

TEST_F(DeepVideo, ColoursInPlanesAndInPixelsAreRead) {
  for (const std::string pixels : {"gbrp10le", "gbrp12le", "gbrp16le", "rgb48le"}) {
    SCOPED_TRACE(pixels);
    make("a.mkv", "-c:v ffv1 -pix_fmt " + pixels);
    const auto source = open("a.mkv");
    const Stream& stream = source->stream();
    const std::vector<std::uint16_t> table = levels(stream.depth, 16, Coding::full);
    std::vector<std::uint16_t> expected = words_of(decoded("a.mkv", pixels));
    if (pixels != "rgb48le") {
      const auto pixels_of_frame =
          static_cast<std::size_t>(stream.shape.width * stream.shape.height);
      const std::vector<std::uint16_t> planes = expected;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t frame = i / (3 * pixels_of_frame);
        const std::size_t plane = (i % 3 + 2) % 3;  // ffmpeg's planes are green, blue, red
        expected[i] = planes[(3 * frame + plane) * pixels_of_frame + i / 3 % pixels_of_frame];
      }
    }
    for (std::uint16_t& each : expected) each = table[each];
    EXPECT_EQ(words_of(joined(frames_of(*source))), expected);
  }
}

Bytes planes_of_444(const Bytes& ycbcr32) {
  Bytes planes;
  for (std::size_t component = 0; component < 3; ++component) {
    for (std::size_t i = component; i < ycbcr32.size(); i += 4) planes.push_back(ycbcr32[i]);
  }
  return planes;
}

// Sources repeat the chroma samples of 4:1:1, 4:1:0 and 4:4:0.
TEST_F(DeepVideo, ChromaIsRepeated) {
  struct Repeated {
    const char* pixels;
    const char* same;  // ffmpeg's name of the result's pixels; null for 4:4:4
    int across, down;  // pixels that share a chroma sample
    int kept_across, kept_down;
  };
  for (const auto& [pixels, same, across, down, kept_across, kept_down] :
       {Repeated{"yuv411p", "yuv422p", 4, 1, 2, 1}, Repeated{"yuv410p", "yuv420p", 4, 4, 2, 2},
        Repeated{"yuv440p", nullptr, 1, 2, 1, 1}}) {
    SCOPED_TRACE(pixels);
    ffmpeg("-f lavfi -i testsrc2 -vf scale=45:39 -frames:v 1 -c:v ffv1 -pix_fmt " +
           std::string(pixels) + " a.mkv");
    const Bytes stored = decoded("a.mkv", pixels);
    const auto source = open("a.mkv");
    EXPECT_NE(source->name().find("chroma of " + std::string(pixels) + " repeated"),
              std::string::npos);
    Bytes result = frames_of(*source).front();
    if (source->stream().format() == PixelFormat::ycbcr32) {
      result = planes_of_444(result);
    } else {
      write("b.mkv", source->stream(), {result});
      result = decoded("b.mkv", same);
    }
    const std::size_t luma = 45 * 39;
    ASSERT_TRUE(std::equal(result.begin(), result.begin() + luma, stored.begin()));
    const auto parts = [](int length, int of) { return (length + of - 1) / of; };
    for (int plane = 0; plane < 2; ++plane) {
      for (int y = 0; y < parts(39, kept_down); ++y) {
        for (int x = 0; x < parts(45, kept_across); ++x) {
          const int from = (plane * parts(39, down) + y * kept_down / down) * parts(45, across) +
                           x * kept_across / across;
          const int to = (plane * parts(39, kept_down) + y) * parts(45, kept_across) + x;
          ASSERT_EQ(result[luma + to], stored[luma + from]) << plane << ' ' << x << ' ' << y;
        }
      }
    }
  }
}

Stream deep_stream(const io::PictureShape& shape, int depth, Range range) {
  Stream stream = stream_of(shape, {25, 1}, {}, {.range = range});
  stream.depth = depth;
  return stream;
}

// Makes random samples of the stream's depth.
Bytes random_samples(const Stream& stream, unsigned seed) {
  Bytes bytes = random_bytes(stream.shape.bytes(), seed);
  const std::vector<std::uint16_t> table = levels(stream.depth, 16, coding_of(stream, 0));
  for (std::size_t i = 0; i < bytes.size() / 2; ++i) {
    const auto sample = static_cast<std::size_t>(load<std::uint16_t>(bytes.data(), i));
    warpwise::store(bytes.data(), static_cast<std::int64_t>(i),
                    table[sample >> (16 - stream.depth)]);
  }
  return bytes;
}

TEST_F(DeepVideo, MkvKeepsEverySample) {
  struct Kept {
    io::PictureShape shape;
    Range range;
  };
  for (const auto& [width, height] : {Size{64, 48}, Size{53, 37}, Size{1, 1}}) {
    std::vector<Kept> kept = {
        {io::PictureShape::interleaved(ElementType::u16, 1, width, height), Range::full},
        {io::PictureShape::interleaved(ElementType::u16, 1, width, height), Range::limited},
        {io::PictureShape::interleaved(ElementType::u16, 3, width, height), Range::full},
        {io::PictureShape::interleaved(ElementType::u16, 4, width, height), Range::full}};
    for (const io::DeepPlanes planes : io::all_deep_planes) {
      kept.push_back({io::PictureShape::of(planes, width, height), Range::limited});
    }
    for (const auto& [shape, range] : kept) {
      for (const int depth : {10, 12, 16}) {
        const Stream stream = deep_stream(shape, depth, range);
        SCOPED_TRACE(stream.text());
        ASSERT_TRUE(video_module().create(path("a.mkv"))->accepts_deep_frames(stream));
        const std::vector<Bytes> frames = {random_samples(stream, 1), random_samples(stream, 2)};
        write("a.mkv", stream, frames);
        const auto source = open("a.mkv");
        EXPECT_EQ(source->stream().depth, depth);
        EXPECT_EQ(source->stream().shape.pixel_text(), shape.pixel_text());
        EXPECT_EQ(frames_of(*source), frames);
      }
    }
  }
}

// Makes a smooth frame, so that a lossy file's frame is close to it.
Bytes ramp(const io::PictureShape& shape) {
  Bytes frame(static_cast<std::size_t>(shape.bytes()));
  for (std::size_t i = 0; i < frame.size() / 2; ++i) {
    warpwise::store(frame.data(), static_cast<std::int64_t>(i),
                    static_cast<std::uint16_t>(20000 + i % 6144 * 4));
  }
  return frame;
}

TEST_F(DeepVideo, Mp4IsHevcOfTenBits) {
  for (const io::DeepPlanes planes : io::all_deep_planes) {
    Stream stream = deep_stream(io::PictureShape::of(planes, 96, 64), 10, Range::limited);
    stream.transfer = 16;  // PQ
    stream.primaries = 9;
    SCOPED_TRACE(stream.text());
    const auto sink = video_module().create(path("a.mp4"));
    ASSERT_TRUE(sink->accepts_deep_frames(stream));
    EXPECT_TRUE(sink->unstored_parts(stream, nullptr).empty());
    write_all(*sink, stream, {ramp(stream.shape), ramp(stream.shape)});
    const auto source = open("a.mp4");
    EXPECT_NE(source->name().find("(hevc)"), std::string::npos);
    EXPECT_EQ(source->stream().shape.pixel_text(), name_of(planes));
    EXPECT_EQ(source->stream().depth, 10);
    EXPECT_EQ(source->stream().transfer, 16);
    EXPECT_EQ(source->stream().primaries, 9);
    EXPECT_NE(source->stream().text().find("transfer pq (tag)"), std::string::npos);
    const auto result = words_of(frames_of(*source).front());
    const auto given = words_of(ramp(stream.shape));
    double sum = 0;
    for (std::size_t i = 0; i < given.size(); ++i) sum += std::abs(result[i] - given[i]);
    EXPECT_LT(sum / static_cast<double>(given.size()), 2 * 64) << "two levels of 10 bits";
  }
}

TEST_F(DeepVideo, GreyOfMp4HasNeutralChroma) {
  const auto shape = io::PictureShape::interleaved(ElementType::u16, 1, 96, 64);
  const Stream stream = deep_stream(shape, 16, Range::full);
  const auto sink = video_module().create(path("a.mp4"));
  ASSERT_TRUE(sink->accepts_deep_frames(stream));
  EXPECT_EQ(sink->unstored_parts(stream, nullptr), std::vector<std::string>{"more than 10 bits"});
  write_all(*sink, stream, {ramp(shape)});
  const auto words = words_of(decoded("a.mp4", "yuv420p10le"));
  for (std::size_t i = 96 * 64; i < words.size(); ++i) ASSERT_NEAR(words[i], 512, 1);
}

TEST_F(DeepVideo, OneFrameIsAnMp4File) {
  const Stream stream =
      deep_stream(io::PictureShape::of(io::DeepPlanes::yuv420, 96, 64), 10, Range::limited);
  write("a.mp4", stream, {ramp(stream.shape)});
  EXPECT_EQ(frames_of(*open("a.mp4")).size(), 1);
  const Stream small =
      deep_stream(io::PictureShape::of(io::DeepPlanes::yuv420, 62, 64), 10, Range::limited);
  EXPECT_FALSE(video_module().create(path("a.mp4"))->accepts_deep_frames(small));
}

TEST_F(DeepVideo, OtherSinksRoundToEightBits) {
  const Stream stream =
      deep_stream(io::PictureShape::of(io::DeepPlanes::yuv420, 64, 48), 10, Range::limited);
  const auto sink = video_module().create(path("a.avi"));
  EXPECT_FALSE(sink->accepts_deep_frames(stream));
  const Pipeline pipeline({}, stream, *sink);
  EXPECT_TRUE(pipeline.rounds_to_8_bits());
  EXPECT_EQ(pipeline.steps().front().to.shape.format, PixelFormat::i420);
}

TEST(Narrowed, SamplesAreRounded) {
  for (const io::DeepPlanes planes : io::all_deep_planes) {
    const Stream deep = deep_stream(io::PictureShape::of(planes, 5, 3), 16, Range::full);
    const auto stage = narrow_stage();
    const Stream narrow = stage->begin(deep);
    const Bytes from = random_bytes(deep.shape.bytes(), 7);
    Bytes to(static_cast<std::size_t>(narrow.shape.bytes()));
    stage->run(HostSource{deep.shape, from.data()}, HostResult{narrow.shape, to.data()});
    const ConstHostFrame frame(to.data(), narrow.format(), 5, 3);
    std::int64_t next = 0;
    for (int component = 0; component < 3; ++component) {
      const Samples at = samples_of(narrow.format(), component);
      for (std::int64_t y = 0; y < deep.shape.plane_height(component); ++y) {
        for (std::int64_t x = 0; x < deep.shape.plane_width(component); ++x) {
          const double code = load<std::uint16_t>(from.data(), next++);
          const double real = level_of(code, 16, 8, coding_of(deep, component));
          ASSERT_EQ(std::to_integer<int>(frame.row(at.plane, y)[at.first + x * at.step]),
                    std::clamp(std::floor(real + 0.5), 0.0, 255.0));
        }
      }
    }
  }
}

// The stages sobel and threshold compute from the luma of 16 bits, without rounding it to 8 bits.
TEST_F(DeepVideo, StagesReadTheLuma) {
  make("a.mkv", "-c:v ffv1 -pix_fmt yuv422p12le");
  const auto source = open("a.mkv");
  const io::PictureShape& shape = source->stream().shape;
  const Bytes frame = frames_of(*source).front();
  const ConstHostView luma(frame.data(), ElementType::u16, shape.width, shape.height);
  const ThresholdOptions options{.window = 7, .offset = 300, .maximum = 65535};
  for (const bool is_sobel : {true, false}) {
    const auto again = open("a.mkv");
    const std::shared_ptr<Stage> stage =
        is_sobel ? sobel_stage("sobel")
                 : threshold_stage("threshold", {.window = 7, .offset = 300}, true);
    const Pipeline pipeline({stage}, again->stream(), *video_module().create(path("b.mkv")));
    EXPECT_EQ(pipeline.steps().size(), 2) << "the luma's plane, and the stage";
    EXPECT_FALSE(pipeline.rounds_to_8_bits());
    EXPECT_EQ(pipeline.result().shape.pixel_text(), "u16");
    const auto lane = std::move(cpu_lanes(pipeline, 1, 1).front());
    ASSERT_TRUE(lane->read(*again));
    lane->compute();
    Image expected(ElementType::u16, shape.width, shape.height);
    is_sobel ? reference::sobel(luma, expected.view())
             : reference::threshold(luma, expected.view(), options);
    const std::span<const std::byte> result = lane->result();
    ASSERT_EQ(static_cast<std::int64_t>(result.size()), 2 * shape.width * shape.height);
    for (std::int64_t y = 0; y < shape.height; ++y) {
      EXPECT_EQ(std::memcmp(result.data() + 2 * y * shape.width, expected.view().row(y),
                            static_cast<std::size_t>(2 * shape.width)),
                0);
    }
  }
}

TEST(DeepThreshold, HasTheMaximumAndTheWindowsOfSixteenBits) {
  const Stream stream =
      deep_stream(io::PictureShape::interleaved(ElementType::u16, 1, 8, 8), 10, Range::full);
  const auto begin = [&](const ThresholdOptions& options) {
    return refusal([&] { threshold_stage("", options)->begin(stream); });
  };
  EXPECT_EQ(begin({.maximum = 65535}), "");
  EXPECT_NE(begin({.window = 9999999}).find("from 1 to 8388607"), std::string::npos);
}

TEST_F(DeepVideo, FramesAreTurned) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=96x64 -frames:v 1 -c:v libx265 -x265-params log-level=none "
      "-pix_fmt yuv420p10le flat.mp4");
  ffmpeg("-i flat.mp4 -c copy -metadata:s:v:0 rotate=90 a.mp4");
  ffmpeg("-i a.mp4 -c:v ffv1 upright.mkv");
  const auto source = open("a.mp4");
  EXPECT_EQ(source->stream().shape.width, 64);
  EXPECT_EQ(frames_of(*source), frames_of(*open("upright.mkv")));
}

}  // namespace
}  // namespace warpwise::live::test
