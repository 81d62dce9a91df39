// Compares the decoder with libjpeg-turbo's decoder.
#include <gtest/gtest.h>

#include <cstdio>  // before jpeglib.h, which uses FILE and size_t without their headers
//
#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <random>

#include "support/backend.hpp"
#include "warpwise/algorithms/jpeg/decoder.hpp"
#include "warpwise/algorithms/jpeg/scan.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::jpeg {
namespace {

using Bytes = std::vector<std::byte>;

/// A picture to encode: a gradient with noise, of any size.
struct Made {
  int width = 0;
  int height = 0;
  int across = 1;
  int down = 1;
  bool is_grey = false;
  int quality = 90;
  int restart = 0;
  bool is_optimised = false;
  bool is_progressive = false;
  int noise = 20;
};

Bytes file_of(const Made& made) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(made.width);
  info.image_height = static_cast<JDIMENSION>(made.height);
  info.input_components = made.is_grey ? 1 : 3;
  info.in_color_space = made.is_grey ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, made.quality, TRUE);
  info.comp_info[0].h_samp_factor = made.across;
  info.comp_info[0].v_samp_factor = made.down;
  info.restart_interval = static_cast<unsigned>(made.restart);
  info.optimize_coding = made.is_optimised;
  if (made.is_progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  std::mt19937 random(7);
  std::vector<JSAMPLE> row(static_cast<std::size_t>(made.width) * 3);
  for (int y = 0; y < made.height; ++y) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int slope = static_cast<int>(i) * 2 + y * 3 + (y / 16 % 2) * 60;
      row[i] = static_cast<JSAMPLE>(slope +
                                    (made.noise > 0 ? static_cast<int>(random()) % made.noise : 0));
    }
    JSAMPLE* line = row.data();
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  const auto* bytes = reinterpret_cast<const std::byte*>(memory);
  Bytes file(bytes, bytes + size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return file;
}

/// Jumps out of libjpeg-turbo at an error.
struct Errors : jpeg_error_mgr {
  std::jmp_buf place;
};

/// Decodes with libjpeg-turbo into `result`. Returns false after an error.
bool decode_with_libjpeg(const Bytes& file, Pixels pixels, Bytes& result) {
  jpeg_decompress_struct info{};
  Errors errors{};
  info.err = jpeg_std_error(&errors);
  errors.emit_message = [](j_common_ptr, int) {};
  errors.error_exit = [](j_common_ptr of) {
    std::longjmp(static_cast<Errors*>(of->err)->place, 1);
  };
  jpeg_create_decompress(&info);
  if (setjmp(errors.place) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = pixels == Pixels::rgb24 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_start_decompress(&info);
  const std::size_t row_bytes =
      std::size_t{info.output_width} * static_cast<std::size_t>(info.output_components);
  result.resize(row_bytes * info.output_height);
  while (info.output_scanline < info.output_height) {
    auto* row = reinterpret_cast<JSAMPLE*>(result.data() + row_bytes * info.output_scanline);
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_destroy_decompress(&info);
  return true;
}

/// Decodes on the GPU; returns nullopt if the CPU has to decode.
std::optional<Bytes> pixels_of_gpu(const Scan& scan, Pixels pixels) {
  const gpu::Stream stream;
  const std::int64_t bytes = scan.width * scan.height * (pixels == Pixels::rgb24 ? 3 : 1);
  const gpu::Buffer on_gpu(bytes + 64, stream);
  gpu::fill_bytes(on_gpu.data(), 0xa5, bytes + 64, stream);
  Decoder decoder;
  const bool is_right = decoder.decode(scan, pixels, on_gpu.data(), stream);
  Bytes result(static_cast<std::size_t>(bytes) + 64);
  gpu::download(on_gpu.data(), result.data(), bytes + 64, stream);
  stream.synchronize();
  for (std::size_t i = static_cast<std::size_t>(bytes); i < result.size(); ++i) {
    EXPECT_EQ(result[i], std::byte{0xa5}) << "a byte behind the picture";
  }
  if (!is_right) return std::nullopt;
  result.resize(static_cast<std::size_t>(bytes));
  return result;
}

bool has_gpu() { return gpu::device_count() > 0; }

void expect_equal(const Made& made) {
  const Bytes file = file_of(made);
  const std::optional<Scan> scan = scan_of(file);
  ASSERT_TRUE(scan);
  for (const Pixels pixels : {Pixels::rgb24, Pixels::gray8}) {
    if (pixels == Pixels::rgb24 && made.is_grey) continue;
    SCOPED_TRACE(testing::Message()
                 << made.width << "x" << made.height << ", luma " << made.across << "x" << made.down
                 << ", quality " << made.quality << ", restart " << made.restart << ", noise "
                 << made.noise << (pixels == Pixels::gray8 ? ", luma alone" : ""));
    const std::optional<Bytes> ours = pixels_of_gpu(*scan, pixels);
    ASSERT_TRUE(ours) << "left to the CPU";
    Bytes theirs;
    ASSERT_TRUE(decode_with_libjpeg(file, pixels, theirs));
    ASSERT_EQ(ours->size(), theirs.size());
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      ASSERT_EQ((*ours)[i], theirs[i]) << "byte " << i;
    }
  }
}

constexpr std::pair<int, int> samplings[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};

TEST(Jpeg, EqualsLibjpegTurboForEverySampling) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const auto& [across, down] : samplings) {
    for (const auto& [width, height] :
         {std::pair{1, 1}, {3, 5}, {4, 2}, {16, 16}, {17, 31}, {97, 64}}) {
      expect_equal({.width = width, .height = height, .across = across, .down = down});
    }
  }
}

TEST(Jpeg, EqualsLibjpegTurboForGrey) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  expect_equal({.width = 61, .height = 35, .is_grey = true});
  expect_equal({.width = 33, .height = 9, .across = 2, .down = 2, .is_grey = true});
}

TEST(Jpeg, EqualsLibjpegTurboForEveryQuality) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const int quality : {10, 30, 75, 100}) {
    for (const int noise : {40, 200}) {
      expect_equal({.width = 75,
                    .height = 50,
                    .across = 2,
                    .down = 2,
                    .quality = quality,
                    .is_optimised = true,
                    .noise = noise});
    }
  }
}

TEST(Jpeg, TakesRestartMarkers) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const int restart : {1, 3, 100}) {
    expect_equal({.width = 150, .height = 70, .across = 2, .down = 2, .restart = restart});
  }
}

// Decodes more sequences than a block of threads has: states pass from block to block.
TEST(Jpeg, SettlesAcrossBlocksOfThreads) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  expect_equal({.width = 400, .height = 300, .across = 2, .down = 1, .quality = 97, .noise = 250});
}

TEST(Jpeg, LeavesOtherFilesToTheCpu) {
  EXPECT_FALSE(scan_of({}));
  EXPECT_FALSE(scan_of(file_of({.width = 20, .height = 20, .is_progressive = true})));
  EXPECT_FALSE(scan_of(file_of({.width = 400, .height = 300, .quality = 1, .noise = 0})))
      << "blank";
  Bytes file = file_of({.width = 40, .height = 20, .restart = 1});
  EXPECT_TRUE(scan_of(file));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(scan_of(std::span(file).first(size)));
  }
}

// Adds a code of 16 bits, which has only ones, to each Huffman table of AC coefficients (all but
// the first).
Bytes with_full_tables(const Bytes& file) {
  Bytes result = file;
  for (std::size_t at = 0; at + 4 < result.size(); ++at) {
    const bool is_table = result[at] == std::byte{0xff} && result[at + 1] == std::byte{0xc4} &&
                          (result[at + 4] & std::byte{0xf0}) == std::byte{0x10};
    if (!is_table) continue;
    const std::size_t length = std::to_integer<std::size_t>(result[at + 2]) << 8 |
                               std::to_integer<std::size_t>(result[at + 3]);
    result[at + 2] = static_cast<std::byte>((length + 1) >> 8);
    result[at + 3] = static_cast<std::byte>(length + 1);
    result[at + 20] = static_cast<std::byte>(std::to_integer<unsigned>(result[at + 20]) + 1);
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(at + 2 + length), std::byte{1});
  }
  return result;
}

// The GPU refuses what libjpeg-turbo refuses.
TEST(Jpeg, RefusesWhatLibjpegTurboRefuses) {
  Bytes pixels;
  const Bytes file = file_of({.width = 40, .height = 20, .is_grey = true});
  const Bytes full = with_full_tables(file);
  ASSERT_GT(full.size(), file.size());
  EXPECT_FALSE(decode_with_libjpeg(full, Pixels::gray8, pixels));
  EXPECT_FALSE(scan_of(full));

  Bytes wide = file_of({.width = 65500, .height = 1, .is_grey = true});
  EXPECT_TRUE(scan_of(wide));
  const Bytes frame = {std::byte{0xff}, std::byte{0xc0}, std::byte{0}, std::byte{11}};
  const auto found = std::ranges::search(wide, frame);
  ASSERT_FALSE(found.empty());
  found.begin()[8] = std::byte{0xe0};  // 65504 columns
  EXPECT_FALSE(decode_with_libjpeg(wide, Pixels::gray8, pixels));
  EXPECT_FALSE(scan_of(wide));
}

// A file with a changed bit gives libjpeg-turbo's pixels, or the GPU leaves it to libjpeg-turbo.
void expect_damage_left_to_the_cpu(const Bytes& file, std::size_t begin, int least_left) {
  std::mt19937 random(3);
  int left = 0;
  for (int i = 0; i < 60; ++i) {
    Bytes damaged = file;
    damaged[begin + random() % (file.size() - begin - 2)] ^= std::byte{1} << random() % 8;
    const std::optional<Scan> scan = scan_of(damaged);
    if (scan && scan->width * scan->height > 10000) continue;
    const auto pixels = scan && scan->components == 3 ? Pixels::rgb24 : Pixels::gray8;
    const std::optional<Bytes> ours = scan ? pixels_of_gpu(*scan, pixels) : std::nullopt;
    if (!ours) {
      ++left;
      continue;
    }
    Bytes theirs;
    ASSERT_TRUE(decode_with_libjpeg(damaged, pixels, theirs));
    EXPECT_EQ(*ours, theirs);
  }
  EXPECT_GE(left, least_left);
}

TEST(Jpeg, LeavesDamageToTheCpu) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const int restart : {0, 2}) {
    const Bytes file =
        file_of({.width = 64, .height = 48, .across = 2, .down = 2, .restart = restart});
    const std::byte* data = scan_of(file)->segments[0].data();
    expect_damage_left_to_the_cpu(file, static_cast<std::size_t>(data - file.data()), 15);
    expect_damage_left_to_the_cpu(file, 0, 15);
  }
}

}  // namespace
}  // namespace warpwise::jpeg
