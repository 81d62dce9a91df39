#include "warpwise/primitives/convert/convert.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/backend.hpp"
#include "support/enum_names.hpp"
#include "support/guarded_frame.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::FrameOnDevice;
using test::GuardedFrame;
using test::Layout;
using test::Size;

void run(Backend backend, GuardedFrame& src, GuardedFrame& dst, const ConvertOptions& options) {
  if (backend == Backend::cpu) return convert(src.view(), dst.view(), options);
  const gpu::Stream stream;
  FrameOnDevice device_src(src, stream);
  FrameOnDevice device_dst(dst, stream);
  convert(device_src.view(), device_dst.view(), options, stream);
  device_dst.download(stream);
}

std::string text_of(PixelFormat from, PixelFormat to, const ConvertOptions& o) {
  const auto range = [](std::optional<Range> r) { return r ? std::string(name_of(*r)) : "unset"; };
  return std::string(name_of(from)) + " to " + std::string(name_of(to)) + ", " +
         std::string(name_of(o.convention)) + " " + std::string(name_of(o.matrix)) + " " +
         range(o.from_range) + " to " + range(o.to_range) + " " +
         std::string(name_of(o.upsampling));
}

/// Returns every combination of options, defined or not.
std::vector<ConvertOptions> all_options() {
  const std::optional<Range> ranges[] = {std::nullopt, Range::full, Range::limited};
  std::vector<ConvertOptions> options;
  for (const Convention convention : all_conventions) {
    for (const Matrix matrix : all_matrices) {
      for (const auto from : ranges) {
        for (const auto to : ranges) {
          for (const ChromaUpsampling upsampling : all_chroma_upsamplings) {
            options.push_back({convention, matrix, from, to, upsampling});
          }
        }
      }
    }
  }
  return options;
}

class ConvertTest : public test::BackendTest {
 protected:
  void convert_and_compare(GuardedFrame& src, PixelFormat to, Size size, Layout layout,
                           const ConvertOptions& options) {
    GuardedFrame expected(to, size);
    GuardedFrame actual(to, size, layout);
    reference::convert(src.view(), expected.view(), options);
    run(GetParam(), src, actual, options);
    expected.expect_equal(actual);
  }
};

TEST_P(ConvertTest, EveryDefinedCombination) {
  const Size size{71, 7};
  int defined = 0;
  for (const PixelFormat from : convert_sources) {
    GuardedFrame src(from, size, {1, 2});
    src.fill_random(7);
    GuardedFrame aligned_src = GuardedFrame::aligned(from, size);
    aligned_src.fill_random(7);
    for (const PixelFormat to : convert_destinations) {
      for (const ConvertOptions& options : all_options()) {
        SCOPED_TRACE(text_of(from, to, options));
        GuardedFrame expected(to, size);
        try {
          reference::convert(src.view(), expected.view(), options);
        } catch (const InvalidArgument&) {
          GuardedFrame dst(to, size);
          EXPECT_THROW(convert(src.view(), dst.view(), options), InvalidArgument);
          continue;
        }
        ++defined;
        GuardedFrame actual(to, size, {0, 0});
        run(GetParam(), src, actual, options);
        expected.expect_equal(actual);
        GuardedFrame aligned = GuardedFrame::aligned(to, size);
        run(GetParam(), aligned_src, aligned, options);
        expected.expect_equal(aligned);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_EQ(defined, 6720);
}

TEST_P(ConvertTest, GrayIsTheLumaThatYuvHas) {
  const Size size{257, 19};  // so large that OpenCV's grey and luma differ in some pixels
  for (const PixelFormat from : convert_sources) {
    GuardedFrame src(from, size);
    src.fill_random(7);
    for (ConvertOptions options : all_options()) {
      SCOPED_TRACE(text_of(from, PixelFormat::gray8, options));
      options.gray_is_luma = true;
      GuardedFrame yuv(PixelFormat::i444, size), luma(PixelFormat::gray8, size);
      try {
        run(GetParam(), src, yuv, options);
      } catch (const InvalidArgument&) {
        continue;
      }
      run(GetParam(), src, luma, options);
      test::expect_equal(yuv.planes()[0].view(), luma.planes()[0].view());
      luma.planes()[0].expect_guards_intact();
      if (HasFailure()) return;
    }
  }
}

TEST_P(ConvertTest, AwkwardSizesAndLayouts) {
  const auto& layouts = test::awkward_layouts();
  std::size_t turn = 0;
  for (const Size& size : test::awkward_sizes()) {
    for (const PixelFormat from : convert_sources) {
      for (const Layout& layout : layouts) {
        GuardedFrame src(from, size, layout);
        src.fill_random(turn);
        for (const PixelFormat to : convert_destinations) {
          if (++turn % 2 == 0) continue;  // each size and pair of formats uses half of the layouts
          ConvertOptions options;
          options.upsampling = all_chroma_upsamplings[turn / 2 % 2];
          SCOPED_TRACE(testing::Message() << text_of(from, to, options) << " " << size.width << "x"
                                          << size.height << " offset " << layout.offset_bytes);
          convert_and_compare(src, to, size, layouts[turn / 3 % layouts.size()], options);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST_P(ConvertTest, EveryRelativeAlignment) {
  const Size size{53, 3};
  for (const PixelFormat from : convert_sources) {
    for (std::int64_t offset = 0; offset < 16; ++offset) {
      GuardedFrame src(from, size, {offset, offset % 3});
      src.fill_random(static_cast<std::uint64_t>(offset));
      for (const PixelFormat to : convert_destinations) {
        SCOPED_TRACE(testing::Message() << text_of(from, to, {}) << " offset " << offset);
        convert_and_compare(src, to, size, {0, 0}, {});
        convert_and_compare(src, to, size, {15 - offset, 1}, {});
      }
    }
  }
}

TEST_P(ConvertTest, ExtremeValues) {
  const Size size{37, 6};
  const auto checkerboard = [](auto p, auto x, auto y) { return (x + y + p) % 2 == 0 ? 0 : 255; };
  for (const PixelFormat from : convert_sources) {
    GuardedFrame black(from, size), white(from, size), both(from, size);
    black.fill([](auto, auto, auto) { return 0; });
    white.fill([](auto, auto, auto) { return 255; });
    both.fill(checkerboard);
    for (const PixelFormat to : convert_destinations) {
      for (const Convention convention : all_conventions) {
        for (const ChromaUpsampling upsampling : all_chroma_upsamplings) {
          ConvertOptions options;
          options.convention = convention;
          options.upsampling = upsampling;
          SCOPED_TRACE(text_of(from, to, options));
          for (GuardedFrame* src : {&black, &white, &both}) {
            convert_and_compare(*src, to, size, {}, options);
          }
        }
      }
    }
  }
}

TEST_P(ConvertTest, LargerThanOneTask) {
  const Size size{2051, 307};
  for (const PixelFormat from : {PixelFormat::rgb24, PixelFormat::nv12, PixelFormat::yuyv}) {
    GuardedFrame src(from, size);
    src.fill_random(11);
    for (const PixelFormat to : {PixelFormat::ycbcr32, PixelFormat::rgba32}) {
      for (const ChromaUpsampling upsampling : all_chroma_upsamplings) {
        ConvertOptions options;
        options.upsampling = upsampling;
        convert_and_compare(src, to, size, {}, options);
      }
    }
  }
}

TEST_P(ConvertTest, MoreRowsThanAGridHas) {
  const Size size{1, 65536 * 8 + 3};
  GuardedFrame src(PixelFormat::rgb24, size);
  src.fill_random(5);
  convert_and_compare(src, PixelFormat::ycbcr32, size, {}, {});
}

TEST_P(ConvertTest, RescalesEveryCode) {
  GuardedFrame src(PixelFormat::ycbcr32, {256, 1});
  src.fill([](auto, std::int64_t x, auto) { return x / 4; });
  for (const Range from : all_ranges) {
    ConvertOptions options;
    options.from_range = from;
    options.to_range = from == Range::full ? Range::limited : Range::full;
    convert_and_compare(src, PixelFormat::i444, {256, 1}, {}, options);
  }
}

INSTANTIATE_TEST_SUITE_P(, ConvertTest, test::both_backends(), testing::PrintToStringParamName());

// ---- all colours

struct ExactCase {
  Backend backend;
  Matrix matrix;
  Range range;
  bool encode;
};

std::ostream& operator<<(std::ostream& out, const ExactCase& c) {
  return out << c.backend << "_" << name_of(c.matrix) << "_" << name_of(c.range) << "_"
             << (c.encode ? "encode" : "decode");
}

class ExactConvertTest : public testing::TestWithParam<ExactCase> {
 protected:
  void SetUp() override {
    if (GetParam().backend == Backend::cuda && gpu::device_count() == 0) {
      GTEST_SKIP() << gpu::why_no_device();
    }
  }
};

/// Fills a frame with 2^20 colours: the upper four bits of the first channel are `part`.
void fill_with_colours(GuardedFrame& frame, int bytes_per_pixel, int part) {
  frame.fill([&](auto, std::int64_t x, std::int64_t y) {
    const std::int64_t colour = part << 20 | y << 10 | x / bytes_per_pixel;
    const std::int64_t channel = x % bytes_per_pixel;
    return channel == 3 ? 255 : colour >> (16 - 8 * channel) & 255;
  });
}

/// Checks gray8 against the Y of `ycbcr`, because gray8 has its own arithmetic.
void expect_gray_as_in(GuardedFrame& ycbcr, Backend backend, GuardedFrame& src,
                       const ConvertOptions& options) {
  const HostFrame all = ycbcr.view();
  GuardedFrame luma(PixelFormat::gray8, {all.width(), all.height()});
  GuardedFrame gray(PixelFormat::gray8, {all.width(), all.height()});
  luma.fill([&](auto, std::int64_t x, std::int64_t y) { return all.row(0, y)[4 * x]; });
  run(backend, src, gray, options);
  luma.expect_equal(gray);
}

TEST_P(ExactConvertTest, EqualsDoublePrecisionForAll16777216Colours) {
  const auto [backend, matrix, range, encode] = GetParam();
  ConvertOptions options;
  options.matrix = matrix;
  (encode ? options.to_range : options.from_range) = range;
  const PixelFormat from = encode ? PixelFormat::rgb24 : PixelFormat::ycbcr32;
  const PixelFormat to = encode ? PixelFormat::ycbcr32 : PixelFormat::rgb24;
  const Size size{1024, 1024};
  std::atomic<int> next = 0;
  const auto work = [&, backend = backend, encode = encode] {
    GuardedFrame src(from, size), expected(to, size), actual(to, size);
    for (int part = next++; part < 16; part = next++) {
      fill_with_colours(src, encode ? 3 : 4, part);
      reference::convert(src.view(), expected.view(), options);
      run(backend, src, actual, options);
      expected.expect_equal(actual);
      if (encode) expect_gray_as_in(actual, backend, src, options);
    }
  };
  std::thread helper(work);
  work();
  helper.join();
}

std::vector<ExactCase> exact_cases() {
  std::vector<ExactCase> cases;
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    for (const Matrix matrix : all_matrices) {
      for (const Range range : all_ranges) {
        for (const bool encode : {true, false}) cases.push_back({backend, matrix, range, encode});
      }
    }
  }
  return cases;
}

// Subsampled sources have their own arithmetic on the CPU, which rounds chroma's contribution
// separately.
TEST(ConvertOnCpu, DecodesEveryPairOfSubsampledChroma) {
  GuardedFrame semiplanar(PixelFormat::nv12, {512, 512}), packed(PixelFormat::uyvy, {512, 256});
  semiplanar.fill_random(3);
  packed.fill_random(4);
  for (std::int64_t cb = 0; cb < 256; ++cb) {
    for (std::int64_t cr = 0; cr < 256; ++cr) {
      store(semiplanar.view().row(1, cb), 2 * cr, static_cast<std::uint8_t>(cb));
      store(semiplanar.view().row(1, cb), 2 * cr + 1, static_cast<std::uint8_t>(cr));
      store(packed.view().row(0, cb), 4 * cr, static_cast<std::uint8_t>(cb));
      store(packed.view().row(0, cb), 4 * cr + 2, static_cast<std::uint8_t>(cr));
    }
  }
  for (GuardedFrame* const src : {&semiplanar, &packed}) {
    const HostFrame from = src->view();
    for (const PixelFormat to : {PixelFormat::rgb24, PixelFormat::bgra32}) {
      GuardedFrame expected(to, {from.width(), from.height()});
      GuardedFrame actual(to, {from.width(), from.height()});
      for (const ConvertOptions& options : all_options()) {
        if (options.to_range || options.upsampling != ChromaUpsampling::replicate) continue;
        try {
          reference::convert(from, expected.view(), options);
        } catch (const InvalidArgument&) {
          continue;
        }
        SCOPED_TRACE(text_of(from.format(), to, options));
        run(Backend::cpu, *src, actual, options);
        expected.expect_equal(actual);
      }
    }
  }
}

// Covers rows of whole SIMD steps, an overlapping last step, aligned stores, and buffered row ends.
TEST(ConvertOnCpu, RowsAroundWholeSteps) {
  constexpr PixelFormat pairs[][2] = {{PixelFormat::yuyv, PixelFormat::bgra32},
                                      {PixelFormat::nv12, PixelFormat::rgba32},
                                      {PixelFormat::bgra32, PixelFormat::gray8},
                                      {PixelFormat::rgb24, PixelFormat::gray8},
                                      {PixelFormat::bgra32, PixelFormat::i444}};
  ConvertOptions options;
  options.convention = Convention::libyuv;
  for (const auto& [from, to] : pairs) {
    if (from == PixelFormat::rgb24) options.convention = Convention::exact;
    for (const std::int64_t width : {62,  63,  64,  65,  66,   78,   126,  127,  128,  129,
                                     130, 320, 321, 334, 2046, 2048, 2049, 2096, 2110, 2111}) {
      GuardedFrame src(from, {width, 5}, {16, 48});
      src.fill_random(static_cast<std::uint64_t>(width));
      GuardedFrame expected(to, {width, 5});
      reference::convert(src.view(), expected.view(), options);
      for (const Layout& layout : {Layout{0, 64}, Layout{16, 64}, Layout{48, 16}, Layout{2, 5}}) {
        SCOPED_TRACE(text_of(from, to, options) + " width " + std::to_string(width) + " offset " +
                     std::to_string(layout.offset_bytes));
        GuardedFrame actual(to, {width, 5}, layout);
        run(Backend::cpu, src, actual, options);
        expected.expect_equal(actual);
        if (testing::Test::HasFailure()) return;
      }
    }
    options.convention = Convention::libyuv;
  }
}

// Stores bypass the caches if the destination has more than 24 MiB and they can be aligned.
TEST(ConvertOnCpu, ImagesLargerThanCaches) {
  ConvertOptions options;
  options.convention = Convention::libyuv;
  const auto compare = [&](PixelFormat from, PixelFormat to, Size size) {
    GuardedFrame src(from, size);
    src.fill_random(21);
    GuardedFrame expected(to, size);
    reference::convert(src.view(), expected.view(), options);
    // The layouts have gaps or none, aligned stores or none, and rows of equal or different
    // alignment.
    for (const Layout layout : {Layout{0, 0}, Layout{8, 0}, Layout{1, 0}, Layout{16, 24}}) {
      SCOPED_TRACE(text_of(from, to, options) + " offset " + std::to_string(layout.offset_bytes));
      GuardedFrame actual(to, size, layout);
      run(Backend::cpu, src, actual, options);
      expected.expect_equal(actual);
    }
  };
  compare(PixelFormat::yuyv, PixelFormat::bgra32, {2562, 2561});
  compare(PixelFormat::nv12, PixelFormat::rgba32, {2560, 2563});
  compare(PixelFormat::bgra32, PixelFormat::gray8, {5130, 5121});
}

TEST(Convert, RefusesOptionsThatDoNotExist) {
  GuardedFrame src(PixelFormat::nv12, {4, 4});
  GuardedFrame dst(PixelFormat::ycbcr32, {4, 4});
  const auto refused = [&](const ConvertOptions& options) {
    EXPECT_THROW(convert(src.view(), dst.view(), options), InvalidArgument);
  };
  refused({.convention = static_cast<Convention>(77)});
  refused({.matrix = static_cast<Matrix>(77)});
  refused({.from_range = static_cast<Range>(77)});
  refused({.to_range = static_cast<Range>(77)});
  refused({.upsampling = static_cast<ChromaUpsampling>(77)});
}

INSTANTIATE_TEST_SUITE_P(, ExactConvertTest, testing::ValuesIn(exact_cases()),
                         testing::PrintToStringParamName());

// ---- the reference against values computed by hand

using Bytes = std::vector<int>;

Bytes convert_one(PixelFormat from, const Bytes& in, PixelFormat to, std::int64_t width,
                  std::int64_t height, const ConvertOptions& options) {
  std::vector<std::uint8_t> src(in.begin(), in.end());
  EXPECT_EQ(frame_bytes(from, width, height), static_cast<std::int64_t>(src.size()));
  std::vector<std::uint8_t> dst(static_cast<std::size_t>(frame_bytes(to, width, height)));
  reference::convert(ConstHostFrame(src.data(), from, width, height),
                     HostFrame(dst.data(), to, width, height), options);
  return {dst.begin(), dst.end()};
}

TEST(ConvertReference, PrimaryColours) {
  const auto encode = [](const Bytes& rgb, const ConvertOptions& options) {
    return convert_one(PixelFormat::rgb24, rgb, PixelFormat::ycbcr32, 1, 1, options);
  };
  ConvertOptions o;
  EXPECT_EQ(encode({255, 255, 255}, o), (Bytes{255, 128, 128, 255}));
  // 0.299 · 255 = 76.245; 128 − 0.168736 · 255 = 84.97; 128 + 127.5 rounds to 256, saturated.
  EXPECT_EQ(encode({255, 0, 0}, o), (Bytes{76, 85, 255, 255}));
  o.to_range = Range::limited;
  EXPECT_EQ(encode({255, 255, 255}, o), (Bytes{235, 128, 128, 255}));
  EXPECT_EQ(encode({0, 0, 0}, o), (Bytes{16, 128, 128, 255}));
  EXPECT_EQ(encode({0, 0, 255}, o), (Bytes{41, 240, 110, 255}));
  o.matrix = Matrix::bt709;
  EXPECT_EQ(encode({0, 255, 0}, o), (Bytes{173, 42, 26, 255}));
  o.convention = Convention::libyuv;
  EXPECT_EQ(encode({255, 255, 255}, o), (Bytes{235, 128, 128, 255}));
}

TEST(ConvertReference, LimitedDecodesToFullRgb) {
  ConvertOptions o;
  o.from_range = Range::limited;
  const auto decode = [&](const Bytes& yuv) {
    return convert_one(PixelFormat::ycbcr32, yuv, PixelFormat::rgb24, 1, 1, o);
  };
  EXPECT_EQ(decode({235, 128, 128, 0}), (Bytes{255, 255, 255}));
  EXPECT_EQ(decode({16, 128, 128, 0}), (Bytes{0, 0, 0}));
  EXPECT_EQ(decode({81, 90, 240, 0}), (Bytes{254, 0, 0}));
}

TEST(ConvertReference, RescalesBetweenRanges) {
  ConvertOptions o;
  o.from_range = Range::limited;
  EXPECT_EQ(convert_one(PixelFormat::ycbcr32, {235, 240, 16, 9}, PixelFormat::i444, 1, 1, o),
            (Bytes{255, 255, 1}));
  EXPECT_EQ(convert_one(PixelFormat::ycbcr32, {0, 0, 255, 9}, PixelFormat::gray8, 1, 1, o),
            (Bytes{0}));
}

TEST(ConvertReference, UpsamplesChroma) {
  ConvertOptions o;
  // One row of 4:2:2, five wide: Cb 10 20 31, Cr 0 0 0.
  const Bytes yuyv = {1, 10, 2, 0, 3, 20, 4, 0, 5, 31, 6, 0};
  EXPECT_EQ(convert_one(PixelFormat::yuyv, yuyv, PixelFormat::i444, 5, 1, o),
            (Bytes{1, 2, 3, 4, 5, 10, 10, 20, 20, 31, 0, 0, 0, 0, 0}));
  o.upsampling = ChromaUpsampling::linear;
  EXPECT_EQ(convert_one(PixelFormat::yuyv, yuyv, PixelFormat::i444, 5, 1, o),
            (Bytes{1, 2, 3, 4, 5, 10, 15, 20, 26, 31, 0, 0, 0, 0, 0}));
  // 4:2:0, 1 wide and 4 high: Cb 0 and 100, weights 3/4 and 1/4 between them.
  EXPECT_EQ(convert_one(PixelFormat::i420, {1, 2, 3, 4, 0, 100, 7, 7}, PixelFormat::i444, 1, 4, o),
            (Bytes{1, 2, 3, 4, 0, 25, 75, 100, 7, 7, 7, 7}));
}

TEST(ConvertReference, KeepsAlphaBetweenRgbFormats) {
  EXPECT_EQ(convert_one(PixelFormat::rgba32, {1, 2, 3, 4}, PixelFormat::bgra32, 1, 1, {}),
            (Bytes{3, 2, 1, 4}));
  EXPECT_EQ(convert_one(PixelFormat::rgb24, {1, 2, 3}, PixelFormat::rgba32, 1, 1, {}),
            (Bytes{1, 2, 3, 255}));
  EXPECT_EQ(convert_one(PixelFormat::rgba32, {9, 9, 9, 4}, PixelFormat::ycbcr32, 1, 1, {}),
            (Bytes{9, 128, 128, 255}));
}

// ---- refused arguments, names, and the missing GPU

void expect_refused(PixelFormat from, PixelFormat to, const ConvertOptions& options,
                    const std::string& names) {
  GuardedFrame src(from, {2, 2}), dst(to, {2, 2});
  try {
    convert(src.view(), dst.view(), options);
    ADD_FAILURE() << "taken: " << text_of(from, to, options);
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(names), std::string::npos) << error.what();
  }
}

TEST(Convert, RefusesWhatHasNoDefinitionAndListsWhatHas) {
  using enum PixelFormat;
  expect_refused(i444, rgb24, {},
                 "rgb24 bgr24 rgba32 bgra32 gray8 yuyv uyvy nv12 nv21 i420 ycbcr32");
  expect_refused(rgb24, nv12, {}, "ycbcr32 ycrcb24 gray8 rgb24 bgr24 rgba32 bgra32 i444");
  ConvertOptions o;
  o.convention = Convention::libyuv;
  o.matrix = Matrix::bt2020;
  expect_refused(rgb24, ycbcr32, o, "bt601 bt709");
  o.convention = Convention::opencv;
  o.matrix = Matrix::bt709;
  expect_refused(rgb24, ycbcr32, o, "supported: bt601");
  o.matrix = Matrix::bt601;
  o.to_range = Range::limited;
  expect_refused(rgb24, ycbcr32, o, "supported: full");
  expect_refused(rgb24, bgr24, o, "holds no YUV");
  o.to_range.reset();
  o.from_range = Range::full;
  expect_refused(nv12, rgb24, o, "supported: limited");
  o.convention = Convention::libyuv;
  o.to_range = Range::limited;
  expect_refused(nv12, gray8, o, "exact rescales");
  o.from_range = Range::limited;
  expect_refused(rgb24, ycbcr32, o, "holds no YUV");
}

TEST(Convert, RefusesSizesThatDifferAndOverlap) {
  GuardedFrame src(PixelFormat::rgb24, {4, 4}), narrower(PixelFormat::gray8, {3, 4});
  EXPECT_THROW(convert(src.view(), narrower.view()), InvalidArgument);
  std::vector<std::uint8_t> memory(64);
  const ConstHostFrame nv12(memory.data(), PixelFormat::nv12, 4, 4);
  const ConstHostFrame nv12_of_2(memory.data(), PixelFormat::nv12, 2, 2);
  // The grey frame overlaps the plane of chroma.
  EXPECT_THROW(convert(nv12, HostFrame(memory.data() + 16, PixelFormat::gray8, 4, 4)),
               InvalidArgument);
  EXPECT_NO_THROW(convert(nv12, HostFrame(memory.data() + 24, PixelFormat::gray8, 4, 4)));
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  const auto planes_at = [&](std::ptrdiff_t second) {
    return HostFrame(PixelFormat::i444, 2, 2,
                     {HostFrame::Plane{bytes + 24}, HostFrame::Plane{bytes + second},
                      HostFrame::Plane{bytes + 40}});
  };
  EXPECT_THROW(convert(nv12_of_2, planes_at(27)), InvalidArgument);
  EXPECT_NO_THROW(convert(nv12_of_2, planes_at(28)));
}

TEST(Convert, NamesComeBack) {
  EXPECT_TRUE(test::names_each_enumerator<Matrix>());
  EXPECT_TRUE(test::names_each_enumerator<Range>());
  EXPECT_TRUE(test::names_each_enumerator<Convention>());
  EXPECT_TRUE(test::names_each_enumerator<ChromaUpsampling>());
  EXPECT_EQ(value_named<Matrix>("bt602"), std::nullopt);
}

TEST(Convert, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  // The device frames point to host memory, which is never read: the missing GPU is detected first.
  std::uint8_t pixel[3] = {}, grey = 0;
  EXPECT_THROW(convert(ConstDeviceFrame(pixel, PixelFormat::rgb24, 1, 1),
                       DeviceFrame(&grey, PixelFormat::gray8, 1, 1), {}, nullptr),
               NoCudaDevice);
}

}  // namespace
}  // namespace warpwise
