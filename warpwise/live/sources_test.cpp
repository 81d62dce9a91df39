#include "warpwise/live/sources.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/file_testing.hpp"
#include "warpwise/primitives/convert/share_chroma.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;
using test::expect_same;
using test::failure;
using test::frames_of;
using test::refusal;

struct Size {
  std::int64_t width;
  std::int64_t height;
};
constexpr std::array sizes = {Size{1, 1}, Size{2, 2}, Size{7, 5}, Size{1, 9}, Size{40, 31}};

std::unique_ptr<Source> pattern(const std::string& name, PixelFormat format, Size size) {
  SourceOptions options;
  options.format = format;
  options.width = size.width;
  options.height = size.height;
  return pattern_source(name, options);
}

Bytes next_of(Source& source) {
  Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
  EXPECT_TRUE(source.next(frame));
  return frame;
}

Bytes as_rgb(const Stream& from, const Bytes& frame) {
  ConvertOptions options;
  options.matrix = from.colours.matrix.value;
  if (has_luma(from.format())) options.from_range = from.colours.range.value;
  if (from.format() == PixelFormat::gray8) options.from_range.reset();
  const auto [width, height] = std::pair(from.shape.width, from.shape.height);
  Bytes rgb(static_cast<std::size_t>(3 * width * height));
  reference::convert(HostSource{from.shape, frame.data()}.frame(),
                     HostFrame(rgb.data(), PixelFormat::rgb24, width, height), options);
  return rgb;
}

int at(const Bytes& bytes, std::int64_t index) {
  return std::to_integer<int>(bytes[static_cast<std::size_t>(index)]);
}

// Returns true if the pixels of the 2x2 block around (x, y), which may share chroma, are equal.
bool is_plain(const Bytes& rgb, Size size, std::int64_t x, std::int64_t y) {
  for (std::int64_t row = y / 2 * 2; row < std::min(y / 2 * 2 + 2, size.height); ++row) {
    for (std::int64_t column = x / 2 * 2; column < std::min(x / 2 * 2 + 2, size.width); ++column) {
      for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t here = 3 * (y * size.width + x);
        if (at(rgb, 3 * (row * size.width + column) + i) != at(rgb, here + i)) return false;
      }
    }
  }
  return true;
}

TEST(PatternSourceTest, EveryFormatShowsTheSame) {
  for (const PixelFormat format : convert_sources) {
    for (const Size size : sizes) {
      for (const char* name : {"bars", "zone"}) {
        // Skips bars in grey, because grey cannot show their colours. Only bars have varying
        // chroma: the rings of "zone" are grey.
        if (format == PixelFormat::gray8 && name == std::string("bars")) continue;
        const auto rgb = pattern(name, PixelFormat::rgb24, size);
        const auto other = pattern(name, format, size);
        EXPECT_EQ(other->stream().format(), format);
        for (int frame = 0; frame < 9; ++frame) {
          const Bytes expected = next_of(*rgb);
          const Bytes actual = as_rgb(other->stream(), next_of(*other));
          for (std::int64_t i = 0; i < 3 * size.width * size.height; ++i) {
            const std::int64_t x = i / 3 % size.width, y = i / 3 / size.width;
            if (name == std::string("bars") && !is_plain(expected, size, x, y)) continue;
            // Rounding luma and chroma by half a code changes a colour by up to 1.7 levels.
            ASSERT_NEAR(at(actual, i), at(expected, i), 2)
                << name << " " << other->stream().text() << " at " << x << "," << y;
          }
        }
      }
    }
  }
}

TEST(PatternSourceTest, BarsHaveTheirColoursAndASquareThatMoves) {
  const auto source = pattern("bars", PixelFormat::rgb24, {64, 48});
  const int red[] = {191, 191, 0, 0, 191, 191, 0, 0};
  const int green[] = {191, 191, 191, 191, 0, 0, 0, 0};
  const int blue[] = {191, 0, 191, 0, 191, 0, 191, 0};
  std::vector<Bytes> frames;
  for (int i = 0; i < 9; ++i) frames.push_back(next_of(*source));
  for (int bar = 0; bar < 8; ++bar) {
    EXPECT_EQ(at(frames[0], 3 * (8 * bar + 4)), red[bar]);
    EXPECT_EQ(at(frames[0], 3 * (8 * bar + 4) + 1), green[bar]);
    EXPECT_EQ(at(frames[0], 3 * (8 * bar + 4) + 2), blue[bar]);
    EXPECT_EQ(at(frames[bar], 3 * (24 * 64 + 8 * bar + 2)), 255) << "the square, frame " << bar;
    EXPECT_LT(at(frames[(bar + 1) % 8], 3 * (24 * 64 + 8 * bar + 2)), 255);
  }
  expect_same(frames[0], frames[8]);
}

TEST(PatternSourceTest, NoiseHasNoPattern) {
  const auto source = pattern("noise", PixelFormat::rgb24, {64, 64});
  const Bytes first = next_of(*source), second = next_of(*source);
  double sum = 0;
  int same = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    sum += std::to_integer<int>(first[i]);
    same += first[i] == second[i] ? 1 : 0;
  }
  EXPECT_NEAR(sum / static_cast<double>(first.size()), 127.5, 3);
  EXPECT_LT(same, static_cast<int>(first.size() / 64)) << "one byte of 256 is the same by chance";
}

TEST(PatternSourceTest, OptionsAndRefusals) {
  EXPECT_EQ(pattern_source("bars", {})->stream().text(), "1280x720 rgb24, 30 fps");
  SourceOptions options;
  options.format = PixelFormat::i420;
  options.rate = Rate{30000, 1001};
  options.width = options.height = 8;
  options.colours = {.matrix = Matrix::bt2020, .range = Range::full};
  EXPECT_EQ(pattern_source("zone", options)->stream().text(),
            "8x8 i420, bt2020 (option), full (option), chroma centre (tag), 29.97 fps");
  EXPECT_NE(refusal([] { pattern_source("stripes", {}); }).find("test:bars"), std::string::npos);
}

// Returns the offset in a frame of the byte of a pixel's `channel` (0 luma, 1 Cb, 2 Cr).
std::int64_t place(PixelFormat format, int channel, std::int64_t x, std::int64_t y, Size size) {
  const std::int64_t half = (size.width + 1) / 2, pixels = size.width * size.height;
  const std::int64_t quarter = half * ((size.height + 1) / 2);
  const int second = channel - 1;
  switch (format) {
    case PixelFormat::i420:
      return channel == 0 ? y * size.width + x : pixels + second * quarter + y / 2 * half + x / 2;
    case PixelFormat::nv12:
      return channel == 0 ? y * size.width + x : pixels + 2 * (y / 2 * half + x / 2) + second;
    case PixelFormat::nv21:
      return channel == 0 ? y * size.width + x : pixels + 2 * (y / 2 * half + x / 2) + 1 - second;
    case PixelFormat::yuyv:
      return 4 * (y * half + x / 2) + (channel == 0 ? x % 2 * 2 : 2 * channel - 1);
    case PixelFormat::uyvy:
      return 4 * (y * half + x / 2) + (channel == 0 ? x % 2 * 2 + 1 : 2 * second);
    case PixelFormat::ycbcr32: return 4 * (y * size.width + x) + channel;
    case PixelFormat::ycrcb24: return 3 * (y * size.width + x) + (channel == 0 ? 0 : 3 - channel);
    default: return channel * pixels + y * size.width + x;
  }
}

// Returns the mean, rounded half up, of `channel` over the pixels that share the sample of (x, y).
std::byte mean_of(const Bytes& i444, PixelFormat format, int channel, std::int64_t x,
                  std::int64_t y, Size size) {
  double sum = 0, count = 0;
  for (std::int64_t row = 0; row < size.height; ++row) {
    for (std::int64_t column = 0; column < size.width; ++column) {
      if (place(format, channel, column, row, size) != place(format, channel, x, y, size)) continue;
      sum += at(i444, place(PixelFormat::i444, channel, column, row, size));
      count += 1;
    }
  }
  return static_cast<std::byte>(std::floor(sum / count + 0.5));
}

TEST(ShareChromaTest, IsTheMeanOfThePixelsThatShareASample) {
  constexpr std::array formats = {PixelFormat::i420,    PixelFormat::nv12, PixelFormat::nv21,
                                  PixelFormat::yuyv,    PixelFormat::uyvy, PixelFormat::ycbcr32,
                                  PixelFormat::ycrcb24, PixelFormat::i444};
  for (const PixelFormat format : formats) {
    for (const Size size : {Size{1, 1}, Size{2, 1}, Size{1, 2}, Size{7, 5}, Size{8, 6}}) {
      const Stream from = stream_of(PixelFormat::i444, size.width, size.height, {});
      const Stream to = stream_of(format, size.width, size.height, {});
      const Bytes source = test::random_frame(from, 7);
      Bytes expected(static_cast<std::size_t>(to.shape.bytes()), std::byte{255});
      Bytes actual(expected.size());
      for (std::int64_t y = 0; y < size.height; ++y) {
        for (std::int64_t x = 0; x < size.width; ++x) {
          for (int channel = 0; channel < 3; ++channel) {
            expected[static_cast<std::size_t>(place(format, channel, x, y, size))] =
                mean_of(source, format, channel, x, y, size);
          }
          // The missing pixel at an odd width repeats the last luma.
          const bool is_packed = format == PixelFormat::yuyv || format == PixelFormat::uyvy;
          if (is_packed && x % 2 == 0 && x + 1 == size.width) {
            expected[static_cast<std::size_t>(place(format, 0, x + 1, y, size))] =
                expected[static_cast<std::size_t>(place(format, 0, x, y, size))];
          }
        }
      }
      share_chroma(HostSource{from.shape, source.data()}.frame(),
                   HostResult{to.shape, actual.data()}.frame());
      SCOPED_TRACE(to.text());
      expect_same(expected, actual);
    }
  }
}

TEST(ShareChromaTest, RefusesOtherFormatsAndSizes) {
  Bytes memory(64);
  const auto frame = [&](PixelFormat format, std::int64_t width) {
    return HostFrame(memory.data(), format, width, 2);
  };
  EXPECT_THROW(share_chroma(frame(PixelFormat::i444, 4), frame(PixelFormat::rgb24, 4)),
               InvalidArgument);
  EXPECT_THROW(share_chroma(frame(PixelFormat::i420, 4), frame(PixelFormat::i420, 4)),
               InvalidArgument);
  EXPECT_THROW(share_chroma(frame(PixelFormat::i444, 4), frame(PixelFormat::i420, 3)),
               InvalidArgument);
}

TEST(ParseTest, Rates) {
  const std::pair<const char*, Rate> good[] = {
      {"30", {30000, 1000}},         {"29.97", {30000, 1001}}, {"23.976", {24000, 1001}},
      {"59.94", {60000, 1001}},      {"12.5", {12500, 1000}},  {"0.5", {500, 1000}},
      {"0.001", {1, 1000}},          {"0.004", {4, 1000}},     {"1000000", {1000000000, 1000}},
      {"30000/1001", {30000, 1001}}, {"25/1", {25, 1}},        {"1/1000", {1, 1000}}};
  for (const auto& [text, rate] : good) {
    EXPECT_DOUBLE_EQ(parse_rate(text).per_second(), rate.per_second()) << text;
  }
  // Rates below 0.001 are refused: a frame that lasts years is too long for a timed wait.
  for (const char* text : {"",
                           "0",
                           "-1",
                           "nan",
                           "inf",
                           "1e9",
                           "30fps",
                           " 30",
                           "30 ",
                           "+30",
                           "/",
                           "1/",
                           "/1",
                           "1/0",
                           "0/1",
                           "30/-1",
                           "30/1/1",
                           "30:1",
                           "0.0001",
                           "1/9223372036854775807",
                           "1/1001",
                           "9223372036854775807/1",
                           "99999999999999999999/1"}) {
    EXPECT_NE(refusal([&] { parse_rate(text); }).find("is no rate such as 30"), std::string::npos)
        << text;
  }
}

TEST(ParseTest, Sizes) {
  const FrameSize size = parse_frame_size("1280x720");
  EXPECT_EQ(size.width, 1280);
  EXPECT_EQ(size.height, 720);
  for (const char* text :
       {"", "x", "1280", "1280x", "x720", "0x720", "1280x0", "-1x720", "1280X720", "1280x720x3",
        "1280 x 720", "12.5x3", "99999999999999999999x1"}) {
    EXPECT_NE(refusal([&] { parse_frame_size(text); }).find("is no size such as 1280x720"),
              std::string::npos)
        << text;
  }
}

TEST(ParseTest, Formats) {
  for (const PixelFormat format : convert_sources) {
    EXPECT_EQ(parse_format(std::string(name_of(format))), format);
  }
  for (const char* text : {"", "RGB24", "rgb", "ycrcb24", "i444", "rgb24 "}) {
    EXPECT_NE(refusal([&] { parse_format(text); }).find("rgb24, bgr24"), std::string::npos) << text;
  }
}

TEST(PipeSourceTest, ItsNameSaysAll) {
  SourceOptions options;
  options.rate = Rate{10, 1};
  EXPECT_EQ(pipe_source("rgb24:3x2@30", options)->stream().text(), "3x2 rgb24, 10 fps");
  EXPECT_EQ(pipe_source("rgb24:3x2@30", {})->stream().text(), "3x2 rgb24, 30 fps");
  EXPECT_EQ(pipe_source("rgb24:3x2", options)->stream().text(), "3x2 rgb24, 10 fps");
  EXPECT_EQ(pipe_source("nv12:3x2@30000/1001", {})->stream().text(),
            "3x2 nv12, bt601 (guess), limited (guess), chroma left (guess), 29.97 fps");
  for (const char* text : {"", "rgb24", "rgb24:", ":3x2", "rgb24:3", "rgb24:3x2@", "rgb24:3x2@x",
                           "i444:3x2", "rgb24@30:3x2", "rgb24:3x2:30"}) {
    EXPECT_NE(refusal([&] { pipe_source(text, {}); }), "") << text;
  }
}

TEST(PipeSourceTest, TakesNoMemoryBeforeItsFirstFrame) {
  for (const char* format : {"rgb24", "rgb48", "p010", "p016"}) {
    const auto source = pipe_source(std::string(format) + ":4000000x4000000", {});
    EXPECT_EQ(source->stream().shape.width, 4'000'000) << format;
  }
}

class SourcesTest : public test::FilesTest {};

TEST_F(SourcesTest, RawFramesNeedFormatAndSize) {
  write("a.raw", "abcdef");
  EXPECT_NE(refusal([&] { raw_source(path("a.raw"), {}); }).find("--format and --size"),
            std::string::npos);
  SourceOptions options;
  options.format = PixelFormat::gray8;
  options.width = 3;
  options.height = 1;
  const auto source = raw_source(path("a.raw"), options);
  EXPECT_EQ(source->frames(), 2);
  EXPECT_EQ(frames_of(*source).size(), 2U);
  options.width = 4;
  EXPECT_NE(failure([&] { raw_source(path("a.raw"), options); }).find("no multiple of a 4x1 gray8"),
            std::string::npos);
}

TEST_F(SourcesTest, Y4mTagsSayWhatColoursAre) {
  const auto colours = [&](const std::string& header, const SourceOptions& options = {}) {
    write("a.y4m", "YUV4MPEG2 W2 H2 F30:1" + header + "\nFRAME\nabcdef");
    return y4m_source(path("a.y4m"), options)->stream().text().substr(10);
  };
  EXPECT_EQ(colours(""), "bt601 (guess), limited (guess), chroma left (guess), 30 fps");
  EXPECT_EQ(colours(" C420"), "bt601 (guess), limited (guess), chroma left (guess), 30 fps");
  EXPECT_EQ(colours(" C420jpeg"), "bt601 (guess), limited (guess), chroma centre (tag), 30 fps");
  EXPECT_EQ(colours(" C420mpeg2"), "bt601 (guess), limited (guess), chroma left (tag), 30 fps");
  EXPECT_EQ(colours(" C420paldv"), "bt601 (guess), limited (guess), chroma top-left (tag), 30 fps");
  EXPECT_EQ(colours(" XCOLORRANGE=FULL"), "bt601 (guess), full (tag), chroma left (guess), 30 fps");
  EXPECT_EQ(colours(" XCOLORRANGE=LIMITED"),
            "bt601 (guess), limited (tag), chroma left (guess), 30 fps");
  SourceOptions options;
  options.colours = {Matrix::bt709, Range::limited, Siting::left};
  options.rate = Rate{25, 1};
  EXPECT_EQ(colours(" C420jpeg XCOLORRANGE=FULL", options),
            "bt709 (option), limited (option), chroma left (option), 25 fps");
}

TEST_F(SourcesTest, Y4mRatesThatCannotBeAreUnknown) {
  for (const char* rate : {"0:0", "0:1", "30:0", "1:9999999999", "9999999999:1"}) {
    write("a.y4m", std::string("YUV4MPEG2 W1 H1 F") + rate + " Cmono\nFRAME\na");
    EXPECT_FALSE(y4m_source(path("a.y4m"), {})->stream().rate.is_known()) << rate;
  }
}

TEST_F(SourcesTest, WhatIsNoY4mIsLeftToOthers) {
  EXPECT_EQ(y4m_source(write("a.txt", "YUV4MPEG"), {}), nullptr);
  EXPECT_NE(failure([&] { y4m_source(path("missing.y4m"), {}); }), "");
}

TEST_F(SourcesTest, AY4mFileThatIsCutGivesWhatCameBefore) {
  write("a.y4m", "YUV4MPEG2 W2 H1 Cmono\nFRAME\nabFRAME\ncdFRAME\ne");
  const auto source = y4m_source(path("a.y4m"), {});
  Bytes frame(2);
  EXPECT_TRUE(source->next(frame));
  EXPECT_TRUE(source->next(frame));
  EXPECT_NE(failure([&] { source->next(frame); }).find("a.y4m"), std::string::npos);
}

class PicturesTest : public test::FilesTest {
 protected:
  void picture(const std::string& name, const io::PictureShape& shape, int value) const {
    io::Picture picture(shape);
    std::fill(picture.bytes().begin(), picture.bytes().end(), static_cast<std::byte>(value));
    io::OutputFile file(path(name));
    io::write_picture(file, ".npy", picture);
    file.finish();
  }
  void grey(const std::string& name, int value, std::int64_t width = 3) const {
    picture(name, io::PictureShape::of(PixelFormat::gray8, width, 2), value);
  }
  std::vector<int> values_of(const std::string& pattern) const {
    const auto source = picture_source(path(pattern), {});
    std::vector<int> values;
    for (const Bytes& frame : frames_of(*source)) values.push_back(at(frame, 0));
    EXPECT_EQ(source->frames(), static_cast<std::int64_t>(values.size()));
    return values;
  }
};

TEST_F(PicturesTest, ComeInTheOrderOfTheirNames) {
  grey("b.npy", 2);
  grey("a.npy", 1);
  grey("c2.npy", 3);
  write("notes.txt", "no picture");
  EXPECT_EQ(values_of(""), (std::vector{1, 2, 3}));
  EXPECT_EQ(values_of("*.npy"), (std::vector{1, 2, 3}));
  EXPECT_EQ(values_of("[ab].npy"), (std::vector{1, 2}));
  EXPECT_EQ(values_of("c?.npy"), (std::vector{3}));
  EXPECT_EQ(values_of("b.npy"), (std::vector{2}));
  grey("d[1].npy", 4);
  EXPECT_EQ(values_of("d[1].npy"), (std::vector{4})) << "a file of that very name";
}

TEST_F(PicturesTest, AreFramesOfTheirOwnFormat) {
  picture("rgb.npy", io::PictureShape::of(PixelFormat::rgb24, 3, 2), 1);
  EXPECT_EQ(picture_source(path("rgb.npy"), {})->stream().text(), "3x2 rgb24");
  picture("rgba.npy", io::PictureShape::of(PixelFormat::rgba32, 3, 2), 1);
  SourceOptions options;
  options.rate = Rate{5, 1};
  EXPECT_EQ(picture_source(path("rgba.npy"), options)->stream().text(), "3x2 rgba32, 5 fps");
  grey("grey.npy", 1);
  EXPECT_EQ(picture_source(path("grey.npy"), {})->stream().text(), "3x2 gray8, full (guess)");
}

TEST_F(PicturesTest, AnotherSizeInTheMiddleEndsThem) {
  grey("a.npy", 1);
  grey("b.npy", 2, 4);
  const auto source = picture_source(path(""), {});
  Bytes frame(6);
  EXPECT_TRUE(source->next(frame));
  const std::string said = failure([&] { source->next(frame); });
  EXPECT_NE(said.find("b.npy is 4x2 gray8, but the frames before it are 3x2 gray8"),
            std::string::npos)
      << said;
}

TEST_F(PicturesTest, OfSixteenBitsAreDeepFrames) {
  picture("a.npy", io::PictureShape::interleaved(ElementType::u16, 3, 3, 2), 1);
  picture("b.npy", io::PictureShape::interleaved(ElementType::u16, 1, 3, 2), 1);
  const auto source = picture_source(path(""), {});
  EXPECT_EQ(source->stream().text(), "3x2 3 x u16");
  EXPECT_EQ(source->stream().depth, 16);
  Bytes frame(36);
  EXPECT_TRUE(source->next(frame));
  EXPECT_NE(failure([&] { source->next(frame); }).find("b.npy is 3x2 u16, but"), std::string::npos);
}

TEST_F(PicturesTest, Refusals) {
  picture("real.npy", io::PictureShape::interleaved(ElementType::f32, 1, 3, 2), 1);
  EXPECT_NE(
      failure([&] { picture_source(path("real.npy"), {}); }).find("or grey, RGB or RGBA of 16"),
      std::string::npos);
  EXPECT_NE(failure([&] { picture_source(path("*.png"), {}); }).find("no file matches"),
            std::string::npos);
  std::filesystem::create_directory(path("empty"));
  EXPECT_NE(failure([&] { picture_source(path("empty"), {}); }), "");
}

}  // namespace
}  // namespace warpwise::live
