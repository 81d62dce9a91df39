// These tests need all image modules, but link none.

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/files.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::io {
namespace {

namespace fs = std::filesystem;

class ImageModuleTest : public ::testing::Test, protected test::Files {
 protected:
  static Picture read(const std::string& path) {
    InputFile file(path);
    return read_picture(file);
  }
  static void write(const std::string& path, const Picture& picture) {
    OutputFile file(path);
    write_picture(file, extension_of(path), picture);
    file.finish();
  }
};

Picture pattern(const PictureShape& shape) {
  Picture picture(shape);
  for (std::size_t i = 0; i < picture.bytes().size(); ++i) {
    picture.bytes()[i] = static_cast<std::byte>(i * i / 7 + 3 * i);
  }
  if (shape.type == ElementType::f32) {  // .pfm and .exr keep all values of 0 and more, but no NaN
    for (std::size_t i = 0; i < picture.bytes().size() / 4; ++i) {
      store(picture.bytes().data(), static_cast<std::int64_t>(i), 0.37F * static_cast<float>(i));
    }
  }
  return picture;
}

// Checks every row of picture_file.cpp's table that is not marked as lossy.
TEST_F(ImageModuleTest, ExactTypesGiveBackWhatWasWritten) {
  int kept = 0;
  for (const char* extension : {".png", ".tif", ".tiff", ".bmp", ".dib", ".pgm", ".ppm", ".pnm",
                                ".pam", ".webp", ".pfm", ".exr", ".npy"}) {
    for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::i16,
                                   ElementType::u32, ElementType::i32, ElementType::f32}) {
      for (const int channels : {1, 3, 4}) {
        const auto shape = PictureShape::interleaved(type, channels, 53, 37);
        if (storage_fidelity(extension, shape) != StorageFidelity::exact) continue;
        const Picture picture = pattern(shape);
        const std::string file = path(std::string("a") + extension);
        write(file, picture);
        const Picture back = read(file);
        ASSERT_EQ(back.shape().type, type) << extension;
        ASSERT_EQ(back.shape().channels, channels) << extension;
        ASSERT_EQ(back.bytes().size(), picture.bytes().size());
        EXPECT_EQ(std::memcmp(back.bytes().data(), picture.bytes().data(), back.bytes().size()), 0)
            << extension << ' ' << shape.pixel_text();
        ++kept;
      }
    }
  }
  EXPECT_EQ(kept, 68);
}

TEST_F(ImageModuleTest, LossyTypesComeClose) {
  for (const char* extension : {".jpg", ".jpeg", ".jpe", ".jp2"}) {
    Picture picture(PictureShape::of(PixelFormat::rgb24, 64, 48));
    for (std::int64_t i = 0; i < 64 * 48; ++i) {
      const unsigned char colour[] = {200, 100, static_cast<unsigned char>(i / 64)};
      std::memcpy(picture.bytes().data() + 3 * i, colour, 3);
    }
    EXPECT_EQ(storage_fidelity(extension, picture.shape()), StorageFidelity::lossy);
    const std::string file = path(std::string("a") + extension);
    write(file, picture);
    const Picture back = read(file);
    ASSERT_EQ(back.shape().format, PixelFormat::rgb24);
    for (std::size_t i = 0; i < back.bytes().size(); ++i) {
      ASSERT_NEAR(std::to_integer<int>(back.bytes()[i]), std::to_integer<int>(picture.bytes()[i]),
                  6)
          << extension << " at " << i;
    }
  }
}

TEST_F(ImageModuleTest, Bgr24IsTheSameColour) {
  Picture rgb(PictureShape::of(PixelFormat::rgb24, 1, 1));
  Picture bgr(PictureShape::of(PixelFormat::bgr24, 1, 1));
  for (std::size_t i = 0; i < 3; ++i) {
    rgb.bytes()[i] = static_cast<std::byte>(50 * i);
    bgr.bytes()[2 - i] = static_cast<std::byte>(50 * i);
  }
  write(path("rgb.png"), rgb);
  write(path("bgr.png"), bgr);
  EXPECT_EQ(Files::read(path("rgb.png")), Files::read(path("bgr.png")));
  EXPECT_EQ(std::memcmp(read(path("bgr.png")).bytes().data(), rgb.bytes().data(), 3), 0);
}

TEST_F(ImageModuleTest, RefusesCutFilesOfEveryType) {
  const auto refuse_cuts = [&](const std::string& whole, const std::string& name) {
    for (const double share : {0.002, 0.1, 0.5, 0.9, 1.0}) {
      std::size_t length = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
      length = std::min(length, whole.size() - 1);
      std::ofstream(path(name), std::ios::binary) << whole.substr(0, length);
      EXPECT_THROW(read(path(name)), IoError) << name << ": " << length << " of " << whole.size();
    }
  };
  const Picture picture = read(std::string(WARPWISE_SAMPLES) + "/rubberwhale1.png");
  for (const char* extension : {".png", ".tiff", ".bmp", ".ppm", ".webp", ".jpg", ".jp2"}) {
    const std::string file = path(std::string("whole") + extension);
    write(file, picture);
    refuse_cuts(Files::read(file), std::string("cut") + extension);
  }
  refuse_cuts(Files::read(std::string(WARPWISE_SAMPLES) + "/building.jpg"), "building.jpg");
}

TEST_F(ImageModuleTest, RefusesAJpegWhoseScanEndsEarly) {
  const std::string whole = Files::read(std::string(WARPWISE_SAMPLES) + "/building.jpg");
  std::ofstream(path("a.jpg"), std::ios::binary) << whole.substr(0, whole.size() / 2) << "\xff\xd9";
  EXPECT_THROW(read(path("a.jpg")), IoError);
}

TEST_F(ImageModuleTest, RefusesWhatIsNoImage) {
  std::ofstream(path("empty.png")).close();
  std::ofstream(path("text.png")) << "this is no image, whatever its name says\n";
  for (const auto& [name, why] :
       {std::pair("empty.png", "it is empty"), std::pair("text.png", "it is no image")}) {
    try {
      read(path(name));
      ADD_FAILURE() << name << " was read";
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
}

TEST_F(ImageModuleTest, TurnsAJpegUpright) {
  Picture picture(PictureShape::of(PixelFormat::gray8, 32, 16));
  std::memset(picture.bytes().data(), 0x80, picture.bytes().size());
  write(path("a.jpg"), picture);
  std::string file = Files::read(path("a.jpg"));
  // An Exif segment with one entry: the orientation (tag 0x0112) is 6, a quarter turn.
  static constexpr char exif[] =
      "\xff\xe1\x00\x22"
      "Exif\0\0"
      "MM\0\x2a\0\0\0\x08"
      "\0\x01"
      "\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
      "\0\0\0\0";
  file.insert(2, exif, sizeof exif - 1);
  std::ofstream(path("turned.jpg"), std::ios::binary) << file;
  const Picture upright = read(path("turned.jpg"));
  EXPECT_EQ(upright.shape().width, 16);
  EXPECT_EQ(upright.shape().height, 32);
  // Orientations are 1 to 8. Other numbers leave the picture as it is.
  const std::size_t orientation = file.find(std::string("\0\x06\0\0", 4)) + 1;
  for (const char unknown : {0, 9, 13}) {
    file[orientation] = unknown;
    std::ofstream(path("unknown.jpg"), std::ios::binary) << file;
    EXPECT_EQ(read(path("unknown.jpg")).shape().width, 32) << static_cast<int>(unknown);
  }
}

TEST_F(ImageModuleTest, RefusesWhatAFileTypeCannotHold) {
  const Picture signed_pixels = pattern(PictureShape::interleaved(ElementType::i16, 1, 4, 4));
  EXPECT_THROW(write(path("a.png"), signed_pixels), IoError);
  const Picture ycbcr = pattern(PictureShape::of(PixelFormat::ycbcr32, 4, 4));
  EXPECT_THROW(write(path("a.png"), ycbcr), IoError);
  EXPECT_THROW(write(path("a.unknown"), ycbcr), IoError);
  EXPECT_EQ(extensions_that_hold(ycbcr.shape()), ".npy, .raw");
  EXPECT_EQ(extensions_that_hold(signed_pixels.shape()), ".tif, .tiff, .npy, .raw");
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace warpwise::io
