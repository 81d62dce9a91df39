// Tests cameras through the video module, with the fake camera of live/fake_camera/fake_camera.hpp.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "live/fake_camera/fake_camera.hpp"
#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::live {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

constexpr const char* camera = "/dev/video9";

std::string text_of(const CameraMode& mode) {
  return mode.format + " " + std::to_string(mode.width) + "x" + std::to_string(mode.height) + " " +
         mode.rate.text();
}

std::string message_of(const std::function<void()>& call) {
  return warpwise::test::message_of<Error>(call);
}

SourceOptions size(std::int64_t width, std::int64_t height) {
  SourceOptions options;
  options.width = width;
  options.height = height;
  return options;
}

class CameraTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name :
         {"FAKE_CAMERA_JPEG", "FAKE_CAMERA_UNPLUG", "FAKE_CAMERA_DAMAGE", "FAKE_CAMERA_CUT"}) {
      ::unsetenv(name);
    }
  }
  static std::unique_ptr<Source> open(const SourceOptions& options = {}) {
    return video_module().open_camera(camera, options);
  }
  static Bytes frame_of(Source& source) {
    Bytes frame(static_cast<std::size_t>(source.stream().shape.bytes()));
    EXPECT_TRUE(source.next(frame));
    return frame;
  }
};

// Returns a yuyv frame's number, its first byte; 256 if another byte does not match the number.
int number_of(const Bytes& frame) {
  const auto number = std::to_integer<int>(frame[0]);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (frame[i] != fake_camera::byte_of(static_cast<std::uint64_t>(number), i)) return 256;
  }
  return number;
}

TEST_F(CameraTest, SaysWhatItCanDo) {
  std::vector<std::string> modes;
  for (const CameraMode& mode : camera_modes(camera)) modes.push_back(text_of(mode));
  EXPECT_EQ(modes, (std::vector<std::string>{
                       "yuyv 640x480 30", "yuyv 640x480 15", "yuyv 320x240 30", "yuyv 320x240 15",
                       "yuyv 1280x720 10", "mjpeg 640x480 30", "mjpeg 1280x720 30"}));
  EXPECT_TRUE(camera_modes("/dev/null").empty());
  EXPECT_TRUE(camera_modes("/dev/video-missing").empty());
}

TEST_F(CameraTest, GivesFramesAsTheyAre) {
  const auto source = open(size(640, 480));
  EXPECT_TRUE(source->is_live());
  EXPECT_EQ(source->frames(), std::nullopt);
  EXPECT_EQ(source->name(), "/dev/video9 (rawvideo)");
  EXPECT_EQ(source->stream().text(),
            "640x480 yuyv, bt601 (guess), limited (guess), chroma left (guess), 30 fps");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(number_of(frame_of(*source)), i);
}

TEST_F(CameraTest, LosesFramesThatNobodyTakes) {
  const auto source = open(size(320, 240));
  EXPECT_EQ(number_of(frame_of(*source)), 0);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // frames for more than the 16 buffers
  int last = 0;
  for (int i = 0; i < 18; ++i) last = number_of(frame_of(*source));
  EXPECT_GT(last, 25);
  EXPECT_LT(last, 256);
}

TEST_F(CameraTest, TakesTheRateThatWasAskedFor) {
  SourceOptions options = size(640, 480);
  options.rate = Rate{15, 1};
  EXPECT_EQ(open(options)->stream().rate.text(), "15");
}

class JpegCameraTest : public CameraTest, protected warpwise::test::Files {
 protected:
  void SetUp() override {
    const std::string jpeg = path("a.jpg");
    const std::string command =
        "ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=1280x720 "
        "-frames:v 1 -pix_fmt yuvj422p " +
        jpeg;
    ASSERT_EQ(std::system(command.c_str()), 0);
    ::setenv("FAKE_CAMERA_JPEG", jpeg.c_str(), 1);
  }
};

TEST_F(JpegCameraTest, TakesTheFastestMode) {
  const auto source = open(size(1280, 720));
  EXPECT_EQ(source->name(), "/dev/video9 (mjpeg)");
  EXPECT_EQ(source->stream().text(),
            "1280x720 yuyv, bt601 (tag), full (tag), chroma centre (tag), 30 fps");
  EXPECT_EQ(frame_of(*source), frame_of(*source));
}

TEST_F(JpegCameraTest, PassesOverDamagedFrames) {
  ::setenv("FAKE_CAMERA_DAMAGE", "2", 1);
  ::setenv("FAKE_CAMERA_CUT", "3", 1);
  const auto source = open(size(1280, 720));
  const Bytes first = frame_of(*source);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(frame_of(*source), first);
}

TEST_F(CameraTest, PassesOverDamagedAndCutFrames) {
  ::setenv("FAKE_CAMERA_DAMAGE", "2", 1);
  ::setenv("FAKE_CAMERA_CUT", "4", 1);
  const auto source = open(size(640, 480));
  for (const int number : {0, 1, 3, 5, 6}) EXPECT_EQ(number_of(frame_of(*source)), number);
}

TEST_F(CameraTest, GivesUpWhereNothingCanBeDecoded) {
  SourceOptions mjpeg = size(1280, 720);  // without FAKE_CAMERA_JPEG no frame is a JPEG
  mjpeg.rate = Rate{30, 1};
  EXPECT_EQ(message_of([&] { open(mjpeg); }),
            "cannot read /dev/video9: none of its data can be decoded");
}

TEST_F(CameraTest, IsFoundBehindALink) {
  const fs::path link =
      fs::temp_directory_path() / ("warpwise-camera-" + std::to_string(::getpid()));
  fs::create_symlink(camera, link);
  EXPECT_EQ(open_source(link.string(), size(320, 240))->stream().shape.width, 320);
  fs::remove(link);
}

TEST_F(CameraTest, RefusesWhatItCannotDo) {
  const std::string modes =
      "; it gives yuyv 640x480 at 30, 15 fps; yuyv 320x240 at 30, 15 fps; yuyv 1280x720 at 10 fps; "
      "mjpeg 640x480 at 30 fps; mjpeg 1280x720 at 30 fps";
  EXPECT_EQ(message_of([] { open(size(800, 600)); }),
            "cannot read /dev/video9: it does not give 800x600" + modes);
  SourceOptions rate = size(640, 480);
  rate.rate = Rate{60, 1};
  EXPECT_EQ(message_of([&] { open(rate); }),
            "cannot read /dev/video9: it does not give 640x480 at 60 fps" + modes);
  SourceOptions format;
  format.format = PixelFormat::nv12;
  const std::string message = message_of([&] { open(format); });
  EXPECT_TRUE(message.starts_with("cannot read /dev/video9: ")) << message;
  EXPECT_TRUE(message.ends_with(modes)) << message;
}

TEST_F(CameraTest, RefusesWhatIsNoCamera) {
  const std::string missing =
      message_of([] { video_module().open_camera("/dev/video-missing", {}); });
  EXPECT_TRUE(missing.starts_with("cannot read /dev/video-missing: ")) << missing;
  EXPECT_TRUE(missing.ends_with("/dev/video-missing: No such file or directory")) << missing;
  EXPECT_THROW(video_module().open_camera("/dev/null", {}), IoError);
}

TEST_F(CameraTest, SaysThatItWasUnplugged) {
  ::setenv("FAKE_CAMERA_UNPLUG", "5", 1);
  const auto source = open(size(640, 480));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(number_of(frame_of(*source)), i);
  EXPECT_EQ(message_of([&] { frame_of(*source); }),
            "cannot read /dev/video9: at frame 6 it is gone; was it unplugged?");
}

TEST_F(CameraTest, OpensAgainAfterItWasClosed) {
  open(size(640, 480));
  EXPECT_EQ(open(size(320, 240))->stream().shape.width, 320);
}

}  // namespace
}  // namespace warpwise::live
