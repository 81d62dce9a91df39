// Tests reading of videos.
#include <array>

#include "tests/support/qemu.hpp"
#include "warpwise/live/video_testing.hpp"

namespace warpwise::live::test {
namespace {

namespace fs = std::filesystem;

TEST_F(VideoTest, ReadsTheSample) {
  const auto source = video_module().open_file(WARPWISE_SAMPLES "/street.avi", {});
  EXPECT_EQ(source->name(), WARPWISE_SAMPLES "/street.avi (msmpeg4v3)");
  EXPECT_EQ(source->stream().text(),
            "768x576 i420, bt601 (guess), limited (guess), chroma left (guess), 10 fps");
  EXPECT_EQ(source->frames(), 80);
  EXPECT_FALSE(source->is_live());
  if (warpwise::test::in_qemu())
    GTEST_SKIP() << "the program ffmpeg is this machine's, and rounds MPEG-4's frames otherwise";
  ffmpeg("-i '" WARPWISE_SAMPLES "/street.avi' -f rawvideo street.raw");
  EXPECT_EQ(joined(frames_of(*source)), content(path("street.raw")));
}

// Interleaves the samples of three planes. If `halves_chroma`, chroma has half the columns.
Bytes beside(const Bytes& planes, Size size, bool halves_chroma) {
  const auto [width, height] = size;
  const std::int64_t chroma = halves_chroma ? (width + 1) / 2 : width;
  const auto at = [&](int plane, std::int64_t x, std::int64_t y) {
    const std::int64_t first = plane == 0 ? 0 : width * height + (plane - 1) * chroma * height;
    return planes[static_cast<std::size_t>(first + y * (plane == 0 ? width : chroma) + x)];
  };
  Bytes frame;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; x += halves_chroma ? 2 : 1) {
      frame.push_back(at(0, x, y));
      frame.push_back(at(1, halves_chroma ? x / 2 : x, y));
      if (halves_chroma) frame.push_back(at(0, std::min(x + 1, width - 1), y));
      frame.push_back(at(2, halves_chroma ? x / 2 : x, y));
      if (!halves_chroma) frame.push_back(std::byte{255});
    }
  }
  return frame;
}

// Converts planes of green, blue and red to rgb24.
Bytes rgb_of_planes(const Bytes& planes, Size size) {
  const auto pixels = static_cast<std::size_t>(size.width * size.height);
  Bytes frame;
  for (std::size_t i = 0; i < pixels; ++i) {
    for (const std::size_t plane : {2U, 0U, 1U}) frame.push_back(planes[plane * pixels + i]);
  }
  return frame;
}

// Converts pixels of four bytes to rgb24; `parts` are the positions of R, G, B.
Bytes rgb_of_four(const Bytes& pixels, std::array<std::size_t, 3> parts) {
  Bytes frame;
  for (std::size_t i = 0; i < pixels.size(); i += 4) {
    for (const std::size_t part : parts) frame.push_back(pixels[i + part]);
  }
  return frame;
}

// Stores random frames uncompressed in a container, so that every byte is known.
TEST_F(VideoTest, ReadsPixelsOfEachKind) {
  using Expected = std::function<Bytes(const Bytes&, Size)>;
  const Expected same = [](const Bytes& frame, Size) { return frame; };
  const Expected across = [](const Bytes& frame, Size size) { return beside(frame, size, true); };
  const Expected full = [](const Bytes& frame, Size size) { return beside(frame, size, false); };
  const auto four = [](std::array<std::size_t, 3> parts) {
    return [parts](const Bytes& frame, Size) { return rgb_of_four(frame, parts); };
  };
  struct Case {
    Pixels pixels;
    PixelFormat bytes_as;  // a format whose frames have the size of ffmpeg's
    Expected expected;
  };
  const Case cases[] = {
      {{"gray", PixelFormat::gray8}, PixelFormat::gray8, same},
      {{"yuv420p", PixelFormat::i420}, PixelFormat::i420, same},
      {{"nv12", PixelFormat::nv12}, PixelFormat::nv12, same},
      {{"nv21", PixelFormat::nv21}, PixelFormat::nv21, same},
      {{"yuyv422", PixelFormat::yuyv}, PixelFormat::yuyv, same},
      {{"uyvy422", PixelFormat::uyvy}, PixelFormat::uyvy, same},
      {{"yuv422p", PixelFormat::yuyv}, PixelFormat::yuyv, across},
      {{"yuv444p", PixelFormat::ycbcr32}, PixelFormat::i444, full},
      {{"rgb24", PixelFormat::rgb24}, PixelFormat::rgb24, same},
      {{"bgr24", PixelFormat::bgr24}, PixelFormat::bgr24, same},
      {{"rgba", PixelFormat::rgba32}, PixelFormat::rgba32, same},
      {{"bgra", PixelFormat::bgra32}, PixelFormat::bgra32, same},
      {{"gbrp", PixelFormat::rgb24}, PixelFormat::i444, rgb_of_planes},
      {{"bgr0", PixelFormat::rgb24}, PixelFormat::rgba32, four({2, 1, 0})},
      {{"rgb0", PixelFormat::rgb24}, PixelFormat::rgba32, four({0, 1, 2})},
      {{"0rgb", PixelFormat::rgb24}, PixelFormat::rgba32, four({1, 2, 3})},
      {{"0bgr", PixelFormat::rgb24}, PixelFormat::rgba32, four({3, 2, 1})},
  };
  for (const auto& [pixels, bytes_as, expected] : cases) {
    for (const Size size : {Size{64, 48}, Size{54, 37}, Size{53, 37}}) {
      if (bytes_as == PixelFormat::yuyv && size.width % 2 != 0) continue;  // ffmpeg's are smaller
      const auto bytes = static_cast<std::size_t>(frame_bytes(bytes_as, size.width, size.height));
      const Bytes first = random_bytes(static_cast<std::int64_t>(bytes), 1);
      const Bytes second = random_bytes(static_cast<std::int64_t>(bytes), 2);
      store(path("a.raw"), joined({first, second}));
      const std::string size_text = std::to_string(size.width) + "x" + std::to_string(size.height);
      ffmpeg("-f rawvideo -pix_fmt " + std::string(pixels.ffmpeg) + " -s " + size_text +
             " -r 24 -i a.raw -c copy a.nut");
      const auto source = open("a.nut");
      EXPECT_EQ(source->stream().format(), pixels.format) << pixels.ffmpeg;
      EXPECT_EQ(source->stream().rate.text(), "24");
      const std::vector<Bytes> frames = {expected(first, size), expected(second, size)};
      EXPECT_EQ(frames_of(*source), frames) << pixels.ffmpeg << ' ' << size_text;
    }
  }
}

// Reads odd widths of 4:2:2 as decoders output them.
TEST_F(VideoTest, ReadsOddWidthsOfPlanarAndPacked422) {
  constexpr Size size = {53, 37};
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48 -frames:v 2 -vf scale=53:37 -pix_fmt yuv422p -c:v ffv1 a.mkv");
  const Bytes planes = decoded("a.mkv", "yuv422p");
  const std::size_t frame = planes.size() / 2;
  const std::vector<Bytes> frames = {
      beside(Bytes(planes.begin(), planes.begin() + static_cast<std::ptrdiff_t>(frame)), size,
             true),
      beside(Bytes(planes.begin() + static_cast<std::ptrdiff_t>(frame), planes.end()), size, true)};
  EXPECT_EQ(frames_of(*open("a.mkv")), frames);
}

TEST_F(VideoTest, TellsMatrixAndRangeByTheirTags) {
  const std::pair<const char*, std::optional<Matrix>> matrices[] = {
      {"bt709", Matrix::bt709}, {"bt470bg", Matrix::bt601},   {"smpte170m", Matrix::bt601},
      {"fcc", Matrix::bt601},   {"bt2020nc", Matrix::bt2020}, {"unknown", std::nullopt}};
  const std::pair<const char*, std::optional<Range>> ranges[] = {
      {"pc", Range::full}, {"tv", Range::limited}, {"unknown", std::nullopt}};
  for (const auto& [matrix_name, matrix] : matrices) {
    for (const auto& [range_name, range] : ranges) {
      ffmpeg("-f lavfi -i color=s=64x48:d=0.1 -pix_fmt yuv420p -colorspace " +
             std::string(matrix_name) + " -color_range " + range_name + " -c:v ffv1 a.mkv");
      const Colours colours = open("a.mkv")->stream().colours;
      EXPECT_EQ(colours.matrix.value, matrix.value_or(Matrix::bt601)) << matrix_name;
      EXPECT_EQ(colours.matrix.origin, matrix ? Origin::tag : Origin::guess) << matrix_name;
      EXPECT_EQ(colours.range.value, range.value_or(Range::limited)) << range_name;
      EXPECT_EQ(colours.range.origin, range ? Origin::tag : Origin::guess) << range_name;
    }
  }
}

TEST_F(VideoTest, TellsSitingByItsTag) {
  for (const auto& [name, siting] : {std::pair("left", Siting::left),
                                     {"center", Siting::centre},
                                     {"topleft", Siting::top_left}}) {
    ffmpeg("-f lavfi -i color=s=64x48:d=0.1 -pix_fmt yuv420p -chroma_sample_location " +
           std::string(name) + " -c:v libx264 a.mp4");
    const auto told = open("a.mp4")->stream().colours.siting;
    EXPECT_EQ(told.value, siting);
    EXPECT_EQ(told.origin, Origin::tag);
  }
}

TEST_F(VideoTest, TakesMjpegForFullRangeOfBt601) {
  for (const auto& [pixels, format] : {Pixels{"yuvj420p", PixelFormat::i420},
                                       {"yuvj422p", PixelFormat::yuyv},
                                       {"yuvj444p", PixelFormat::ycbcr32}}) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.2 -pix_fmt " + std::string(pixels) +
           " -c:v mjpeg a.avi");
    const Stream stream = open("a.avi")->stream();
    EXPECT_EQ(stream.format(), format);
    EXPECT_EQ(stream.colours.range.value, Range::full);
    EXPECT_EQ(stream.colours.range.origin, Origin::tag);
    EXPECT_EQ(stream.colours.matrix.value, Matrix::bt601);
    EXPECT_EQ(stream.colours.matrix.origin, Origin::tag);
    EXPECT_EQ(stream.colours.siting.value, Siting::centre);
  }
}

TEST_F(VideoTest, OptionsGoBeforeTags) {
  ffmpeg("-f lavfi -i color=s=64x48:d=0.1 -pix_fmt yuv420p -colorspace bt709 -c:v ffv1 a.mkv");
  SourceOptions options;
  options.colours.matrix = Matrix::bt2020;
  options.rate = Rate{12, 1};
  const Stream stream = open("a.mkv", options)->stream();
  EXPECT_EQ(stream.colours.matrix.value, Matrix::bt2020);
  EXPECT_EQ(stream.colours.matrix.origin, Origin::option);
  EXPECT_EQ(stream.rate.text(), "12");
}

TEST_F(VideoTest, RefusesWhatItDoesNotRead) {
  const auto make = [&](const std::string& how) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.2 " + how);
  };
  make("-pix_fmt pal8 -c:v png a.mov");
  EXPECT_NE(refusal("a.mov").find("its pixels are pal8"), std::string::npos) << refusal("a.mov");
  make("-vf setfield=tff -flags +ilme+ildct -pix_fmt yuv420p -c:v mpeg2video a.mkv");
  EXPECT_NE(refusal("a.mkv").find("is interlaced"), std::string::npos) << refusal("a.mkv");
}

// Frames whose alpha is left out must equal the frames of the same video without alpha.
TEST_F(VideoTest, AlphaBesideYuvIsLeftOut) {
  for (const auto& [options, without] :
       {std::pair("-c:v ffv1 -pix_fmt yuva420p", "yuv420p"),
        std::pair("-c:v ffv1 -pix_fmt yuva422p", "yuv422p"),
        std::pair("-c:v ffv1 -pix_fmt yuva444p", "yuv444p"),
        std::pair("-c:v ffv1 -pix_fmt yuva422p10le", "yuv422p10le"),
        std::pair("-c:v ffv1 -pix_fmt yuva444p16le", "yuv444p16le"),
        std::pair("-c:v prores_ks -pix_fmt yuva444p10le", "yuv444p12le"),
        std::pair("-c:v png -pix_fmt ya16be", "gray16le")}) {
    SCOPED_TRACE(options);
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.1 " + std::string(options) + " a.mov");
    ffmpeg("-i a.mov -c:v ffv1 -pix_fmt " + std::string(without) + " b.mkv");
    const auto source = open("a.mov");
    EXPECT_NE(source->name().find(", without its alpha)"), std::string::npos) << source->name();
    EXPECT_EQ(source->stream().shape.pixel_text(), open("b.mkv")->stream().shape.pixel_text());
    EXPECT_EQ(frames_of(*source), frames_of(*open("b.mkv")));
    EXPECT_EQ(open("b.mkv")->name().find("alpha"), std::string::npos);
  }
}

// This test needs no GPU, because the refusal depends only on the file.
TEST_F(VideoTest, AlphaBesideVp9IsNoVideoForTheGpu) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:d=0.1 -c:v libvpx-vp9 -pix_fmt yuva420p -auto-alt-ref 0 "
      "a.webm");
  const std::string why = test::message_of([&] {
    video_module().open_file(path("a.webm"), {.decode = Decode::gpu, .with_alpha = true});
  });
  EXPECT_NE(why.find("--decode gpu: the GPU leaves its alpha out"), std::string::npos) << why;
  const auto source =
      video_module().open_file(path("a.webm"), {.decode = Decode::automatic, .with_alpha = true});
  EXPECT_NE(source->name().find("decoded by the CPU: the GPU leaves its alpha out"),
            std::string::npos)
      << source->name();
}

TEST_F(VideoTest, AlphaInAnyPlaceIsRead) {
  for (const std::string options : {"-c:v qtrle -pix_fmt argb", "-c:v utvideo -pix_fmt gbrap"}) {
    SCOPED_TRACE(options);
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.1 -vf format=rgba,geq=r=X:g=Y:b=9:a=X*3 " + options +
           " a.mov");
    EXPECT_EQ(open("a.mov")->stream().format(), PixelFormat::rgba32);
    EXPECT_EQ(joined(frames_of(*open("a.mov"))), decoded("a.mov", "rgba"));
  }
}

// The message names the readable pixel format that is closest to the unreadable one.
TEST_F(VideoTest, PixelsThatAreNotReadHaveReadableOnesBeside) {
  struct Advice {
    const char* options;
    const char* readable;
  };
  for (const auto& [options, readable] :
       {Advice{"-c:v rawvideo -pix_fmt rgb555le", "rgb24"},
        Advice{"-c:v png -pix_fmt pal8", "rgb24"}, Advice{"-c:v png -pix_fmt ya8", "gray"},
        Advice{"-c:v png -pix_fmt monob", "gray"}}) {
    SCOPED_TRACE(options);
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.1 " + std::string(options) + " a.mov");
    EXPECT_NE(refusal("a.mov").find(" -pix_fmt " + std::string(readable) + " makes"),
              std::string::npos)
        << refusal("a.mov");
    ffmpeg("-i a.mov -c:v ffv1 -pix_fmt " + std::string(readable) + " b.mkv");
    EXPECT_FALSE(frames_of(*open("b.mkv")).empty());
  }
}

TEST_F(VideoTest, RefusesWhatIsNoVideo) {
  store(path("empty.mp4"), {});
  store(path("noise.mkv"), random_bytes(10'000, 1));
  std::ofstream(path("text.mp4")) << "this is no video, whatever its name says\n";
  fs::create_directory(path("folder.mp4"));
  ffmpeg("-f lavfi -i sine=d=1 sound.mp4");
  for (const char* name :
       {"empty.mp4", "noise.mkv", "text.mp4", "folder.mp4", "missing.mp4", "sound.mp4"}) {
    const std::string message = refusal(name);
    EXPECT_TRUE(message.starts_with("cannot read " + path(name))) << message;
  }
  EXPECT_NE(refusal("missing.mp4").find("No such file"), std::string::npos);
  EXPECT_NE(refusal("sound.mp4").find("there is no video in it"), std::string::npos);
}

// A playlist in a file may name an address, which must not be opened.
TEST_F(VideoTest, DoesNotFollowFilesToTheNetwork) {
  std::ofstream(path("list.m3u8")) << "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n"
                                      "http://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n";
  EXPECT_FALSE(refusal("list.m3u8").empty());
}

TEST_F(VideoTest, TakesNamesAsTheyAre) {
  const Stream stream = stream_of(PixelFormat::gray8, 8, 8, {});
  write("http:a b%03d.mkv", stream, {moving_ramp(stream.shape, 1)});
  EXPECT_EQ(frames_of(*open("http:a b%03d.mkv")).size(), 1U);
}

}  // namespace
}  // namespace warpwise::live::test
