#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "warpwise/live/stage_testing.hpp"
#include "warpwise/live/stages/stages.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;
using test::Running;
using warpwise::test::Backend;

constexpr std::int64_t width = 37;
constexpr std::int64_t height = 23;
constexpr std::array formats = {PixelFormat::i420, PixelFormat::nv12, PixelFormat::nv21,
                                PixelFormat::yuyv, PixelFormat::uyvy, PixelFormat::ycbcr32};

/// Holds planes of Y, Cb and Cr codes, and lays them out as a frame of a format.
class Codes {
 public:
  Codes(PixelFormat format, std::int64_t frame_width, std::int64_t frame_height)
      : format_(format), width_(frame_width), height_(frame_height),
        chroma_width_(halves_columns() ? (width_ + 1) / 2 : width_),
        chroma_height_(halves_rows() ? (height_ + 1) / 2 : height_),
        luma_(test::random_bytes(width_ * height_, 1)),
        chroma_{test::random_bytes(chroma_width_ * chroma_height_, 2),
                test::random_bytes(chroma_width_ * chroma_height_, 3)} {}

  int luma(std::int64_t x, std::int64_t y) const { return at(luma_, y * width_ + x); }
  /// Returns a code of Cb (`which` is 0) or Cr (1). Outside the plane it returns the edge's code.
  int chroma(int which, std::int64_t x, std::int64_t y) const {
    x = std::clamp<std::int64_t>(x, 0, chroma_width_ - 1);
    y = std::clamp<std::int64_t>(y, 0, chroma_height_ - 1);
    return at(chroma_[which], y * chroma_width_ + x);
  }

  bool halves_columns() const { return format_ != PixelFormat::ycbcr32; }
  bool halves_rows() const {
    return format_ == PixelFormat::i420 || format_ == PixelFormat::nv12 ||
           format_ == PixelFormat::nv21;
  }

  Bytes frame() const {
    if (format_ == PixelFormat::ycbcr32) return packed_pixels();
    if (!halves_rows()) return packed_pairs();
    Bytes frame = luma_;
    if (format_ == PixelFormat::i420) {
      for (const Bytes& plane : chroma_) frame.insert(frame.end(), plane.begin(), plane.end());
      return frame;
    }
    const int first = format_ == PixelFormat::nv12 ? 0 : 1;
    for (std::size_t i = 0; i < chroma_[0].size(); ++i) {
      frame.push_back(chroma_[first][i]);
      frame.push_back(chroma_[1 - first][i]);
    }
    return frame;
  }

 private:
  static int at(const Bytes& plane, std::int64_t i) {
    return std::to_integer<int>(plane[static_cast<std::size_t>(i)]);
  }

  Bytes packed_pixels() const {
    Bytes frame;
    for (std::size_t i = 0; i < luma_.size(); ++i) {
      frame.insert(frame.end(), {luma_[i], chroma_[0][i], chroma_[1][i], std::byte{255}});
    }
    return frame;
  }

  Bytes packed_pairs() const {
    Bytes frame;
    for (std::int64_t y = 0; y < height_; ++y) {
      for (std::int64_t x = 0; x < chroma_width_; ++x) {
        const int y0 = luma(2 * x, y);
        const int y1 = 2 * x + 1 < width_ ? luma(2 * x + 1, y) : 0;  // 0 if the pixel is missing
        const int cb = chroma(0, x, y);
        const int cr = chroma(1, x, y);
        const auto codes =
            format_ == PixelFormat::yuyv ? std::array{y0, cb, y1, cr} : std::array{cb, y0, cr, y1};
        for (const int code : codes) frame.push_back(static_cast<std::byte>(code));
      }
    }
    return frame;
  }

  PixelFormat format_;
  std::int64_t width_, height_, chroma_width_, chroma_height_;
  Bytes luma_;
  std::array<Bytes, 2> chroma_;
};

double chroma_at(const Codes& codes, ChromaUpsampling upsampling, int which, std::int64_t x,
                 std::int64_t y) {
  const auto sample = [&](std::int64_t column, std::int64_t row) {
    return static_cast<double>(codes.chroma(which, column, row));
  };
  const std::int64_t column = codes.halves_columns() ? x / 2 : x;
  const std::int64_t row = codes.halves_rows() ? y / 2 : y;
  const bool interpolated = upsampling == ChromaUpsampling::linear && codes.halves_columns();
  if (!interpolated) return sample(column, row);
  const auto across = [&](std::int64_t of_row) {
    return x % 2 == 0 ? sample(column, of_row)
                      : (sample(column, of_row) + sample(column + 1, of_row)) / 2;
  };
  if (!codes.halves_rows()) return std::floor(across(row) + 0.5);
  const std::int64_t farther = y % 2 == 0 ? row - 1 : row + 1;
  return std::floor(0.75 * across(row) + 0.25 * across(farther) + 0.5);
}

/// Converts by the standards' formulas, with E'Y from 0 to 1 and E'CB, E'CR from -0.5 to 0.5.
std::array<double, 3> rgb_of(double y, double cb, double cr, Matrix matrix, Range range) {
  const double kr = matrix == Matrix::bt601 ? 0.299 : matrix == Matrix::bt709 ? 0.2126 : 0.2627;
  const double kb = matrix == Matrix::bt601 ? 0.114 : matrix == Matrix::bt709 ? 0.0722 : 0.0593;
  const bool full = range == Range::full;
  const double luma = full ? y / 255 : (y - 16) / 219;
  const double blue = luma + 2 * (1 - kb) * ((cb - 128) / (full ? 255 : 224));
  const double red = luma + 2 * (1 - kr) * ((cr - 128) / (full ? 255 : 224));
  return {red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue};
}

/// Rounds half up. The rounding error of double is below 1e-11. A value that is not exactly a half
/// is farther than 1e-11 from a half.
std::byte code_of(double value) {
  return static_cast<std::byte>(std::clamp(std::floor(255 * value + 0.5 + 1e-11), 0.0, 255.0));
}

struct Meaning {
  Matrix matrix;
  Range range;
  ChromaUpsampling upsampling = ChromaUpsampling::replicate;
};

Bytes expected_rgb(const Codes& codes, std::int64_t frame_width, std::int64_t frame_height,
                   const Meaning& meaning) {
  Bytes rgb;
  for (std::int64_t y = 0; y < frame_height; ++y) {
    for (std::int64_t x = 0; x < frame_width; ++x) {
      const double cb = chroma_at(codes, meaning.upsampling, 0, x, y);
      const double cr = chroma_at(codes, meaning.upsampling, 1, x, y);
      for (const double value : rgb_of(codes.luma(x, y), cb, cr, meaning.matrix, meaning.range)) {
        rgb.push_back(code_of(value));
      }
    }
  }
  return rgb;
}

void expect_meaning(Backend backend, const Stream& stream, const ConvertChoices& choices,
                    const Meaning& meaning) {
  SCOPED_TRACE(stream.text());
  const Codes codes(stream.format(), stream.shape.width, stream.shape.height);
  Running running(backend, convert_stage("rgb24", PixelFormat::rgb24, choices), stream);
  test::expect_same(expected_rgb(codes, stream.shape.width, stream.shape.height, meaning),
                    running(codes.frame()));
}

class ColourTest : public warpwise::test::BackendTest {};

TEST_P(ColourTest, FramesMeanWhatTheirTagsSay) {
  for (const PixelFormat format : formats) {
    for (const Matrix matrix : all_matrices) {
      for (const Range range : all_ranges) {
        for (const Siting siting : all_sitings) {
          const ColourTags tags = {matrix, range, siting};
          expect_meaning(GetParam(), stream_of(format, width, height, {}, {}, tags), {},
                         {matrix, range});
        }
      }
    }
  }
}

TEST_P(ColourTest, ChromaOnTheLeftIsInterpolated) {
  for (const PixelFormat format : formats) {
    for (const Matrix matrix : all_matrices) {
      for (const Range range : all_ranges) {
        const ColourTags tags = {matrix, range, Siting::left};
        expect_meaning(GetParam(), stream_of(format, width, height, {}, {}, tags),
                       {.upsampling = ChromaUpsampling::linear},
                       {matrix, range, ChromaUpsampling::linear});
      }
    }
  }
}

TEST_P(ColourTest, AnOptionGoesBeforeATag) {
  const ColourTags tags = {Matrix::bt601, Range::limited, Siting::centre};
  const ColourTags options = {Matrix::bt2020, Range::full, Siting::left};
  const Stream both = stream_of(PixelFormat::i420, width, height, {}, options, tags);
  expect_meaning(GetParam(), both, {}, {Matrix::bt2020, Range::full});
  expect_meaning(GetParam(), both, {.upsampling = ChromaUpsampling::linear},
                 {Matrix::bt2020, Range::full, ChromaUpsampling::linear});
  const Stream one =
      stream_of(PixelFormat::i420, width, height, {}, {.matrix = Matrix::bt709}, tags);
  expect_meaning(GetParam(), one, {}, {Matrix::bt709, Range::limited});
}

TEST_P(ColourTest, TheStagesOwnChoicesGoBeforeBoth) {
  const Stream stream = stream_of(PixelFormat::nv12, width, height, {}, {.range = Range::limited},
                                  {.matrix = Matrix::bt601});
  expect_meaning(GetParam(), stream, {.matrix = Matrix::bt709}, {Matrix::bt709, Range::limited});
  expect_meaning(GetParam(), stream, {.from_range = Range::full}, {Matrix::bt601, Range::full});
}

TEST_P(ColourTest, WhatNobodySaysIsGuessedBySize) {
  const auto untagged = [](std::int64_t w, std::int64_t h) {
    return stream_of(PixelFormat::yuyv, w, h, {});
  };
  expect_meaning(GetParam(), untagged(1024, 1), {}, {Matrix::bt601, Range::limited});
  expect_meaning(GetParam(), untagged(1, 576), {}, {Matrix::bt601, Range::limited});
  expect_meaning(GetParam(), untagged(1025, 1), {}, {Matrix::bt709, Range::limited});
  expect_meaning(GetParam(), untagged(1, 577), {}, {Matrix::bt709, Range::limited});
}

TEST(Colour, LinearChromaIsRefusedWhereItIsNotDefined) {
  const auto message = [](PixelFormat format, Siting siting) {
    const Stream stream = stream_of(format, width, height, {}, {}, {.siting = siting});
    return test::refusal([&] {
      convert_stage("", PixelFormat::rgb24, {.upsampling = ChromaUpsampling::linear})
          ->begin(stream);
    });
  };
  EXPECT_EQ(message(PixelFormat::i420, Siting::centre),
            "convert: linear chroma is defined for samples on the left, this stream's are centre "
            "(tag); take replicate");
  EXPECT_NE(message(PixelFormat::nv12, Siting::top_left), "");
  EXPECT_EQ(message(PixelFormat::i420, Siting::left), "");
  EXPECT_EQ(message(PixelFormat::ycbcr32, Siting::centre), "");  // not subsampled
}

// Replicated chroma keeps its horizontal siting. The mean of two chroma rows lies midway between
// the rows.
TEST(Colour, SharedChromaKeepsItsColumns) {
  const auto siting = [](PixelFormat from, Siting of_stream, PixelFormat to,
                         ChromaUpsampling upsampling = ChromaUpsampling::replicate) {
    const Stream stream = stream_of(from, width, height, {}, {}, {.siting = of_stream});
    const WithOrigin<Siting> told =
        convert_stage("", to, {.upsampling = upsampling})->begin(stream).colours.siting;
    return std::string(name_of(told.value)) + " (" + std::string(name_of(told.origin)) + ")";
  };
  EXPECT_EQ(siting(PixelFormat::nv12, Siting::top_left, PixelFormat::i420), "top-left (tag)");
  EXPECT_EQ(siting(PixelFormat::yuyv, Siting::top_left, PixelFormat::uyvy), "top-left (tag)");
  EXPECT_EQ(siting(PixelFormat::nv12, Siting::left, PixelFormat::yuyv), "left (tag)");
  EXPECT_EQ(siting(PixelFormat::yuyv, Siting::top_left, PixelFormat::i420), "left (stage)");
  EXPECT_EQ(siting(PixelFormat::yuyv, Siting::left, PixelFormat::i420), "left (tag)");
  EXPECT_EQ(siting(PixelFormat::yuyv, Siting::centre, PixelFormat::i420), "centre (tag)");
  EXPECT_EQ(siting(PixelFormat::rgb24, Siting::left, PixelFormat::i420), "centre (stage)");
  EXPECT_EQ(siting(PixelFormat::nv12, Siting::left, PixelFormat::i420, ChromaUpsampling::linear),
            "centre (stage)");
}

INSTANTIATE_TEST_SUITE_P(, ColourTest, warpwise::test::both_backends(),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise::live
