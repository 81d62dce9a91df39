// Tests writing of videos.
#include "warpwise/live/video_testing.hpp"

namespace warpwise::live::test {
namespace {

namespace fs = std::filesystem;

// FFV1 is lossless: the bytes that ffmpeg decodes must equal the bytes written.
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
      if (is_packed_422 && width % 2 != 0) continue;  // the last pair has an unused byte
      const Stream stream = stream_of(format, width, height, {25, 1});
      const auto sink = video_module().create(path("a.mkv"));
      EXPECT_EQ(sink->accepted_frames(stream).format, format);
      std::vector<Bytes> frames;
      for (unsigned i = 0; i < 5; ++i) {
        frames.push_back(random_bytes(stream.shape.bytes(), i));
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
        frames.push_back(random_bytes(stream.shape.bytes(), i));
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
      EXPECT_EQ(frames_of(*source), frames) << name_of(format) << ' ' << width << 'x' << height;
    }
  }
}

// Returns the mean difference of two frames' bytes.
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
        const Sink::AcceptedFrames taken =
            video_module().create(path("a.mp4"))->accepted_frames(stream);
        EXPECT_EQ(taken.format, PixelFormat::i420);
        EXPECT_EQ(taken.range, range);
        std::vector<Bytes> frames;
        for (int i = 0; i < 10; ++i) frames.push_back(moving_ramp(stream.shape, i));
        write("a.mp4", stream, frames);
        const auto source = open("a.mp4");
        EXPECT_EQ(source->stream().text(), stream.text());
        const std::vector<Bytes> back = frames_of(*source);
        ASSERT_EQ(back.size(), frames.size());
        for (std::size_t i = 0; i < back.size(); ++i) {
          EXPECT_LT(mean_difference(back[i], frames[i]), 3);
        }
      }
    }
  }
  EXPECT_EQ(decoded("a.mp4", "yuv420p"), joined(frames_of(*open("a.mp4"))));
}

TEST_F(VideoTest, WritesMjpegAsJpegHasIt) {
  for (const auto& [width, height] : sizes) {
    const ColourTags as_in_jpeg = {Matrix::bt601, Range::full, Siting::centre};
    const Stream stream = stream_of(PixelFormat::i420, width, height, {25, 1}, {}, as_in_jpeg);
    EXPECT_EQ(video_module().create(path("a.avi"))->accepted_frames(stream).format,
              PixelFormat::i420);
    const std::vector<Bytes> frames = {moving_ramp(stream.shape, 0), moving_ramp(stream.shape, 1)};
    write("a.avi", stream, frames);
    const auto source = open("a.avi");
    EXPECT_EQ(source->stream().text(), stream.text());
    EXPECT_EQ(source->frames(), 2);
    const std::vector<Bytes> back = frames_of(*source);
    ASSERT_EQ(back.size(), 2U);
    EXPECT_LT(mean_difference(back[1], frames[1]), 3) << width << 'x' << height;
  }
}

TEST_F(VideoTest, HalvesChromaByTheMean) {
  // The mean of each 2x2 pixels 100, 101, 102, 103 is 101.5, rounded half up to 102.
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
    const Bytes back = frames_of(*source).at(0);
    ASSERT_EQ(back.size(), 64 * 48 * 3 / 2U);
    EXPECT_TRUE(std::all_of(back.begin() + 64 * 48, back.end(), [](std::byte each) {
      return each == std::byte{102};
    })) << name;
  }
}

TEST_F(VideoTest, SaysWhatItTakes) {
  const auto taken = [&](const char* name, PixelFormat format, ColourTags tags = {}) {
    return video_module()
        .create(path(name))
        ->accepted_frames(stream_of(format, 64, 48, {}, {}, tags));
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

TEST_F(VideoTest, SaysWhatItHolds) {
  const auto held = [&](const char* name, PixelFormat format) {
    return video_module().create(path(name))->stored_format_name(stream_of(format, 64, 48, {}));
  };
  for (const char* name : {"a.mp4", "a.avi"}) {
    EXPECT_EQ(held(name, PixelFormat::i444), "i420");
    EXPECT_EQ(held(name, PixelFormat::nv12), "i420");
  }
  EXPECT_EQ(held("a.mkv", PixelFormat::i444), "i444");
}

TEST_F(VideoTest, RefusesOddSizesInMp4) {
  const auto sink = video_module().create(path("a.mp4"));
  const std::string message =
      message_of([&] { sink->accepted_frames(stream_of(PixelFormat::i420, 63, 48, {})); });
  EXPECT_NE(message.find("even sizes, not 63x48"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(path("a.mp4")));
}

TEST_F(VideoTest, WritesSmallAndLargeSizes) {
  for (const Size size : {Size{2, 2}, Size{16, 2}, Size{4098, 18}}) {
    const Stream stream = stream_of(PixelFormat::i420, size.width, size.height, {});
    write("a.mp4", stream, {moving_ramp(stream.shape, 0)});
    const auto source = open("a.mp4");
    EXPECT_EQ(source->stream().rate.text(), "25");
    EXPECT_EQ(frames_of(*source).size(), 1U) << size.width;
  }
}

TEST_F(VideoTest, RefusesWhereNothingCanBeWritten) {
  EXPECT_THROW(video_module().create(path("missing/a.mp4")), IoError);
  fs::create_directory(path("folder.mkv"));
  EXPECT_THROW(video_module().create(path("folder.mkv")), IoError);
  EXPECT_THROW(video_module().create(path("a.wmv")), InvalidArgument);
}

}  // namespace
}  // namespace warpwise::live::test
