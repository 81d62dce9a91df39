#include "warpwise/io/y4m.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

TEST(Y4mHeader, SaysWhatTheFramesAre) {
  struct Case {
    const char* line;
    const char* pixels;
    std::int64_t width;
    std::int64_t height;
    bool full;
    const char* rate;
  };
  for (const Case& each : {
           Case{"YUV4MPEG2 W7 H5", "i420", 7, 5, false, "25:1"},
           Case{"YUV4MPEG2 H5 W7 C420jpeg", "i420", 7, 5, false, "25:1"},
           Case{"YUV4MPEG2 W7 H5 F30000:1001 Ip A1:1 C420mpeg2", "i420", 7, 5, false, "30000:1001"},
           Case{"YUV4MPEG2 W7 H5 I? C420paldv XYSCSS=420PALDV XCOLORRANGE=FULL", "i420", 7, 5, true,
                "25:1"},
           Case{"YUV4MPEG2 W1 H1 C420 ", "i420", 1, 1, false, "25:1"},
           Case{"YUV4MPEG2 W8 H6 C422 XCOLORRANGE=LIMITED", "yuyv", 8, 6, false, "25:1"},
           Case{"YUV4MPEG2 W8 H6 C444 X X=", "ycbcr32", 8, 6, false, "25:1"},
           Case{"YUV4MPEG2 W8 H6 Cmono", "gray8", 8, 6, true, "25:1"},
           Case{"YUV4MPEG2 W8 H6 Cmono9", "u16", 8, 6, true, "25:1"},
           Case{"YUV4MPEG2 W7 H5 C420p10 XYSCSS=420P10", "yuv420p16", 7, 5, false, "25:1"},
           Case{"YUV4MPEG2 W7 H5 C422p12 XCOLORRANGE=FULL", "yuv422p16", 7, 5, true, "25:1"},
           Case{"YUV4MPEG2 W7 H5 C444p16", "yuv444p16", 7, 5, false, "25:1"},
           Case{"YUV4MPEG2 W8 H6 Cmono XCOLORRANGE=LIMITED F0:0", "gray8", 8, 6, false, "0:0"},
       }) {
    const Y4mHeader header = parse_y4m_header(each.line, "a.y4m");
    EXPECT_EQ(header.shape.pixel_text(), each.pixels) << each.line;
    EXPECT_EQ(header.shape.width, each.width) << each.line;
    EXPECT_EQ(header.shape.height, each.height) << each.line;
    EXPECT_EQ(header.shape.full_range, each.full) << each.line;
    EXPECT_EQ(header.rate, each.rate) << each.line;
  }
}

TEST(Y4mHeader, RefusesWhatCannotBeRead) {
  struct Case {
    const char* line;
    const char* says;
  };
  for (const Case& each : {
           Case{"", "does not begin with YUV4MPEG2"},
           Case{"YUV4MPEG2", "no width or height"},
           Case{"YUV4MPEG2 W7", "no width or height"},
           Case{"YUV4MPEG2W7 H5", "without a space"},
           Case{"YUV4MPEG2 W0 H5", "'W0' instead of a size"},
           Case{"YUV4MPEG2 W-7 H5", "'W-7'"},
           Case{"YUV4MPEG2 W7x H5", "'W7x'"},
           Case{"YUV4MPEG2 W H5", "'W'"},
           Case{"YUV4MPEG2 W99999999999999999999 H5", "instead of a size"},
           Case{"YUV4MPEG2 W7 H5 C420p8", "its pixels are 420p8; 420jpeg, "},
           Case{"YUV4MPEG2 W7 H5 C420p17", "its pixels are 420p17; 420jpeg, "},
           Case{"YUV4MPEG2 W7 H5 C420p010", "its pixels are 420p010; "},
           Case{"YUV4MPEG2 W7 H5 Cmono1", "mono1; "},
           Case{"YUV4MPEG2 W7 H5 C444alpha", "444alpha"},
           Case{"YUV4MPEG2 W7 H5 C411", "411"},
           Case{"YUV4MPEG2 W7 H5 C", "its pixels are ;"},
           Case{"YUV4MPEG2 W7 H5 It", "interlaced (It)"},
           Case{"YUV4MPEG2 W7 H5 Ib", "interlaced (Ib)"},
           Case{"YUV4MPEG2 W7 H5 Im", "interlaced (Im)"},
           Case{"YUV4MPEG2 W7 H5 F25", "'F25' instead of a ratio"},
           Case{"YUV4MPEG2 W7 H5 F:", "'F:'"},
           Case{"YUV4MPEG2 W7 H5 A1:x", "'A1:x'"},
           Case{"YUV4MPEG2 W7 H5 Q1", "a parameter 'Q1'"},
       }) {
    const std::string said =
        test::message_of<IoError>([&] { parse_y4m_header(each.line, "a.y4m"); });
    EXPECT_NE(said.find("a.y4m cannot be read as .y4m: "), std::string::npos) << each.line;
    EXPECT_NE(said.find(each.says), std::string::npos) << each.line << ": " << said;
  }
}

class Y4mFile : public ::testing::Test, protected test::Files {
 protected:
  // Reads a file with that content and returns its frames as text.
  std::string frames_of(const std::string& content) {
    InputFile file(write("in.y4m", content));
    Y4mFrames frames(file);
    Picture picture(frames.shape());
    std::string all;
    while (frames.next(picture.bytes())) {
      all.append(reinterpret_cast<const char*>(picture.bytes().data()), picture.bytes().size());
      all += '|';
    }
    return all;
  }

  std::string why_refused(const std::string& content) {
    return test::message_of<IoError>([&] { frames_of(content); });
  }
};

TEST_F(Y4mFile, GivesFramesAsTheirFormatsLie) {
  EXPECT_EQ(frames_of("YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcdFRAME\nefgh"), "abcd|efgh|");
  EXPECT_EQ(frames_of("YUV4MPEG2 W3 H1\nFRAME\nabcuuvvFRAME Ixyz\nABCUUVV"), "abcuuvv|ABCUUVV|");
  // Each of the two rows has three pixels, so its last pair has one pixel.
  EXPECT_EQ(frames_of("YUV4MPEG2 W3 H2 C422\nFRAME\nabcdef1234wxyz"), "a1bwc2cxd3eyf4fz|");
  EXPECT_EQ(frames_of("YUV4MPEG2 W2 H1 C444\nFRAME\nab12yz"),
            "a1y\xff"
            "b2z\xff|");
}

TEST_F(Y4mFile, GivesAllBitsOfDeepSamples) {
  // 10-bit samples: luma 1023 and 64, Cb 512 (neutral), and Cr 65535, which exceeds 10 bits.
  const std::string frame("FRAME\n\xff\x03\x40\x00\x00\x02\xff\xff", 14);
  EXPECT_EQ(frames_of("YUV4MPEG2 W2 H1 C420p10\n" + frame),
            std::string("\xc0\xff\x00\x10\x00\x80\xc0\xff|", 9));
  EXPECT_EQ(frames_of("YUV4MPEG2 W2 H1 C422p10 XCOLORRANGE=FULL\n" + frame),
            std::string("\xff\xff\x04\x10\x00\x80\xdf\xff|", 9));
  EXPECT_EQ(frames_of("YUV4MPEG2 W4 H1 Cmono16\n" + frame), frame.substr(6) + "|");
}

TEST_F(Y4mFile, RefusesAFileThatIsNotWhole) {
  const std::string header = "YUV4MPEG2 W2 H2 Cmono\n";
  struct Case {
    std::string content;
    const char* says;
  };
  for (const Case& each : {
           Case{"YUV4MPEG2 W2 H2", "ends inside its header"},
           Case{header, "it has no frame"},
           Case{header + "FRA", "ends inside the line before frame 1"},
           Case{header + "FRAME\nabcdFRAME Ip", "ends inside the line before frame 2"},
           Case{header + "FRAME\nabc", "ends inside frame 1: 3 bytes of 4"},
           Case{header + "FRAME\nabcdefghijkl", "frame 2 does not begin with the word FRAME"},
           Case{header + "FRAMES\nabcd", "frame 1 does not begin with the word FRAME"},
           Case{header + "FRAME " + std::string(5000, 'X'), "longer than 4096 bytes"},
           Case{"YUV4MPEG2 X" + std::string(5000, 'X'), "longer than 4096 bytes"},
           Case{"YUV4MPEG2 W1000 H1000\nFRAME\nabc", "frames have 1500000 bytes, the file has"},
           Case{"YUV4MPEG2 W4294967296 H4294967296 C444\nFRAME\n", "64 bits"},
       }) {
    const std::string said = why_refused(each.content);
    EXPECT_NE(said.find(each.says), std::string::npos) << each.says << ": " << said;
  }
}

TEST_F(Y4mFile, IsWhatTheHeaderOfAResultMakes) {
  auto shape = PictureShape::of(PixelFormat::gray8, 2, 2);
  EXPECT_EQ(y4m_header(shape, "30:1", "4:3"),
            "YUV4MPEG2 W2 H2 F30:1 Ip A4:3 Cmono XCOLORRANGE=FULL\n");
  shape = PictureShape::of(PixelFormat::i444, 7, 5);
  shape.full_range = false;
  const std::string line = y4m_header(shape, "25:1", "0:0");
  EXPECT_EQ(line, "YUV4MPEG2 W7 H5 F25:1 Ip A0:0 C444 XCOLORRANGE=LIMITED\n");
  EXPECT_EQ(parse_y4m_header(line.substr(0, line.size() - 1), "a").shape.full_range, false);
  shape = PictureShape::of(DeepPlanes::yuv422, 7, 5);
  EXPECT_EQ(y4m_header(shape, "25:1", "0:0", "420mpeg2", 12),
            "YUV4MPEG2 W7 H5 F25:1 Ip A0:0 C422p12 XYSCSS=422P12 XCOLORRANGE=FULL\n");
  for (const PixelFormat format : all_pixel_formats) {
    const auto pixel = PictureShape::of(format, 1, 1);
    const bool shares_chroma = frame_bytes(format, 2, 2) < 12;
    if (shares_chroma || y4m_holds(pixel)) continue;
    EXPECT_THROW(y4m_header(pixel, "25:1", "0:0"), InvalidArgument);
  }
}

}  // namespace
}  // namespace warpwise::io
