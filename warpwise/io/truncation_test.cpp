#include "warpwise/io/truncation.hpp"

#include <gtest/gtest.h>

#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

using namespace std::string_literals;

void check(const std::string& content) { require_complete(std::as_bytes(std::span(content)), "a"); }

// A JPEG file: a start marker, a comment that contains an end marker, a frame header, a scan with a
// stuffed 0xff and a restart marker, and an end marker.
const std::string jpeg =
    "\xff\xd8"
    "\xff\xfe\x00\x04\xff\xd9"
    "\xff\xc0\x00\x03\x08"
    "\xff\xda\x00\x03\x01"
    "\x12\xff\x00\x34\xff\xd0\x56"
    "\xff\xd9"s;

const std::string png =
    "\x89PNG\r\n\x1a\n"
    "\0\0\0\x04IHDR\1\2\3\4crc."
    "\0\0\0\x04IDATIENDcrc."
    "\0\0\0\0IENDcrc."s;

// A GIF file with a palette of two colours, a comment, and a picture of one pixel.
const std::string gif =
    "GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff"
    "!\xfe\2,,\0"
    ",\0\0\0\0\1\0\1\0\0\2\2L\1\0"s;

TEST(Complete, AcceptsWholeFiles) {
  EXPECT_NO_THROW(check(gif));
  EXPECT_NO_THROW(check(jpeg));
  EXPECT_NO_THROW(check(png));
}

TEST(Complete, AcceptsBytesBehindTheEnd) {
  EXPECT_NO_THROW(check(jpeg + "tail"));
  EXPECT_NO_THROW(check(png + "tail"));
  EXPECT_NO_THROW(check(gif + ";"));
}

TEST(Complete, AcceptsFillBytesBeforeAMarker) {
  std::string filled = jpeg;
  filled.insert(2, "\xff\xff\xff");
  EXPECT_NO_THROW(check(filled));
}

TEST(Complete, RefusesEveryCut) {
  for (std::size_t length = 3; length < jpeg.size(); ++length) {
    EXPECT_THROW(check(jpeg.substr(0, length)), IoError) << length;
  }
  for (std::size_t length = 8; length < png.size(); ++length) {
    EXPECT_THROW(check(png.substr(0, length)), IoError) << length;
  }
  for (std::size_t length = 4; length < gif.size(); ++length) {
    EXPECT_THROW(check(gif.substr(0, length)), IoError) << length;
  }
}

TEST(Complete, RefusesALengthBeyondTheFile) {
  std::string huge = png;
  huge.replace(8, 4, "\xff\xff\xff\xff");
  EXPECT_THROW(check(huge), IoError);
}

TEST(Complete, AnAnimationIsToldBeforeThePixels) {
  const auto is_animated = [](const std::string& start) {
    return is_animated_png(std::as_bytes(std::span(start)));
  };
  const std::string chunk =
      "\0\0\0\x08"
      "acTL12345678crc."s;
  EXPECT_FALSE(is_animated(png));
  EXPECT_TRUE(is_animated(png.substr(0, 24) + chunk + png.substr(24)));
  EXPECT_TRUE(is_animated(png.substr(0, 24) + chunk));
  EXPECT_FALSE(is_animated(png.substr(0, 40) + chunk + png.substr(40)));
  EXPECT_FALSE(is_animated(gif));
}

TEST(Complete, SaysNothingOfOtherFormats) {
  EXPECT_NO_THROW(check(""));
  EXPECT_NO_THROW(check("BM"));
  EXPECT_NO_THROW(check("\xff\xd8"));
}

}  // namespace
}  // namespace warpwise::io
