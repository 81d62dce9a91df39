// Tests truncated and damaged videos, and full disks.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "warpwise/live/video_testing.hpp"

namespace warpwise::live::test {
namespace {

namespace fs = std::filesystem;

// The source must give all whole frames before the error.
TEST_F(VideoTest, SaysWhereAFileIsCutShort) {
  fs::copy(WARPWISE_SAMPLES "/street.avi", path("street.avi"));
  const Stream stream = open("street.avi")->stream();
  const std::vector<Bytes> street = frames_of(*open("street.avi"));
  for (const char* name : {"a.mkv", "a.mp4"}) {
    write(name, stream, {street.begin(), street.begin() + 30});
  }
  for (const char* name : {"street.avi", "a.mkv", "a.mp4"}) {
    const std::vector<Bytes> whole = frames_of(*open(name));
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

// FFmpeg reports no error for truncated .gif and .avi files.
TEST_F(VideoTest, SaysOfEachCutThatAnAnimationOrAnAviIsCutShort) {
  ffmpeg("-f lavfi -i testsrc2=s=48x32:r=10 -frames:v 6 whole.gif");
  ffmpeg("-f lavfi -i testsrc2=s=48x32:r=10 -frames:v 6 -c:v mjpeg -bitexact whole.avi");
  for (const std::string kind : {".gif", ".avi"}) {
    const std::vector<Bytes> whole = frames_of(*open("whole" + kind));
    ASSERT_EQ(whole.size(), 6U) << kind;
    const Bytes file = content(path("whole" + kind));
    const std::string index = "idx1";
    const auto* const name = reinterpret_cast<const std::byte*>(index.data());
    const auto end =
        kind == ".avi" ? std::search(file.begin(), file.end(), name, name + 4) : file.end();
    const auto bytes = static_cast<std::size_t>(end - file.begin());
    // An .avi file without its last padding byte still has all frames, so this cut is left out.
    const std::size_t most = bytes - (kind == ".avi" ? 2 : 1);
    for (std::size_t cut = most; cut > bytes / 2; cut -= cut > bytes - 40 ? 1 : 37) {
      store(path("cut" + kind), std::span(file).first(cut));
      std::size_t good = 0;
      const std::string message = message_of([&] {
        const auto source = open("cut" + kind);
        Bytes frame(static_cast<std::size_t>(source->stream().shape.bytes()));
        for (; source->next(frame); ++good) ASSERT_EQ(frame, whole.at(good)) << kind << ' ' << cut;
      });
      EXPECT_NE(message.find("it is damaged or cut short"), std::string::npos)
          << kind << ' ' << cut << " of " << bytes << ": " << good << " frames; " << message;
    }
    if (kind == ".avi") {  // a file without its index has all frames
      store(path("cut.avi"), std::span(file).first(bytes));
      EXPECT_EQ(frames_of(*open("cut.avi")), whole);
    }
  }
}

// The cut lies between clusters, so no cluster is damaged. The file's stated length shows the cut.
TEST_F(VideoTest, SaysThatAMatroskaFileIsCutBetweenClusters) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 100 -c:v libx264 -g 25 "
      "-cluster_time_limit 900 whole.mkv");
  const Bytes file = content(path("whole.mkv"));
  constexpr std::byte cluster[] = {std::byte{0x1f}, std::byte{0x43}, std::byte{0xb6},
                                   std::byte{0x75}};
  const auto middle = file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2);
  const auto cut = std::search(middle, file.end(), std::begin(cluster), std::end(cluster));
  ASSERT_NE(cut, file.end());
  store(path("cut.mkv"), std::span(file.begin(), cut));
  EXPECT_NE(refusal("cut.mkv").find("it is damaged or cut short"), std::string::npos);
}

// A recording may begin inside a group of pictures. Reading starts at the first decodable frame.
TEST_F(VideoTest, ReadsFromTheFirstKeyFrame) {
  ffmpeg("-f lavfi -i testsrc2=s=320x240 -frames:v 60 -c:v libx264 -g 20 whole.ts");
  const std::vector<Bytes> whole = frames_of(*open("whole.ts"));
  const Bytes file = content(path("whole.ts"));
  const std::size_t packet = 188;
  store(path("tail.ts"), std::span(file).subspan(file.size() / packet * 2 / 5 * packet));
  const std::vector<Bytes> tail = frames_of(*open("tail.ts"));
  ASSERT_GT(tail.size(), 10U);
  EXPECT_TRUE(std::equal(tail.rbegin(), tail.rend(), whole.rbegin()));
}

TEST_F(VideoTest, SaysWhichFrameIsDamaged) {
  const Stream stream = stream_of(PixelFormat::i420, 64, 48, {});
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 20; ++i) {
    frames.push_back(random_bytes(stream.shape.bytes(), i));
  }
  write("a.mkv", stream, frames);
  Bytes file = content(path("a.mkv"));
  file[file.size() / 2] ^= std::byte{1};
  store(path("a.mkv"), file);
  EXPECT_NE(refusal("a.mkv").find("a.mkv: at frame 10 it is damaged"), std::string::npos)
      << refusal("a.mkv");
  // Reading at another rate (--fps) also gives all frames before the damage.
  const auto frames_before = [&](const SourceOptions& options) {
    const auto source = open("a.mkv", options);
    Bytes pixels(static_cast<std::size_t>(source->stream().shape.bytes()));
    int count = 0;
    EXPECT_THROW(while (source->next(pixels)) { ++count; }, IoError);
    return count;
  };
  SourceOptions twice;
  const Rate rate = open("a.mkv")->stream().rate;
  twice.rate = Rate{2 * rate.numerator, rate.denominator};
  EXPECT_EQ(frames_before(twice), 2 * frames_before({}));
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
        sink->write(random_bytes(stream.shape.bytes(), i));
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
        sink->write(random_bytes(stream.shape.bytes(), i));
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

// A killed program does not write the end of an .mp4 file. The file must play without it.
TEST_F(VideoTest, AnMp4WithoutAnEndPlays) {
  const Stream stream = stream_of(PixelFormat::i420, 64, 48, {10, 1});
  {
    const auto sink = video_module().create(path("a.mp4"));
    sink->begin(stream);
    for (int i = 0; i < 200; ++i) sink->write(moving_ramp(stream.shape, i));
  }
  EXPECT_GT(frames_of(*open("a.mp4")).size(), 50U);
}

}  // namespace
}  // namespace warpwise::live::test
