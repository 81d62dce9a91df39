// Compares JPEG pictures that a GPU decodes with those that the CPU decodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/files.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/io/image_module.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/jpeg_on_gpu.hpp"
#include "warpwise/live/source.hpp"
#include "warpwise/live/stage_testing.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;

io::Picture random_picture(std::int64_t width, std::int64_t height, std::uint64_t seed) {
  io::Picture picture(io::PictureShape::of(PixelFormat::rgb24, width, height));
  const Bytes bytes = test::random_bytes(picture.shape().bytes(), seed);
  std::copy(bytes.begin(), bytes.end(), picture.bytes().begin());
  return picture;
}

std::vector<std::byte> jpeg_of(const io::Picture& picture) {
  return io::image_module_of_extension(".jpg").encode(picture, ".jpg", "a.jpg");
}

Bytes bytes_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

// Inserts Exif data with the orientation `number` after a JPEG file's start marker.
std::vector<std::byte> with_orientation(std::vector<std::byte> file, int number) {
  const unsigned char exif[] = {
      0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,
      'M',  'M',  0, 42, 0,   0,   0,   8,   0, 1,
      1,    0x12, 0, 3,  0,   0,   0,   1,   0, static_cast<unsigned char>(number),
      0,    0,    0, 0,  0,   0};
  const auto* first = reinterpret_cast<const std::byte*>(exif);
  file.insert(file.begin() + 2, first, first + sizeof exif);
  return file;
}

class Jpeg : public testing::Test, protected warpwise::test::Files {
 protected:
  void SetUp() override {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  }
};

TEST_F(Jpeg, PicturesAreThoseOfTheCpu) {
  const std::vector<std::byte> file = jpeg_of(random_picture(75, 41, 1));
  const gpu::Stream stream;
  for (const bool luma : {false, true}) {
    JpegOnGpu jpeg;
    const auto shape = jpeg.begin(file, luma, true);
    ASSERT_TRUE(shape);
    const io::Picture expected = io::decode_jpeg(file, "a.jpg", luma);
    ASSERT_EQ(shape->pixel_text(), expected.shape().pixel_text());
    const gpu::Buffer pixels(shape->bytes(), stream);
    ASSERT_TRUE(jpeg.decode(pixels.data(), stream));
    io::Picture ours(*shape);
    gpu::download(pixels.data(), ours.bytes().data(), shape->bytes(), stream);
    stream.synchronize();
    EXPECT_EQ(bytes_of(ours.bytes()), bytes_of(expected.bytes()));
  }
}

TEST_F(Jpeg, TurnedPicturesAreLeftToTheCpu) {
  const std::vector<std::byte> turned = with_orientation(jpeg_of(random_picture(20, 10, 2)), 6);
  ASSERT_EQ(io::decode_jpeg(turned, "a.jpg", false).orientation(), 6);
  EXPECT_FALSE(JpegOnGpu().begin(turned, false, true));
  EXPECT_TRUE(JpegOnGpu().begin(turned, false, false));
  EXPECT_TRUE(
      JpegOnGpu().begin(with_orientation(jpeg_of(random_picture(20, 10, 2)), 1), false, true));
}

TEST_F(Jpeg, FoldersOnAGpuHaveThePicturesInOrder) {
  for (int i = 0; i < 9; ++i) {
    const io::Picture picture = random_picture(40, 24, static_cast<std::uint64_t>(i));
    io::OutputFile file(path(std::to_string(i) + (i == 4 ? ".png" : ".jpg")));
    io::write_picture(file, i == 4 ? ".png" : ".jpg", picture);
    file.finish();
  }
  const auto on_cpu = open_source(folder_.string(), {});
  const auto on_gpu = open_source(folder_.string(), {.decode = Decode::automatic});
  EXPECT_NE(on_cpu->why_not_on_gpu(), "");
  ASSERT_EQ(on_gpu->why_not_on_gpu(), "");
  const gpu::Stream stream;
  const std::int64_t bytes = on_cpu->stream().shape.bytes();
  const gpu::Buffer pixels(bytes, stream);
  Bytes expected(static_cast<std::size_t>(bytes));
  Bytes ours(expected.size());
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(on_cpu->next(expected));
    ASSERT_TRUE(on_gpu->next_on_gpu(pixels.data(), stream));
    gpu::download(pixels.data(), ours.data(), bytes, stream);
    stream.synchronize();
    EXPECT_EQ(ours, expected) << i;
  }
  EXPECT_FALSE(on_gpu->next_on_gpu(pixels.data(), stream));
}

}  // namespace
}  // namespace warpwise::live
