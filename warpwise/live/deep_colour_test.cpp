// Compares conversions of deep colours with the standards' formulas in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "warpwise/live/depth.hpp"
#include "warpwise/live/pipeline.hpp"
#include "warpwise/live/sinks.hpp"
#include "warpwise/live/stage_testing.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/primitives/convert/share_chroma.hpp"

namespace warpwise::live::test {
namespace {

using Triple = std::array<double, 3>;

// Returns luma from 0 to 1 and chroma from -0.5 to 0.5.
Triple yuv_of(const Triple& rgb, Matrix matrix) {
  const double kr = matrix == Matrix::bt601 ? 0.299 : matrix == Matrix::bt709 ? 0.2126 : 0.2627;
  const double kb = matrix == Matrix::bt601 ? 0.114 : matrix == Matrix::bt709 ? 0.0722 : 0.0593;
  const double y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
  return {y, (rgb[2] - y) / (2 - 2 * kb), (rgb[0] - y) / (2 - 2 * kr)};
}

// Solves yuv_of(result) = yuv by Cramer's rule.
Triple rgb_of(const Triple& yuv, Matrix matrix) {
  const Triple columns[] = {yuv_of({1, 0, 0}, matrix), yuv_of({0, 1, 0}, matrix),
                            yuv_of({0, 0, 1}, matrix)};
  const auto determinant = [](const Triple& a, const Triple& b, const Triple& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
           c[0] * (a[1] * b[2] - a[2] * b[1]);
  };
  const double whole = determinant(columns[0], columns[1], columns[2]);
  return {determinant(yuv, columns[1], columns[2]) / whole,
          determinant(columns[0], yuv, columns[2]) / whole,
          determinant(columns[0], columns[1], yuv) / whole};
}

double meaning_of(double code, int component, Range range, int bits) {
  const double unit = std::exp2(bits - 8);
  const double neutral = component == 0 ? 0 : std::exp2(bits - 1);
  if (range == Range::full) return (code - neutral) / (std::exp2(bits) - 1);
  return component == 0 ? (code - 16 * unit) / (219 * unit) : (code - neutral) / (224 * unit);
}

double code_of(double meaning, int component, Range range) {
  if (range == Range::full) return 65535 * meaning + (component == 0 ? 0 : 32768);
  return component == 0 ? 4096 + 56064 * meaning : 32768 + 57344 * meaning;
}

std::size_t index_of(const io::PictureShape& shape, int plane, std::int64_t x, std::int64_t y) {
  std::int64_t index = 0;
  for (int i = 0; i < plane; ++i) index += shape.plane_width(i) * shape.plane_height(i);
  const std::int64_t across = shape.plane_width(plane) != shape.width ? 2 : 1;
  const std::int64_t down = shape.planes == io::DeepPlanes::yuv420 && plane > 0 ? 2 : 1;
  return static_cast<std::size_t>(index + y / down * shape.plane_width(plane) + x / across);
}

std::uint16_t word(const Bytes& bytes, std::size_t index) {
  return load<std::uint16_t>(bytes.data(), static_cast<std::int64_t>(index));
}

void expect_near(double expected, std::uint16_t actual, double error) {
  ASSERT_LE(std::abs(std::clamp(expected, 0.0, 65535.0) - actual), error) << expected;
}

class DeepColours : public warpwise::test::BackendTest {};

/// Random samples of a stream's depth. `codes` has them as stored, `frame` scaled to 16 bits.
struct DeepSamples {
  explicit DeepSamples(const Stream& stream) : codes(random_frame(stream, 1)), frame(codes) {
    const std::vector<std::uint16_t> luma = levels(stream.depth, 16, coding_of(stream, 0));
    const std::vector<std::uint16_t> chroma = levels(stream.depth, 16, coding_of(stream, 1));
    for (std::size_t i = 0; i < codes.size() / 2; ++i) {
      // Leaves out code 0: full-range chroma 0 would be below 0 in 16 bits, and would saturate.
      const int code = std::max(word(codes, i) >> (16 - stream.depth), 1);
      const bool is_luma = i < static_cast<std::size_t>(stream.shape.width * stream.shape.height);
      const auto at = static_cast<std::int64_t>(i);
      store(codes.data(), at, static_cast<std::uint16_t>(code));
      store(frame.data(), at, (is_luma ? luma : chroma)[static_cast<std::size_t>(code)]);
    }
  }

  Bytes codes;
  Bytes frame;
};

// Scaling 10 or 12 bits to 16 is exact in limited range, and rounds by up to half a code in full
// range. RGB then has luma's error, up to twice chroma's, and half a code from its own rounding.
void expect_rgb(warpwise::test::Backend backend, const Stream& from) {
  SCOPED_TRACE(from.text());
  const DeepSamples samples(from);
  Running running(backend, deep_stage("rgb48", {}), from);
  ASSERT_EQ(running.result().shape.pixel_text(), "3 x u16");
  const Bytes rgb = running(samples.frame);
  const Range range = from.colours.range.value;
  const double error = range == Range::full && from.depth < 16 ? 2.0 : 0.5 + 1e-6;
  for (std::int64_t y = 0; y < from.shape.height; ++y) {
    for (std::int64_t x = 0; x < from.shape.width; ++x) {
      Triple yuv{};
      for (int i = 0; i < 3; ++i) {
        const double code = word(samples.codes, index_of(from.shape, i, x, y));
        yuv[static_cast<std::size_t>(i)] = meaning_of(code, i, range, from.depth);
      }
      const Triple expected = rgb_of(yuv, from.colours.matrix.value);
      const auto pixel = static_cast<std::size_t>(y * from.shape.width + x);
      for (std::size_t i = 0; i < 3; ++i) {
        expect_near(65535 * expected[i], word(rgb, 3 * pixel + i), error);
      }
    }
  }
}

TEST_P(DeepColours, OfEveryMatrixRangeSitingAndDepthBecomeRgb) {
  for (const io::DeepPlanes planes : io::all_deep_planes) {
    for (const Matrix matrix : all_matrices) {
      for (const Range range : all_ranges) {
        for (const Siting siting : all_sitings) {
          for (const int depth : {10, 12, 16}) {
            const auto shape = io::PictureShape::of(planes, 37, 15);
            Stream from = stream_of(shape, {}, {}, {matrix, range, siting});
            from.depth = depth;
            expect_rgb(GetParam(), from);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST_P(DeepColours, OfRgbBecomeEveryMatrixRangeAndSubsampling) {
  Stream from = stream_of(io::PictureShape::interleaved(ElementType::u16, 3, 37, 15), {}, {}, {});
  from.depth = 16;
  const Bytes rgb = random_frame(from, 3);
  for (const io::DeepPlanes planes : io::all_deep_planes) {
    for (const Matrix matrix : all_matrices) {
      for (const Range range : all_ranges) {
        Running running(GetParam(),
                        deep_stage("planes", {planes}, {.matrix = matrix, .to_range = range}),
                        from);
        const Stream& to = running.result();
        SCOPED_TRACE(to.text());
        EXPECT_EQ(to.colours.range.value, range);
        EXPECT_EQ(to.colours.siting.value, Siting::centre);
        const Bytes result = running(rgb);
        std::vector<Triple> sums(result.size() / 2);
        std::vector<int> counts(sums.size());
        for (std::int64_t y = 0; y < 15; ++y) {
          for (std::int64_t x = 0; x < 37; ++x) {
            Triple pixel{};
            for (std::size_t i = 0; i < 3; ++i) {
              pixel[i] = word(rgb, 3 * static_cast<std::size_t>(y * 37 + x) + i) / 65535.0;
            }
            for (int i = 0; i < 3; ++i) {
              const std::size_t at = index_of(to.shape, i, x, y);
              sums[at][0] += code_of(yuv_of(pixel, matrix)[static_cast<std::size_t>(i)], i, range);
              ++counts[at];
            }
          }
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
          expect_near(sums[i][0] / counts[i], word(result, i), 0.5 + 1e-6);
        }
        if (HasFailure()) return;
      }
    }
  }
}

// Chroma that pixels share is the mean of the pixels' chroma, as share_chroma() computes it.
TEST_P(DeepColours, OfBytesAreSharedInEveryLayout) {
  const Stream rgb = stream_of(PixelFormat::rgb24, 37, 15, {});
  const Bytes frame = random_frame(rgb, 5);
  for (const Matrix matrix : all_matrices) {
    const ConvertChoices choices{.matrix = matrix, .to_range = Range::limited};
    Running whole(warpwise::test::Backend::cpu, convert_stage("i444", PixelFormat::i444, choices),
                  rgb);
    const Bytes i444 = whole(frame);
    for (const PixelFormat to : {PixelFormat::i420, PixelFormat::nv12, PixelFormat::nv21,
                                 PixelFormat::yuyv, PixelFormat::uyvy}) {
      Running running(GetParam(), convert_stage("shared", to, choices), rgb);
      const Stream& result = running.result();
      EXPECT_EQ(text_of(result.colours, to),
                std::string(name_of(matrix)) + " (stage), limited (stage), chroma centre (stage)");
      Bytes expected(static_cast<std::size_t>(result.shape.bytes()));
      share_chroma({i444.data(), PixelFormat::i444, 37, 15}, {expected.data(), to, 37, 15});
      test::expect_same(expected, running(frame));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, DeepColours, warpwise::test::both_backends(),
                         testing::PrintToStringParamName());

TEST(DeepColour, OfGreyIsNeutral) {
  Stream grey = stream_of(io::PictureShape::interleaved(ElementType::u16, 1, 3, 1), {}, {},
                          {.range = Range::limited});
  grey.depth = 10;
  const Bytes frame = random_frame(grey, 9);
  Running to_rgb(warpwise::test::Backend::cpu, deep_stage("rgb48", {}), grey);
  Running to_yuv(warpwise::test::Backend::cpu,
                 deep_stage("yuv420p16", {io::DeepPlanes::yuv420}, {.to_range = Range::limited}),
                 grey);
  const Bytes rgb = to_rgb(frame);
  const Bytes yuv = to_yuv(frame);
  for (std::size_t x = 0; x < 3; ++x) {
    const double luma = meaning_of(word(frame, x), 0, Range::limited, 16);
    for (std::size_t i = 0; i < 3; ++i) {
      expect_near(65535 * luma, word(rgb, 3 * x + i), 0.5 + 1e-6);
    }
    EXPECT_EQ(word(yuv, x), word(frame, x));
  }
  for (std::size_t i = 3; i < 7; ++i) EXPECT_EQ(word(yuv, i), 32768);
}

TEST(DeepColour, OfYuvKeepsItsMeaning) {
  using io::DeepPlanes;
  const auto text = [](DeepPlanes from, Siting siting, DeepTarget to,
                       const ConvertChoices& choices = {}) {
    Stream yuv = stream_of(io::PictureShape::of(from, 8, 8), {}, {},
                           {Matrix::bt709, Range::limited, siting});
    yuv.depth = 10;
    const Stream result = deep_stage("", to, choices)->begin(yuv);
    return std::to_string(result.depth) + " bits, " + text_of(result.colours, PixelFormat::i420);
  };
  const DeepTarget p010{DeepPlanes::yuv420, "p010"}, to_420{DeepPlanes::yuv420},
      to_444{DeepPlanes::yuv444};
  EXPECT_EQ(text(DeepPlanes::yuv420, Siting::top_left, p010),
            "10 bits, bt709 (tag), limited (tag), chroma top-left (tag)");
  EXPECT_EQ(text(DeepPlanes::yuv420, Siting::left, to_420, {.to_range = Range::full}),
            "16 bits, bt709 (tag), full (stage), chroma left (tag)");
  EXPECT_EQ(text(DeepPlanes::yuv422, Siting::top_left, to_420),
            "16 bits, bt709 (tag), limited (tag), chroma left (stage)");
  EXPECT_EQ(text(DeepPlanes::yuv422, Siting::left, to_420),
            "16 bits, bt709 (tag), limited (tag), chroma left (tag)");
  EXPECT_EQ(text(DeepPlanes::yuv444, Siting::left, to_420),
            "16 bits, bt709 (tag), limited (tag), chroma centre (stage)");
  EXPECT_EQ(text(DeepPlanes::yuv420, Siting::left, to_444),
            "16 bits, bt709 (tag), limited (tag), chroma centre (stage)");
}

TEST(DeepColour, IsRefusedWithTheWayOut) {
  const Stream bytes = stream_of(PixelFormat::rgb24, 8, 8, {});
  EXPECT_NE(refusal([&] {
              deep_stage("rgb48", {})->begin(bytes);
            }).find("takes frames of more than 8 bits, not rgb24"),
            std::string::npos);
  Stream yuv = stream_of(io::PictureShape::of(io::DeepPlanes::yuv422, 8, 8), {}, {}, {});
  const DeepTarget target{io::DeepPlanes::yuv420};
  EXPECT_NE(refusal([&] {
              deep_stage("yuv420p16", target, {.matrix = Matrix::bt2020})->begin(yuv);
            }).find("to bt2020; put the stage rgb48 before it"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              deep_stage("rgb48", {}, {.to_range = Range::limited})->begin(yuv);
            }).find("rgb48 is RGB, whose range is full"),
            std::string::npos);
  Stream rgb = stream_of(io::PictureShape::interleaved(ElementType::u16, 3, 8, 8), {}, {}, {});
  rgb.depth = 16;
  EXPECT_NE(refusal([&] {
              deep_stage("yuv420p16", target, {.from_range = Range::limited})->begin(rgb);
            }).find("the frames are RGB, whose range is full"),
            std::string::npos);
  const ConvertChoices linear{.upsampling = ChromaUpsampling::linear};
  EXPECT_NE(refusal([&] { deep_stage("rgb48", {}, linear)->begin(yuv); }).find("replicate only"),
            std::string::npos);
}

// The GPU computes these stages, so that one CUDA graph can contain all work for a frame.
TEST(DeepColour, IsRecordedIntoOneGraph) {
  Stream yuv = stream_of(io::PictureShape::of(io::DeepPlanes::yuv420, 8, 8), {}, {}, {});
  yuv.depth = 10;
  const Pipeline rounded({}, yuv, *picture_sink("%d.jpg"));
  EXPECT_EQ(rounded.text(), "yuv420p16 -> (8 bits) i420 -> (rgb24)");
  EXPECT_TRUE(rounded.is_recordable());
  EXPECT_TRUE(Pipeline({}, yuv, *picture_sink("%d.png")).is_recordable());
  std::vector<std::shared_ptr<Stage>> both = {deep_stage("rgb48", {}),
                                              deep_stage("yuv422p16", {io::DeepPlanes::yuv422})};
  EXPECT_TRUE(Pipeline(both, yuv, *null_sink()).is_recordable());
  const Stream rgb = stream_of(PixelFormat::rgb24, 8, 8, {});
  EXPECT_TRUE(
      Pipeline({convert_stage("nv12", PixelFormat::nv12)}, rgb, *null_sink()).is_recordable());
}

TEST(DeepColour, IsConvertedForPictures) {
  Stream yuv = stream_of(io::PictureShape::of(io::DeepPlanes::yuv422, 8, 8), {}, {}, {});
  yuv.depth = 10;
  const Pipeline pipeline({}, yuv, *picture_sink("%d.png"));
  EXPECT_EQ(pipeline.text(), "yuv422p16 -> (rgb48) 3 x u16");
  EXPECT_FALSE(pipeline.rounds_to_8_bits());
  EXPECT_TRUE(Pipeline({}, yuv, *picture_sink("%d.jpg")).rounds_to_8_bits());
}

}  // namespace
}  // namespace warpwise::live::test
