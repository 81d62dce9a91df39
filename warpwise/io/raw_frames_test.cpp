#include "warpwise/io/raw_frames.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

class RawFramesTest : public ::testing::Test, protected test::Files {
 protected:
  static constexpr std::size_t bytes = 6;
  const PictureShape shape_ = PictureShape::interleaved(ElementType::u8, 3, 2, 1);
  std::array<std::byte, bytes> pixels_{};
};

TEST_F(RawFramesTest, ReadsFrameAfterFrame) {
  InputFile file(write("a.raw", "abcdefABCDEF"));
  RawFrames frames(file, shape_);
  ASSERT_TRUE(frames.next(pixels_));
  EXPECT_EQ(pixels_[5], std::byte{'f'});
  ASSERT_TRUE(frames.next(pixels_));
  EXPECT_EQ(pixels_[0], std::byte{'A'});
  EXPECT_FALSE(frames.next(pixels_));
}

TEST_F(RawFramesTest, AFileWithPartOfAFrameIsRefusedAtOnce) {
  InputFile file(write("a.raw", "abcdefA"));
  EXPECT_EQ(test::message_of<IoError>([&] { RawFrames(file, shape_); }),
            path("a.raw") + " has 7 bytes, which is no multiple of a 2x1 rgb24 frame of 6 bytes");
}

// A pipe's size is not known before the pipe ends.
TEST_F(RawFramesTest, APipeThatIsEmptyOrEndsInsideAFrame) {
  const auto after = [&](const std::string& content) {
    int ends[2];
    if (::pipe(ends) != 0) return std::string("no pipe");
    const auto written = ::write(ends[1], content.data(), content.size());
    ::close(ends[1]);
    InputFile file("/proc/self/fd/" + std::to_string(ends[0]));
    RawFrames frames(file, shape_);
    const std::string message = test::message_of<IoError>([&] {
      while (frames.next(pixels_)) {
      }
    });
    ::close(ends[0]);
    const std::size_t name = message.find("/proc/self/fd/");
    EXPECT_EQ(written, std::ssize(content));
    return name == std::string::npos ? message : message.substr(message.find(' ', name));
  };
  EXPECT_EQ(after("abcdef"), "");
  EXPECT_EQ(after(""), " it is empty");
  EXPECT_EQ(after("abcdefABC"), " ends inside frame 2: 3 bytes of a 2x1 rgb24 frame of 6 bytes");
}

}  // namespace
}  // namespace warpwise::io
