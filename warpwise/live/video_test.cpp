// Videos through the module. The program ffmpeg makes files that Warpwise did not write, and says
// what is in those that it did.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "warpwise/base/error.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::live {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

Bytes content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void store(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

Bytes random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
  return bytes;
}

std::vector<Bytes> frames_in(Source& source) {
  std::vector<Bytes> frames;
  Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
  while (source.next(frame)) frames.push_back(frame);
  return frames;
}

Bytes joined(const std::vector<Bytes>& frames) {
  Bytes all;
  for (const Bytes& frame : frames) all.insert(all.end(), frame.begin(), frame.end());
  return all;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// Moving, so that every frame differs, and smooth, so that lossy files come close.
Bytes moving_ramp(const io::PictureShape& shape, int number) {
  Bytes frame(static_cast<std::size_t>(shape.bytes()));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    frame[i] = static_cast<std::byte>(64 + (i / 7 + 3 * static_cast<std::size_t>(number)) % 128);
  }
  return frame;
}

class VideoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "warpwise-video-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void ffmpeg(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.string() + "' && ffmpeg -nostdin -v error -y " + arguments + " 2>errors";
    ASSERT_EQ(std::system(command.c_str()), 0) << command << '\n'
                                               << std::ifstream(path("errors")).rdbuf();
  }

  // What ffmpeg finds in a video, as pixels of that name.
  Bytes decoded(const std::string& name, const std::string& pixels) const {
    ffmpeg("-i " + name + " -fps_mode passthrough -f rawvideo -pix_fmt " + pixels + " decoded.raw");
    return content(path("decoded.raw"));
  }

  void write(const std::string& name, const Stream& stream,
             const std::vector<Bytes>& frames) const {
    const auto sink = video_module().create(path(name));
    sink->begin(stream);
    for (const Bytes& frame : frames) sink->write(frame);
    sink->finish();
  }
  std::unique_ptr<Source> open(const std::string& name, const SourceOptions& options = {}) const {
    return video_module().open_file(path(name), options);
  }
  std::string refusal(const std::string& name) const {
    return message_of([&] { frames_in(*open(name)); });
  }

  fs::path folder_;
};

TEST_F(VideoTest, ReadsTheSample) {
  const auto source = video_module().open_file(WARPWISE_SAMPLES "/street.avi", {});
  EXPECT_EQ(source->name(), WARPWISE_SAMPLES "/street.avi (msmpeg4v3)");
  EXPECT_EQ(source->stream().text(),
            "768x576 i420, bt601 (guess), limited (guess), chroma left (guess), 10 fps");
  EXPECT_EQ(source->frames(), 80);
  EXPECT_FALSE(source->is_live());
  ffmpeg("-i '" WARPWISE_SAMPLES "/street.avi' -f rawvideo street.raw");
  EXPECT_EQ(joined(frames_in(*source)), content(path("street.raw")));
}

struct Pixels {
  const char* ffmpeg;
  PixelFormat format;
};

struct Size {
  std::int64_t width;
  std::int64_t height;
};
constexpr Size sizes[] = {{64, 48}, {53, 37}, {33, 32}, {1, 1}, {3, 2}};

// Lossless: what comes back is what ffmpeg calls pixels of that name.
TEST_F(VideoTest, KeepsFramesInMkv) {
  constexpr Pixels kept[] = {{"gray", PixelFormat::gray8},   {"yuv420p", PixelFormat::i420},
                             {"nv12", PixelFormat::nv12},    {"nv21", PixelFormat::nv21},
                             {"yuyv422", PixelFormat::yuyv}, {"uyvy422", PixelFormat::uyvy},
                             {"yuv444p", PixelFormat::i444}, {"rgb24", PixelFormat::rgb24},
                             {"bgr24", PixelFormat::bgr24},  {"rgba", PixelFormat::rgba32},
                             {"bgra", PixelFormat::bgra32}};
  for (const auto& [pixels, format] : kept) {
    for (const auto& [width, height] : sizes) {
      const bool is_packed_422 = format == PixelFormat::yuyv || format == PixelFormat::uyvy;
      if (is_packed_422 && width % 2 != 0) continue;  // the last pair has a byte of no pixel
      const Stream stream = stream_of(format, width, height, {25, 1});
      const auto sink = video_module().create(path("a.mkv"));
      EXPECT_EQ(sink->takes(stream).format, format);
      std::vector<Bytes> frames;
      for (unsigned i = 0; i < 5; ++i) {
        frames.push_back(random_bytes(static_cast<std::size_t>(stream.shape.bytes()), i));
      }
      write("a.mkv", stream, frames);
      EXPECT_EQ(decoded("a.mkv", pixels), joined(frames))
          << pixels << ' ' << width << 'x' << height;
    }
  }
}

TEST_F(VideoTest, ReadsBackWhatItWroteInMkv) {
  for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::i420, PixelFormat::rgb24,
                                   PixelFormat::bgra32, PixelFormat::yuyv}) {
    for (const auto& [width, height] : sizes) {
      const Stream stream = stream_of(format, width, height, {30000, 1001});
      std::vector<Bytes> frames;
      for (unsigned i = 0; i < 7; ++i) {
        frames.push_back(random_bytes(static_cast<std::size_t>(stream.shape.bytes()), i));
        for (std::int64_t y = 0; format == PixelFormat::yuyv && width % 2 != 0 && y < height; ++y) {
          std::byte* last = frames.back().data() + (y + 1) * 2 * (width + 1) - 4;
          last[2] = last[0];
        }
      }
      write("a.mkv", stream, frames);
      const auto source = open("a.mkv");
      EXPECT_EQ(source->stream().shape.format, format);
      EXPECT_EQ(source->stream().shape.width, width);
      EXPECT_EQ(source->stream().rate.text(), "29.97");
      EXPECT_EQ(frames_in(*source), frames) << name_of(format) << ' ' << width << 'x' << height;
    }
  }
}

// Samples of three planes of that size, of which chroma has fewer columns, beside one another.
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

// Green, blue and red in planes.
Bytes rgb_of_planes(const Bytes& planes, Size size) {
  const auto pixels = static_cast<std::size_t>(size.width * size.height);
  Bytes frame;
  for (std::size_t i = 0; i < pixels; ++i) {
    for (const std::size_t plane : {2U, 0U, 1U}) frame.push_back(planes[plane * pixels + i]);
  }
  return frame;
}

// Four bytes of a pixel, of which those three are R, G, B.
Bytes rgb_of_four(const Bytes& pixels, std::array<std::size_t, 3> parts) {
  Bytes frame;
  for (std::size_t i = 0; i < pixels.size(); i += 4) {
    for (const std::size_t part : parts) frame.push_back(pixels[i + part]);
  }
  return frame;
}

// Files of headerless frames in a container: every byte is known.
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
    PixelFormat bytes_as;  // has as many bytes as ffmpeg's
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
      if (bytes_as == PixelFormat::yuyv && size.width % 2 != 0) continue;  // ffmpeg has fewer bytes
      const auto bytes = static_cast<std::size_t>(frame_bytes(bytes_as, size.width, size.height));
      const Bytes first = random_bytes(bytes, 1);
      const Bytes second = random_bytes(bytes, 2);
      store(path("a.raw"), joined({first, second}));
      const std::string size_text = std::to_string(size.width) + "x" + std::to_string(size.height);
      ffmpeg("-f rawvideo -pix_fmt " + std::string(pixels.ffmpeg) + " -s " + size_text +
             " -r 24 -i a.raw -c copy a.nut");
      const auto source = open("a.nut");
      EXPECT_EQ(source->stream().format(), pixels.format) << pixels.ffmpeg;
      EXPECT_EQ(source->stream().rate.text(), "24");
      const std::vector<Bytes> frames = {expected(first, size), expected(second, size)};
      EXPECT_EQ(frames_in(*source), frames) << pixels.ffmpeg << ' ' << size_text;
    }
  }
}

// Odd widths of 4:2:2, as a decoder gives them.
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
  EXPECT_EQ(frames_in(*open("a.mkv")), frames);
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
  make("-pix_fmt yuv420p10le -c:v ffv1 a.mkv");
  EXPECT_NE(refusal("a.mkv").find("its pixels are yuv420p10le"), std::string::npos)
      << refusal("a.mkv");
  make("-pix_fmt yuva420p -c:v ffv1 a.mkv");
  EXPECT_NE(refusal("a.mkv").find("its pixels are yuva420p"), std::string::npos)
      << refusal("a.mkv");
  make("-pix_fmt pal8 -c:v png a.mov");
  EXPECT_NE(refusal("a.mov").find("its pixels are pal8"), std::string::npos) << refusal("a.mov");
  make("-vf setfield=tff -flags +ilme+ildct -pix_fmt yuv420p -c:v mpeg2video a.mkv");
  EXPECT_NE(refusal("a.mkv").find("is interlaced"), std::string::npos) << refusal("a.mkv");
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

// A playlist names other files, wherever they are.
TEST_F(VideoTest, DoesNotFollowFilesToTheNetwork) {
  std::ofstream(path("list.m3u8")) << "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n"
                                      "http://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n";
  EXPECT_FALSE(refusal("list.m3u8").empty());
}

TEST_F(VideoTest, TakesNamesAsTheyAre) {
  const Stream stream = stream_of(PixelFormat::gray8, 8, 8, {});
  write("http:a b%03d.mkv", stream, {moving_ramp(stream.shape, 1)});
  EXPECT_EQ(frames_in(*open("http:a b%03d.mkv")).size(), 1U);
}

// How far two frames are apart on average.
double mean_difference(const Bytes& a, const Bytes& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i]));
  }
  return sum / static_cast<double>(a.size());
}

TEST_F(VideoTest, WritesH264WithItsTags) {
  for (const Matrix matrix : all_matrices) {
    for (const Range range : all_ranges) {
      for (const Siting siting : all_sitings) {
        const Stream stream =
            stream_of(PixelFormat::i420, 64, 48, {30000, 1001}, {}, {matrix, range, siting});
        const Sink::Taken taken = video_module().create(path("a.mp4"))->takes(stream);
        EXPECT_EQ(taken.format, PixelFormat::i420);
        EXPECT_EQ(taken.range, range);
        std::vector<Bytes> frames;
        for (int i = 0; i < 10; ++i) frames.push_back(moving_ramp(stream.shape, i));
        write("a.mp4", stream, frames);
        const auto source = open("a.mp4");
        EXPECT_EQ(source->stream().text(), stream.text());
        const std::vector<Bytes> back = frames_in(*source);
        ASSERT_EQ(back.size(), frames.size());
        for (std::size_t i = 0; i < back.size(); ++i) {
          EXPECT_LT(mean_difference(back[i], frames[i]), 3);
        }
      }
    }
  }
  EXPECT_EQ(decoded("a.mp4", "yuv420p"), joined(frames_in(*open("a.mp4"))));
}

TEST_F(VideoTest, WritesMjpegAsJpegHasIt) {
  for (const auto& [width, height] : sizes) {
    const ColourTags as_in_jpeg = {Matrix::bt601, Range::full, Siting::centre};
    const Stream stream = stream_of(PixelFormat::i420, width, height, {25, 1}, {}, as_in_jpeg);
    EXPECT_EQ(video_module().create(path("a.avi"))->takes(stream).format, PixelFormat::i420);
    const std::vector<Bytes> frames = {moving_ramp(stream.shape, 0), moving_ramp(stream.shape, 1)};
    write("a.avi", stream, frames);
    const auto source = open("a.avi");
    EXPECT_EQ(source->stream().text(), stream.text());
    EXPECT_EQ(source->frames(), 2);
    const std::vector<Bytes> back = frames_in(*source);
    ASSERT_EQ(back.size(), 2U);
    EXPECT_LT(mean_difference(back[1], frames[1]), 3) << width << 'x' << height;
  }
}

TEST_F(VideoTest, HalvesChromaByTheMean) {
  // Of each 2x2 pixels 100, 101, 102, 103: the mean is 101.5, rounded half up 102.
  const Stream stream =
      stream_of(PixelFormat::i444, 64, 48, {25, 1}, {}, {Matrix::bt601, Range::full, {}});
  Bytes frame(static_cast<std::size_t>(stream.shape.bytes()), std::byte{128});
  for (std::size_t i = 0; i < 2 * 64 * 48; ++i) {
    const std::size_t x = i % 64;
    const std::size_t y = i / 64 % 48;
    frame[64 * 48 + i] = static_cast<std::byte>(100 + x % 2 + 2 * (y % 2));
  }
  for (const char* name : {"a.mp4", "a.avi"}) {
    write(name, stream, {frame});
    const auto source = open(name);
    EXPECT_EQ(source->stream().colours.siting.value, Siting::centre);
    const Bytes back = frames_in(*source).at(0);
    ASSERT_EQ(back.size(), 64 * 48 * 3 / 2U);
    EXPECT_TRUE(std::all_of(back.begin() + 64 * 48, back.end(), [](std::byte each) {
      return each == std::byte{102};
    })) << name;
  }
}

TEST_F(VideoTest, SaysWhatItTakes) {
  const auto taken = [&](const char* name, PixelFormat format, ColourTags tags = {}) {
    return video_module().create(path(name))->takes(stream_of(format, 64, 48, {}, {}, tags));
  };
  EXPECT_EQ(taken("a.mp4", PixelFormat::gray8).format, PixelFormat::i444);
  EXPECT_EQ(taken("a.mp4", PixelFormat::gray8).range, Range::limited);
  EXPECT_EQ(taken("a.mp4", PixelFormat::rgb24).format, PixelFormat::i444);
  EXPECT_EQ(taken("a.mp4", PixelFormat::nv12).format, PixelFormat::nv12);
  EXPECT_EQ(taken("a.avi", PixelFormat::i420).format, PixelFormat::i444);
  EXPECT_EQ(taken("a.avi", PixelFormat::i420).range, Range::full);
  EXPECT_EQ(taken("a.avi", PixelFormat::i420, {Matrix::bt709, Range::full, {}}).matrix,
            Matrix::bt601);
  EXPECT_EQ(taken("a.mkv", PixelFormat::ycbcr32).format, PixelFormat::i444);
}

TEST_F(VideoTest, RefusesOddSizesInMp4) {
  const auto sink = video_module().create(path("a.mp4"));
  const std::string message =
      message_of([&] { sink->takes(stream_of(PixelFormat::i420, 63, 48, {})); });
  EXPECT_NE(message.find("even sizes, not 63x48"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(path("a.mp4")));
}

TEST_F(VideoTest, WritesSmallAndLargeSizes) {
  for (const Size size : {Size{2, 2}, Size{16, 2}, Size{4098, 18}}) {
    const Stream stream = stream_of(PixelFormat::i420, size.width, size.height, {});
    write("a.mp4", stream, {moving_ramp(stream.shape, 0)});
    const auto source = open("a.mp4");
    EXPECT_EQ(source->stream().rate.text(), "25");
    EXPECT_EQ(frames_in(*source).size(), 1U) << size.width;
  }
}

// All whole frames come before the error.
TEST_F(VideoTest, SaysWhereAFileIsCutShort) {
  fs::copy(WARPWISE_SAMPLES "/street.avi", path("street.avi"));
  const Stream stream = open("street.avi")->stream();
  const std::vector<Bytes> street = frames_in(*open("street.avi"));
  for (const char* name : {"a.mkv", "a.mp4"}) {
    write(name, stream, {street.begin(), street.begin() + 30});
  }
  for (const char* name : {"street.avi", "a.mkv", "a.mp4"}) {
    const std::vector<Bytes> whole = frames_in(*open(name));
    const Bytes file = content(path(name));
    for (const double share : {0.3, 0.55, 0.9}) {
      const std::string cut = "cut-" + std::string(name);
      store(path(cut), std::span(file).first(
                           static_cast<std::size_t>(share * static_cast<double>(file.size()))));
      std::size_t good = 0;
      std::string message;
      try {
        const auto source = open(cut);
        Bytes frame(static_cast<std::size_t>(source->stream().shape.bytes()));
        for (; source->next(frame); ++good) ASSERT_EQ(frame, whole.at(good)) << cut << good;
      } catch (const IoError& error) {
        message = error.what();
      }
      EXPECT_GT(good, 0U) << cut << ' ' << share;
      EXPECT_NE(message.find(cut + ": at frame " + std::to_string(good + 1)), std::string::npos)
          << cut << ' ' << share << ": " << good << " frames, then: " << message;
    }
  }
}

// Of a recording that begins anywhere, frames come from the first on that can be decoded.
TEST_F(VideoTest, ReadsFromTheFirstKeyFrame) {
  ffmpeg("-f lavfi -i testsrc2=s=320x240 -frames:v 60 -c:v libx264 -g 20 whole.ts");
  const std::vector<Bytes> whole = frames_in(*open("whole.ts"));
  const Bytes file = content(path("whole.ts"));
  const std::size_t packet = 188;
  store(path("tail.ts"), std::span(file).subspan(file.size() / packet * 2 / 5 * packet));
  const std::vector<Bytes> tail = frames_in(*open("tail.ts"));
  ASSERT_GT(tail.size(), 10U);
  EXPECT_TRUE(std::equal(tail.rbegin(), tail.rend(), whole.rbegin()));
}

TEST_F(VideoTest, SaysWhichFrameIsDamaged) {
  const Stream stream = stream_of(PixelFormat::i420, 64, 48, {});
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 20; ++i) {
    frames.push_back(random_bytes(static_cast<std::size_t>(stream.shape.bytes()), i));
  }
  write("a.mkv", stream, frames);
  Bytes file = content(path("a.mkv"));
  file[file.size() / 2] ^= std::byte{1};
  store(path("a.mkv"), file);
  EXPECT_NE(refusal("a.mkv").find("a.mkv: at frame 10 it is damaged"), std::string::npos)
      << refusal("a.mkv");
}

TEST_F(VideoTest, SaysWhereTheSizeChanges) {
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 5 a.mjpeg");
  ffmpeg("-f lavfi -i testsrc2=s=80x60 -frames:v 5 b.mjpeg");
  ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 5 a.h264");
  ffmpeg("-f lavfi -i testsrc2=s=80x60 -frames:v 5 b.h264");
  for (const std::string kind : {".h264", ".mjpeg"}) {
    store(path("both" + kind), joined({content(path("a" + kind)), content(path("b" + kind))}));
    const std::string message = refusal("both" + kind);
    EXPECT_NE(message.find("it changes its size from 64x48 to 80x60 at frame 6"), std::string::npos)
        << message;
  }
}

TEST_F(VideoTest, SaysThatADiskIsFull) {
  for (const char* name : {"full.mp4", "full.avi", "full.mkv"}) {
    fs::create_symlink("/dev/full", path(name));
    const auto sink = video_module().create(path(name));
    const Stream stream = stream_of(PixelFormat::i420, 640, 480, {});
    const std::string message = message_of([&] {
      sink->begin(stream);
      for (unsigned i = 0; i < 100; ++i) {
        sink->write(random_bytes(static_cast<std::size_t>(stream.shape.bytes()), i));
      }
    });
    EXPECT_EQ(message, "cannot write " + path(name) + ": No space left on device");
    EXPECT_NO_THROW(sink->finish());
  }
}

TEST_F(VideoTest, WhatWasWrittenBeforeTheDiskWasFullPlays) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit before = limit;
  limit.rlim_cur = 4'000'000;
  for (const char* name : {"a.mp4", "a.avi", "a.mkv"}) {
    const Stream stream = stream_of(PixelFormat::i420, 320, 240, {5, 1});
    const auto sink = video_module().create(path(name));
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = message_of([&] {
      sink->begin(stream);
      for (unsigned i = 0; i < 400; ++i) {
        sink->write(random_bytes(static_cast<std::size_t>(stream.shape.bytes()), i));
      }
    });
    EXPECT_NO_THROW(sink->finish());
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(message, "cannot write " + path(name) + ": File too large");
    std::size_t good = 0;
    try {
      const auto source = open(name);
      Bytes frame(static_cast<std::size_t>(source->stream().shape.bytes()));
      while (source->next(frame)) ++good;
    } catch (const IoError&) {
    }
    EXPECT_GT(good, 10U) << name;
  }
}

TEST_F(VideoTest, RefusesWhereNothingCanBeWritten) {
  EXPECT_THROW(video_module().create(path("missing/a.mp4")), IoError);
  fs::create_directory(path("folder.mkv"));
  EXPECT_THROW(video_module().create(path("folder.mkv")), IoError);
  EXPECT_THROW(video_module().create(path("a.mov")), InvalidArgument);
}

// A program that is ended writes no end.
TEST_F(VideoTest, AnMp4WithoutAnEndPlays) {
  const Stream stream = stream_of(PixelFormat::i420, 64, 48, {10, 1});
  {
    const auto sink = video_module().create(path("a.mp4"));
    sink->begin(stream);
    for (int i = 0; i < 200; ++i) sink->write(moving_ramp(stream.shape, i));
  }
  EXPECT_GT(frames_in(*open("a.mp4")).size(), 50U);
}

}  // namespace
}  // namespace warpwise::live
