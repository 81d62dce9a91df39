// Reads every file of tests/images and compares the pixels with expected.txt. If the shared library
// libwarpwise_opencv.so is built, loads it and compares them with OpenCV's pixels too.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/bmp.hpp"
#include "warpwise/io/image_format.hpp"
#include "warpwise/io/image_module.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/pnm.hpp"
#include "warpwise/io/truncation.hpp"

namespace warpwise::io {
namespace {

namespace fs = std::filesystem;

// FNV-1a hash of a picture's bytes.
std::string hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

// Returns "13x11 rgb24 0123456789abcdef".
std::string text_of(const Picture& picture) {
  std::string pixels = picture.shape().pixel_text();
  pixels.erase(std::remove(pixels.begin(), pixels.end(), ' '), pixels.end());
  return std::to_string(picture.shape().width) + "x" + std::to_string(picture.shape().height) +
         " " + pixels + " " + hash_of(picture.bytes());
}

template <class Read>
std::string text_of_reading(const Read& read) {
  try {
    return text_of(read());
  } catch (const IoError&) {
    return "refused";
  }
}

struct Expected {
  std::string reading;
  bool opencv_differs = false;  // set if the line says "  unlike OpenCV: reason"
};

std::map<std::string, Expected> expected_readings() {
  std::map<std::string, Expected> all;
  std::ifstream file(WARPWISE_IMAGES "/expected.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.find(' ');
    const std::size_t unlike = line.find("  unlike OpenCV");
    all[line.substr(0, space)] = {line.substr(space + 1, unlike - space - 1),
                                  unlike != std::string::npos};
  }
  return all;
}

std::vector<std::byte> content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

bool is_there(const ImageModule& (*module)()) {
  try {
    module();
    return true;
  } catch (const IoError&) {
    return false;
  }
}

bool is_read_here(std::string_view format) {
  try {
    image_module_of_format(format);
    return true;
  } catch (const IoError&) {
    return false;
  }
}

TEST(ImageFilesTest, EachGivesTheExpectedPixels) {
  const std::map<std::string, Expected> expected = expected_readings();
  const bool compare_with_opencv = is_there(opencv_module);
  std::size_t read = 0;
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(WARPWISE_IMAGES)) {
    const std::string name = entry.path().filename();
    const std::vector<std::byte> content = content_of(entry.path());
    const std::optional<ImageFormat> format = image_format_of(content);
    if (!format || !is_read_here(format->name)) continue;
    const auto line = expected.find(name);
    const Expected wanted = line == expected.end() ? Expected{} : line->second;
    const std::string got = text_of_reading([&] {
      InputFile file(entry.path());
      return read_picture(file);
    });
    EXPECT_EQ(got, wanted.reading) << name;
    ++read;
    if (!compare_with_opencv) continue;
    const std::string opencv = text_of_reading([&] {
      require_complete(content, name);
      return opencv_module().decode(content, name);
    });
    EXPECT_EQ(got != opencv, wanted.opencv_differs) << name << ": OpenCV reads " << opencv;
    ++compared;
  }
  if (is_read_here("PNG") && is_read_here("JPEG") && is_read_here("TIFF") && is_read_here("WebP")) {
    EXPECT_EQ(read, expected.size()) << "expected.txt names a file that is not there";
  }
  if (read == 0) GTEST_SKIP() << "no module that reads images is built";
  RecordProperty("compared_with_opencv", static_cast<int>(compared));
}

Picture pattern(const PictureShape& shape) {
  Picture picture(shape);
  for (std::size_t i = 0; i < picture.bytes().size(); ++i) {
    picture.bytes()[i] = static_cast<std::byte>(i * i / 7 + 3 * i);
  }
  if (shape.type == ElementType::f32) {  // no NaN
    for (std::size_t i = 0; i < picture.bytes().size() / 4; ++i) {
      store(picture.bytes().data(), static_cast<std::int64_t>(i), 0.37F * static_cast<float>(i));
    }
  }
  return picture;
}

TEST(ImageFilesTest, WritersMakeTheBytesOfOpenCV) {
  if (!is_there(opencv_module)) GTEST_SKIP() << "OpenCV's module is not built";
  int compared = 0;
  for (const auto& [format, extension] : {std::pair("PNG", ".png"), std::pair("TIFF", ".tiff"),
                                          std::pair("WebP", ".webp"), std::pair("JPEG", ".jpg")}) {
    if (!is_read_here(format)) continue;
    for (const auto& [width, height] : {std::pair(53, 37), std::pair(1, 1), std::pair(3000, 2)}) {
      for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::i16,
                                     ElementType::i32, ElementType::f32}) {
        for (const int channels : {1, 3, 4}) {
          PictureShape shape = PictureShape::interleaved(type, channels, width, height);
          for (const bool bgr : {false, true}) {
            if (bgr && (type != ElementType::u8 || channels == 1)) continue;
            if (bgr) shape.format = channels == 3 ? PixelFormat::bgr24 : PixelFormat::bgra32;
            if (storage_fidelity(extension, shape) == StorageFidelity::unsupported) continue;
            const bool has_tag_of_alpha =
                format == std::string_view("TIFF") && channels == 4 && type != ElementType::f32;
            if (has_tag_of_alpha) continue;  // OpenCV writes no such tag
            const Picture picture = pattern(shape);
            EXPECT_TRUE(image_module_of_extension(extension).encode(picture, extension, "a") ==
                        opencv_module().encode(picture, extension, "a"))
                << extension << " " << shape.pixel_text() << " " << width << "x" << height;
            ++compared;
          }
        }
      }
    }
  }
  RecordProperty("compared_with_opencv", compared);
}

TEST(ImageFilesTest, TiffFilesSayThatAlphaIsStraight) {
  if (!is_read_here("TIFF")) GTEST_SKIP() << "the module is not built";
  using namespace std::literals;
  const auto says_so = [](ElementType type, int channels) {
    const Picture picture = pattern(PictureShape::interleaved(type, channels, 5, 3));
    const auto file = image_module_of_extension(".tif").encode(picture, ".tif", "a");
    // Tag 338, ExtraSamples: one number of 16 bits, 2.
    constexpr auto entry = "\x52\x01\x03\0\x01\0\0\0\x02\0"sv;
    const auto bytes = std::as_bytes(std::span(entry));
    const Picture back = image_module_of_format("TIFF").decode(file, "a");
    EXPECT_EQ(hash_of(back.bytes()), hash_of(picture.bytes())) << picture.shape().pixel_text();
    return !std::ranges::search(file, bytes).empty();
  };
  EXPECT_TRUE(says_so(ElementType::u8, 4));
  EXPECT_TRUE(says_so(ElementType::u16, 4));
  EXPECT_FALSE(says_so(ElementType::f32, 4));
  EXPECT_FALSE(says_so(ElementType::u8, 3));
}

// PAM is left out, because OpenCV 4.6 exchanges its red and blue; pnm_test.py compares with netpbm.
TEST(ImageFilesTest, OpenCVReadsBmpPnmAndPfmAsWritten) {
  if (!is_there(opencv_module)) GTEST_SKIP() << "OpenCV's module is not built";
  int compared = 0;
  for (const char* extension : {".bmp", ".pgm", ".ppm", ".pfm"}) {
    for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::f32}) {
      for (const int channels : {1, 3, 4}) {
        const auto shape = PictureShape::interleaved(type, channels, 53, 37);
        if (storage_fidelity(extension, shape) != StorageFidelity::exact) continue;
        const Picture picture = pattern(shape);
        std::vector<std::byte> file = std::string_view(extension) == ".bmp"
                                          ? encode_bmp(picture, "a")
                                          : encode_pnm(picture, extension);
        const Picture back = opencv_module().decode(file, "a");
        ASSERT_EQ(back.shape().type, type) << extension;
        ASSERT_EQ(back.shape().channels, channels) << extension << shape.pixel_text();
        EXPECT_EQ(std::memcmp(back.bytes().data(), picture.bytes().data(), back.bytes().size()), 0)
            << extension << ' ' << shape.pixel_text();
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 8);
}

TEST(ImageFilesTest, PfmFilesOfOpenCVAndOfOtherScales) {
  const auto decode = [](const std::string& text) {
    return decode_pnm(std::as_bytes(std::span(text)), "a.pfm");
  };
  using namespace std::literals;
  const Picture scaled = decode("Pf 1 2 2.0\n\x40\x80\0\0\x3f\x80\0\0"s);  // 4 and 1
  EXPECT_EQ(load<float>(scaled.bytes().data(), 0), 0.5F);  // the file's last row is the top row
  EXPECT_EQ(load<float>(scaled.bytes().data(), 1), 2.0F);
  const Picture windows = decode("Pf\r\n1 1\r\n+2.0\r\n\x40\x80\0\0"s);
  EXPECT_EQ(load<float>(windows.bytes().data(), 0), 2.0F);
  for (const std::string& refused :
       {"PF4\n1 1\n-1.0\n                "s, "Pf\n1 1\n0\n    "s, "Pf\n1 1\nnan\n    "s,
        "Pf\n1 1\n-1.0x\n    "s, "Pf\n1 1\n-1.0\n   "s, "PF\n1 1\n-1.0\n    "s,
        "Pf\n1048577 1\n-1.0\n    "s, "Pf\n1"s}) {
    EXPECT_THROW(decode(refused), IoError) << refused;
  }
  if (!is_there(opencv_module)) GTEST_SKIP() << "OpenCV's module is not built";
  for (const int channels : {1, 3}) {
    const Picture picture = pattern(PictureShape::interleaved(ElementType::f32, channels, 53, 37));
    const auto file = opencv_module().encode(picture, ".pfm", "a");
    const Picture back = decode_pnm(file, "a.pfm");
    EXPECT_EQ(std::memcmp(back.bytes().data(), picture.bytes().data(), back.bytes().size()), 0);
  }
}

TEST(ImageFilesTest, PicturesOfAFileAreCountedAndReadByNumber) {
  if (!is_read_here("TIFF") || !is_read_here("WebP") || !is_read_here("PNG"))
    GTEST_SKIP() << "a module is not built";
  for (const std::string name : {"grey8-pages.tif", "animated.webp", "grey8.png", "rgb8.tif"}) {
    const std::string path = WARPWISE_IMAGES "/" + name;
    const auto opened = [&] { return InputFile(path); };
    InputFile counted = opened();
    const std::int64_t count = count_pictures(counted);
    EXPECT_EQ(count > 1, name == "grey8-pages.tif" || name == "animated.webp") << name;
    InputFile all = opened();
    const std::unique_ptr<Pages> pages = pages_in(all);
    EXPECT_EQ(pages->count(), count) << name;
    std::int64_t number = 0;
    while (std::optional<Page> page = pages->next()) {
      InputFile file = opened();
      const PictureOfSeveral one = read_picture_of_several(file, {.page = ++number});
      EXPECT_EQ(text_of(one.picture), text_of(page->picture)) << name << " " << number;
      EXPECT_EQ(one.number, number);
      EXPECT_EQ(one.count, count);
    }
    EXPECT_EQ(number, count) << name;
    EXPECT_FALSE(pages->next());
    InputFile file = opened();
    EXPECT_EQ(
        test::message_of<IoError>([&] { read_picture_of_several(file, {.page = count + 1}); }),
        path + " has no picture " + std::to_string(count + 1) + ", only " + std::to_string(count) +
            (count == 1 ? " picture" : " pictures"));
  }
}

TEST(ImageFilesTest, APageIsReadBehindOneThatCannotBe) {
  if (!is_read_here("TIFF")) GTEST_SKIP() << "the module is not built";
  struct : test::Files {
    using Files::write;
  } files;
  using namespace std::literals;
  const std::vector<std::byte> bytes = content_of(WARPWISE_IMAGES "/grey8-pages.tif");
  std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // Changes the first page's bits per sample from 8 to 4, which is refused.
  content.replace(content.find("\x02\x01\x03\0\x01\0\0\0\x08"sv) + 8, 1, "\x04");
  const std::string path = files.write("a.tif", content);
  const auto read = [](const std::string& from, std::int64_t page) {
    InputFile file(from);
    return text_of(read_picture_of_several(file, {.page = page}).picture);
  };
  EXPECT_THROW(read(path, 1), IoError);
  EXPECT_EQ(read(path, 2), read(WARPWISE_IMAGES "/grey8-pages.tif", 2));
}

TEST(ImageFilesTest, AJpegFileIsReadAsItsBytesAsItsLumaAndAsAWhole) {
  if (!is_read_here("JPEG") || !is_read_here("PNG")) GTEST_SKIP() << "a module is not built";
  const std::string path = WARPWISE_IMAGES "/sampling-2x2.jpg";
  InputFile file(path);
  const auto content = read_jpeg(file);
  ASSERT_TRUE(content);
  EXPECT_EQ(*content, content_of(path));
  const Picture luma = decode_jpeg(*content, path, true);
  EXPECT_EQ(luma.shape().channels, 1);
  InputFile rgb(WARPWISE_IMAGES "/rgb.jpg");
  EXPECT_EQ(read_stored_picture(rgb, true).shape().channels, 3) << "RGB has no luma";
  InputFile again(path);
  EXPECT_EQ(text_of(read_stored_picture(again, true)), text_of(luma));
  InputFile png(WARPWISE_IMAGES "/grey8.png");
  EXPECT_FALSE(read_jpeg(png));
  EXPECT_FALSE(text_of(read_picture(png)).empty()) << "nothing was consumed";
}

TEST(ImageFilesTest, PicturesThatAreTooWideAreRefusedByTheirType) {
  for (const auto& [format, extension, width, limit] :
       {std::tuple("JPEG", ".jpg", 70000, "JPEG files end at 65500 columns and rows"),
        std::tuple("WebP", ".webp", 17000, "WebP files end at 16383 columns and rows")}) {
    if (!is_read_here(format)) continue;
    const Picture picture = pattern(PictureShape::interleaved(ElementType::u8, 3, width, 1));
    EXPECT_EQ(test::message_of<IoError>([&, extension = extension] {
                image_module_of_extension(extension).encode(picture, extension, "a");
              }),
              std::string("cannot write a: ") + limit);
  }
  EXPECT_EQ(test::message_of<InvalidArgument>(
                [] { Picture(PictureShape::interleaved(ElementType::u8, 1, 0, 7)); }),
            "a picture needs at least 1x1 pixels, not 0x7");
}

// OpenCV writes floats of three channels as LogLuv.
TEST(ImageFilesTest, LogLuvIsReadAsOpenCVReadsIt) {
  if (!is_there(opencv_module) || !is_read_here("TIFF")) GTEST_SKIP() << "a module is not built";
  const Picture picture = pattern(PictureShape::interleaved(ElementType::f32, 3, 53, 37));
  const std::vector<std::byte> file = opencv_module().encode(picture, ".tiff", "a");
  const Picture ours = image_module_of_format("TIFF").decode(file, "a");
  const Picture theirs = opencv_module().decode(file, "a");
  ASSERT_EQ(ours.shape().pixel_text(), theirs.shape().pixel_text());
  for (std::int64_t i = 0; i < 3 * 53 * 37; ++i) {
    // To get RGB from XYZ, OpenCV adds products in another order, which depends on the CPU.
    const auto expected = load<float>(theirs.bytes().data(), i);
    ASSERT_NEAR(load<float>(ours.bytes().data(), i), expected, 1e-4F * (1 + std::abs(expected)));
  }
}

}  // namespace
}  // namespace warpwise::io
