#include "warpwise/primitives/threshold/threshold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/primitives/threshold/backends.hpp"
#include "warpwise/primitives/threshold/gaussian_launch.hpp"
#include "warpwise/primitives/threshold/launch.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;
using test::Size;

constexpr ElementType pixel_types[] = {ElementType::u8, ElementType::u16};

/// Images with 2, 16 or all levels: with few levels, means are often equal to pixels.
enum class Content {
  few_levels,
  some_levels,
  all_levels,
  zero,
  largest,
  checkerboard,
  neighbouring_levels,  ///< a checkerboard of 100 and 101, whose means lie near 100.5
};

void fill(GuardedImage& image, Content content, std::uint64_t seed) {
  image.fill_random(seed);
  const HostView view = image.view();
  for (std::int64_t y = 0; y < view.height(); ++y) {
    for (std::int64_t x = 0; x < view.row_bytes(); ++x) {
      std::byte& value = view.row(y)[x];
      // In a u16 pixel only the low byte is limited to few levels; its high byte becomes 0.
      const bool low = view.type() == ElementType::u8 || x % 2 == 0;
      switch (content) {
        case Content::few_levels: value &= low ? std::byte{1} : std::byte{0}; break;
        case Content::some_levels: value &= low ? std::byte{15} : std::byte{0}; break;
        case Content::all_levels: break;
        case Content::zero: value = std::byte{0}; break;
        case Content::largest: value = std::byte{255}; break;
        case Content::checkerboard:
          value = (x / size_of(view.type()) + y) % 2 == 0 ? std::byte{255} : std::byte{0};
          break;
        case Content::neighbouring_levels:
          value = static_cast<std::byte>(100 + (x / size_of(view.type()) + y) % 2);
          break;
      }
    }
  }
}

std::string describe(const ThresholdOptions& options) {
  return std::string(name_of(options.method)) + " window " + std::to_string(options.window) +
         " offset " + std::to_string(options.offset) + " maximum " +
         std::to_string(options.maximum) + (options.inverted ? " inverted" : "");
}

/// Layouts of the three images of one call: input and outputs.
struct Layouts {
  Layout src;
  Layout dst;
  Layout mean;
};

/// Picks layouts by `k`, so that successive calls combine all of them.
Layouts layouts_of(std::size_t k) {
  const auto& all = test::awkward_layouts();
  return {all[k % all.size()], all[k / 2 % all.size()], all[k / 3 % all.size()]};
}

/// Calls `compare` with each window at each awkward size, with one of the types in turn, and with a
/// number by which other options are chosen.
template <class Compare>
void for_each_case(std::span<const std::int64_t> windows, const Compare& compare) {
  std::size_t k = 0;
  for (const Size& size : test::awkward_sizes()) {
    for (const std::int64_t window : windows) {
      compare(pixel_types[k % 2], size, window, k / 2 + k);
      ++k;
    }
  }
}

class ThresholdTest : public test::BackendTest {
 protected:
  void run(GuardedImage& src, GuardedImage& dst, GuardedImage* mean,
           const ThresholdOptions& options) {
    if (GetParam() == Backend::cpu) {
      if (mean == nullptr) {
        threshold(src.view(), dst.view(), options);
      } else {
        threshold(src.view(), dst.view(), options, mean->view());
      }
      return;
    }
    const gpu::Stream stream;
    OnDevice device_src(src, stream);
    OnDevice device_dst(dst, stream);
    if (mean == nullptr) {
      threshold(device_src.view(), device_dst.view(), options, stream);
    } else {
      OnDevice device_mean(*mean, stream);
      threshold(device_src.view(), device_dst.view(), options, device_mean.view(), stream);
      device_mean.download(stream);
    }
    device_dst.download(stream);
  }

  /// Runs without a mean image and, unless told otherwise, with a mean image of each type. Compares
  /// all results with the reference.
  void compare(ElementType type, Size size, Content content, const ThresholdOptions& options,
               const Layouts& layouts = {}, bool with_means = true) {
    SCOPED_TRACE(testing::Message()
                 << name_of(type) << " " << size.width << "x" << size.height << " content "
                 << static_cast<int>(content) << ", " << describe(options) << ", offset of src "
                 << layouts.src.offset_bytes);
    const auto [width, height] = size;
    GuardedImage src(type, width, height, 1, layouts.src);
    fill(src, content, static_cast<std::uint64_t>(width * 131 + height + options.window));
    GuardedImage expected(type, width, height);
    GuardedImage expected_rounded(type, width, height);
    GuardedImage expected_mean(ElementType::f32, width, height);
    reference::threshold(src.view(), expected.view(), options, expected_rounded.view());
    reference::threshold(src.view(), expected.view(), options, expected_mean.view());

    for (int kind = 0; kind < (with_means ? 3 : 1); ++kind) {
      GuardedImage dst(type, width, height, 1, layouts.dst);
      GuardedImage mean(kind == 1 ? type : ElementType::f32, width, height, 1, layouts.mean);
      run(src, dst, kind == 0 ? nullptr : &mean, options);
      test::expect_equal(expected.view(), dst.view());
      dst.expect_guards_intact();
      if (kind == 1) test::expect_equal(expected_rounded.view(), mean.view());
      if (kind == 2) test::expect_equal(expected_mean.view(), mean.view());
      if (kind != 0) mean.expect_guards_intact();
      if (HasFailure()) return;
    }
  }
};

TEST_P(ThresholdTest, AwkwardSizesAndWindows) {
  constexpr std::int64_t windows[] = {1, 3, 5, 15, 31, 63, 65, 127, 255, 1025, 4105};
  for_each_case(windows, [&](ElementType type, Size size, std::int64_t window, std::size_t k) {
    const auto method = k % 2 == 0 ? ThresholdMethod::mean : ThresholdMethod::exact_mean;
    compare(type, size, static_cast<Content>(k % 3),
            {.window = window,
             .offset = static_cast<double>(k % 5) - 2,
             .method = method,
             .inverted = k % 7 < 3},
            layouts_of(k));
  });
}

TEST_P(ThresholdTest, GaussianAtAwkwardSizes) {
  constexpr std::int64_t windows[] = {1, 3, 5, 7, 9, 11, 31, 63, 127};
  for_each_case(windows, [&](ElementType type, Size size, std::int64_t window, std::size_t k) {
    compare(type, size, static_cast<Content>(k % 3),
            {.window = window,
             .offset = static_cast<double>(k % 5) - 2,
             .method = ThresholdMethod::gaussian,
             .inverted = k % 7 < 3},
            layouts_of(k));
  });
}

// On the CPU there are several tiles of columns, and strips of rows if there are several threads.
TEST_P(ThresholdTest, GaussianOfSeveralTiles) {
  for (const ElementType type : pixel_types) {
    compare(type, {700, 90}, Content::all_levels,
            {.window = 101, .method = ThresholdMethod::gaussian});
    compare(type, {300, 270}, Content::all_levels,
            {.window = 15, .method = ThresholdMethod::gaussian}, layouts_of(3));
  }
}

// For u8 and windows to 113, a GPU compares integer means, but float means for pixels close to the
// limit. Close pixels are single ones in images of 16 levels, and whole tiles in images of two.
TEST_P(ThresholdTest, GaussianNearWhereResultsTurnOver) {
  std::size_t k = 0;
  for (const std::int64_t window : {1, 9, 15, 17, 19, 33, 35, 49, 51, 81, 83, 113, 115}) {
    for (const Content content :
         {Content::few_levels, Content::some_levels, Content::neighbouring_levels}) {
      compare(ElementType::u8, {150, 67}, content,
              {.window = window,
               .offset = static_cast<double>(k % 3),
               .method = ThresholdMethod::gaussian,
               .inverted = k % 2 == 0},
              layouts_of(k));
      ++k;
    }
  }
}

/// Returns the rows of an image of u8 that a thread block of threshold_gaussian_products decides.
int gaussian_segment_rows(Size size, std::int64_t window) {
  // These rows depend on the number of weights alone.
  const std::vector<float> weights(static_cast<std::size_t>(window / 2 + 1),
                                   1 / static_cast<float>(window));
  const auto launch = detail::threshold::gaussian_product_launch(
      {nullptr, size.width, size.width, size.height}, {}, {weights, 0, {}});
  return launch ? launch->arguments.segment_rows : 0;
}

TEST_P(ThresholdTest, GaussianOfMoreDoubtfulPixelsThanABlockKeeps) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU path is what this compares with";
  // A thread block checks after `rows` rows if it is full. It must have more rows: then it decides
  // the pixels that it keeps, and begins anew. The result is compared with the CPU path, because
  // the reference would take too long.
  const auto compare_with_cpu = [&](GuardedImage& src, std::int64_t window, std::int64_t rows) {
    const HostView pixels = src.view();
    EXPECT_GT(gaussian_segment_rows({pixels.width(), pixels.height()}, window), rows);
    GuardedImage expected(ElementType::u8, pixels.width(), pixels.height());
    GuardedImage dst(ElementType::u8, pixels.width(), pixels.height());
    const ThresholdOptions options{.window = window, .method = ThresholdMethod::gaussian};
    threshold(pixels, expected.view(), options);
    run(src, dst, nullptr, options);
    test::expect_equal(expected.view(), dst.view());
    dst.expect_guards_intact();
  };
  // An image of one strip gets 264 thread blocks at most, with whole groups of 16 rows. One row
  // more than 264 times `rows` adds a group to each block.
  //
  // With four levels, integers cannot decide about one pixel in a hundred. These are too few for a
  // thread block to keep rows of tiles, so it keeps single pixels. In 48 rows it has about 90 of
  // them, more than the 64 from which on it counts as full.
  GuardedImage four_levels(ElementType::u8, 160, 264 * 48 + 1);
  four_levels.fill_random(15);
  const HostView pixels = four_levels.view();
  for (std::int64_t y = 0; y < pixels.height(); ++y) {
    for (std::int64_t x = 0; x < pixels.width(); ++x) pixels.row(y)[x] &= std::byte{3};
  }
  compare_with_cpu(four_levels, 15, 48);
  // With two neighbouring levels, integers decide hardly any pixel. A thread block then has more
  // rows of undecided pixels than it can decide in floats at once.
  for (const auto& [window, rows] : std::initializer_list<std::pair<std::int64_t, std::int64_t>>{
           {15, 48}, {49, 48}, {113, 144}}) {
    SCOPED_TRACE(window);
    GuardedImage neighbours(ElementType::u8, 8, 264 * rows + 1);
    fill(neighbours, Content::neighbouring_levels, 0);
    compare_with_cpu(neighbours, window, rows);
  }
}

TEST_P(ThresholdTest, GaussianBeyondTheImage) {
  // 2001 weights need more than one launch to reach a GPU.
  for (const ElementType type : pixel_types) {
    compare(type, {19, 7}, Content::all_levels,
            {.window = 4001, .method = ThresholdMethod::gaussian});
    compare(type, {19, 7}, Content::largest, {.window = 4001, .method = ThresholdMethod::gaussian});
  }
}

TEST_P(ThresholdTest, EveryLayoutOfEachImage) {
  std::size_t k = 0;
  for (const ElementType type : pixel_types) {
    for (const Layout& from : test::awkward_layouts()) {
      for (const Layout& to : test::awkward_layouts()) {
        for (const ThresholdMethod method : all_threshold_methods) {
          compare(type, {129, 67}, Content::all_levels, {.window = 31, .method = method},
                  {from, to, test::awkward_layouts()[k++ % 6]});
        }
      }
    }
  }
}

TEST_P(ThresholdTest, OffsetsMaximaAndInversion) {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  constexpr double huge = std::numeric_limits<double>::max();
  const double offsets[] = {0,       7,       -4.5,     0.5,     -0.5,
                            1e9,     -1e9,    tiny,     -tiny,   1e-12,
                            -1e-12,  255,     -255,     254.5,   255.5,
                            -255.25, 65535,   -65536,   65536.5, huge,
                            -huge,   1.0 / 3, -1.0 / 9, 5.0 / 9, std::nextafter(1.0, 2.0)};
  std::size_t k = 0;
  for (const double offset : offsets) {
    for (const ThresholdMethod method : all_threshold_methods) {
      for (const bool inverted : {false, true}) {
        for (const ElementType type : pixel_types) {
          const std::uint32_t largest = type == ElementType::u8 ? 255 : 65535;
          const std::uint32_t maxima[] = {largest, 1, 0, 200};
          const Content contents[] = {Content::few_levels, Content::some_levels,
                                      Content::all_levels, Content::largest};
          compare(type, {37, 23}, contents[k % 4],
                  {.window = k % 3 == 0 ? 3 : 11,
                   .offset = offset,
                   .method = method,
                   .maximum = maxima[k / 4 % 4],
                   .inverted = inverted});
          ++k;
        }
      }
    }
  }
}

TEST_P(ThresholdTest, ExtremeContent) {
  for (const ElementType type : pixel_types) {
    for (const Content content : {Content::zero, Content::largest, Content::checkerboard}) {
      for (const ThresholdMethod method : all_threshold_methods) {
        for (const double offset : {-1.0, 0.0, 0.25, 1.0}) {
          compare(type, {70, 40}, content, {.window = 15, .offset = offset, .method = method});
        }
      }
    }
  }
}

TEST_P(ThresholdTest, WhereSumsOutgrow16And32And64Bits) {
  // The windows are at and beside four limits: those of 16-bit column sums, of 32-bit comparisons,
  // of 32-bit sums, and of the window itself.
  constexpr std::int64_t windows_u8[] = {255, 257, 259, 2047, 2051, 2053, 4103, 4105, 16777215};
  constexpr std::int64_t windows_u16[] = {127, 129, 255, 257, 65535, 65537, 8388607};
  const auto compare_all = [&](ElementType type, auto& windows) {
    for (const std::int64_t window : windows) {
      for (const Content content : {Content::largest, Content::all_levels, Content::few_levels}) {
        for (const double offset : {0.0, 1.0, -1.0, 1e6, -1e6}) {
          for (const auto method : {ThresholdMethod::mean, ThresholdMethod::exact_mean}) {
            compare(type, {33, 9}, content, {.window = window, .offset = offset, .method = method});
          }
        }
      }
    }
  };
  compare_all(ElementType::u8, windows_u8);
  compare_all(ElementType::u16, windows_u16);
}

TEST_P(ThresholdTest, RowsOfManyScanChunks) {
  for (const std::int64_t window : {3, 1025, 4105, 30001}) {
    compare(ElementType::u8, {5003, 3}, Content::all_levels, {.window = window});
    compare(ElementType::u16, {5003, 3}, Content::all_levels, {.window = window});
  }
}

TEST_P(ThresholdTest, TilesInsideOfTheImage) {
  // The images have several tiles, segments and strips, and some of these touch no border. Some
  // widths are whole words, others are not.
  for (const ElementType type : pixel_types) {
    for (const std::int64_t window : {1, 3, 15, 17, 31, 33}) {
      compare(type, {1040, 170}, Content::all_levels, {.window = window});
      compare(type, {261, 300}, Content::few_levels, {.window = window});
    }
    for (const std::int64_t window : {63, 125, 127, 129}) {
      compare(type, {131, 320}, Content::all_levels, {.window = window});
    }
  }
  for (const std::int64_t window : {253, 255, 257}) {
    compare(ElementType::u8, {68, 330}, Content::some_levels, {.window = window});
  }
}

/// Returns the first kernel of a call without a mean image.
std::string first_kernel(ElementType type, Size size, std::int64_t window,
                         std::int64_t shared_limit) {
  const std::int64_t row_bytes = size.width * size_of(type);
  detail::threshold::WindowRule rule;
  rule.half = window / 2;
  rule.area = window * window;
  rule.wide = window > (type == ElementType::u8 ? 2051 : 127);
  const auto launches =
      detail::threshold::threshold_launches({nullptr, row_bytes, size.width, size.height}, {}, rule,
                                            size_of(type), shared_limit, nullptr);
  return detail::threshold::kernel_name(launches.begin()->kernel);
}

constexpr std::int64_t shared_limit_of_turing = 64 << 10;
constexpr std::int64_t shared_limit_of_hopper = 227 << 10;

TEST_P(ThresholdTest, BlocksOfBands) {
  // High images of one or two strips. They take at least 264 thread blocks, the fewest for which a
  // GPU runs threshold_bands. That kernel writes no mean image, so the calls have none.
  for (const Layout& layout : {Layout{}, test::awkward_layouts()[4]}) {
    const auto compare_bands = [&](ElementType type, Size size, Content content,
                                   std::int64_t window) {
      EXPECT_EQ(first_kernel(type, size, window, shared_limit_of_turing), "threshold_bands")
          << name_of(type) << " " << size.width << "x" << size.height << " window " << window;
      compare(type, size, content, {.window = window}, {layout, layout, {}}, false);
    };
    const bool packed = layout.offset_bytes == 0;
    // 264 segments of 32 rows; or 265 of 48 rows, the last incomplete.
    const std::int64_t height = packed ? 264 * 32 : 264 * 48 + 14;
    for (const std::int64_t window : {1, 3, 13, 25}) {
      // Takes both types with each layout, and each window with both types.
      if (packed == (window == 1 || window == 13)) {
        compare_bands(ElementType::u8, {40, height}, Content::all_levels, window);
      } else {
        compare_bands(ElementType::u16, {21, height}, Content::all_levels, window);
      }
    }
    if (packed) {
      compare_bands(ElementType::u8, {700, 132 * 32}, Content::few_levels, 15);
    } else {
      compare_bands(ElementType::u8, {40, height}, Content::all_levels, 33);
      compare_bands(ElementType::u8, {8, 31700}, Content::all_levels, 63);
      compare_bands(ElementType::u16, {20, height}, Content::all_levels, 31);
    }
  }
  for (const std::int64_t window : {257, 301}) {
    compare(ElementType::u8, {2100, 50}, Content::all_levels, {.window = window});
  }
}

TEST_P(ThresholdTest, BlocksOfBandsWhoseSumsSlide) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU path is what this compares with";
  // The images are high enough for threshold_wide_bands, on GPUs with enough shared memory. The
  // reference would take too long. For u8, 255 is the last window whose area fits 16 bits, and 257
  // the first whose area does not. From window 129 on, sums of u16 need 64 bits. Window 601 takes
  // larger thread blocks. The last two problems have small windows, and too few thread blocks for
  // threshold_bands: threshold_tiles takes them.
  struct Problem {
    ElementType type;
    Size size;
    std::int64_t window;
    Content content = Content::all_levels;
  };
  const Problem problems[] = {{ElementType::u8, {9, 128 * 112}, 201},
                              {ElementType::u8, {9, 160 * 112}, 161},
                              {ElementType::u8, {1101, 72 * 128 + 7}, 255},
                              {ElementType::u8, {9, 129 * 128}, 257, Content::largest},
                              {ElementType::u8, {1101, 72 * 128 + 7}, 257},
                              {ElementType::u8, {9, 128 * 304}, 601},
                              {ElementType::u16, {5, 129 * 64}, 127},
                              {ElementType::u16, {5, 129 * 80}, 129, Content::largest},
                              {ElementType::u16, {601, 72 * 128 + 7}, 255},
                              {ElementType::u8, {530, 6200}, 33},
                              {ElementType::u16, {300, 6200}, 31}};
  std::size_t k = 0;
  for (const auto& [type, size, window, content] : problems) {
    SCOPED_TRACE(testing::Message() << name_of(type) << " " << size.width << "x" << size.height
                                    << " window " << window);
    EXPECT_EQ(first_kernel(type, size, window, shared_limit_of_hopper),
              window > 33 ? "threshold_row_sums" : "threshold_tiles");
    const Layouts layouts = k % 3 == 0 ? layouts_of(k + 4) : Layouts{};
    GuardedImage src(type, size.width, size.height, 1, layouts.src);
    fill(src, content, 11 + k);
    GuardedImage expected(type, size.width, size.height);
    GuardedImage dst(type, size.width, size.height, 1, layouts.dst);
    const ThresholdOptions options{.window = window,
                                   .offset = content == Content::largest ? 0.0 : 3.0,
                                   .inverted = k % 2 == 1};
    threshold(src.view(), expected.view(), options);
    run(src, dst, nullptr, options);
    test::expect_equal(expected.view(), dst.view());
    dst.expect_guards_intact();
    ++k;
  }
}

TEST_P(ThresholdTest, WindowsThatBeginWithLessThanGroupsOfRows) {
  // A first sum adds groups of rows, then subtracts their rows outside the window. Some of these
  // are bright, so a thread may subtract more than it adds. With correct sums all pixels are above.
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU path is what this compares with";
  for (const ElementType type : pixel_types) {
    for (const std::int64_t window : {241, 253, 255, 383, 511}) {
      SCOPED_TRACE(testing::Message() << name_of(type) << " window " << window);
      // Windows to 255 of u8 take wide bands only with 112 thread blocks, of 16 rows each.
      const Size size{5, type == ElementType::u8 && window <= 255 ? 112 * 16 : 1000};
      EXPECT_EQ(first_kernel(type, size, window, shared_limit_of_hopper), "threshold_row_sums");
      GuardedImage src(type, size.width, size.height);
      fill(src, Content::zero, 0);
      for (std::int64_t y = 62; y < size.height; y += 97) {
        std::fill_n(src.view().row(y), src.view().row_bytes(), std::byte{255});
      }
      GuardedImage expected(type, size.width, size.height);
      GuardedImage dst(type, size.width, size.height);
      const ThresholdOptions options{.window = window,
                                     .offset = type == ElementType::u8 ? 20.0 : 5000.0};
      threshold(src.view(), expected.view(), options);
      run(src, dst, nullptr, options);
      test::expect_equal(expected.view(), dst.view());
    }
  }
}

TEST_P(ThresholdTest, WindowsFromSumsOf64Rows) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU path is what this compares with";
  constexpr Size size{16400, 8300};
  GuardedImage src(ElementType::u8, size.width, size.height);
  src.fill_random(64);
  GuardedImage expected(ElementType::u8, size.width, size.height);
  GuardedImage dst(ElementType::u8, size.width, size.height);
  threshold(src.view(), expected.view(), {.window = 511, .offset = 3});
  run(src, dst, nullptr, {.window = 511, .offset = 3});
  test::expect_equal(expected.view(), dst.view());
}

TEST_P(ThresholdTest, StripsOfSeveralThreads) {
  // The images are divided among threads; windows are lower and higher than a strip's few rows.
  for (const std::int64_t window : {3, 9, 31}) {
    compare(ElementType::u8, {100003, 7}, Content::all_levels, {.window = window, .offset = 7});
  }
  for (const std::int64_t window : {5, 41, 129}) {
    compare(ElementType::u16, {5003, 63}, Content::all_levels, {.window = window});
  }
}

TEST_P(ThresholdTest, MoreRowsThanAGridHas) {
  // Only threshold_rows has a block for each row. Calls with a mean image and a window of 257
  // pixels take it on every GPU.
  constexpr Size size{3, 65537};
  const ThresholdOptions options{.window = 257};
  GuardedImage src(ElementType::u8, size.width, size.height);
  src.fill_random(7);
  GuardedImage expected(ElementType::u8, size.width, size.height), dst(expected);
  GuardedImage expected_mean(ElementType::u8, size.width, size.height), mean(expected_mean);
  reference::threshold(src.view(), expected.view(), options, expected_mean.view());
  run(src, dst, &mean, options);
  test::expect_equal(expected.view(), dst.view());
  test::expect_equal(expected_mean.view(), mean.view());
}

/// Returns the result of threshold() for the row 10 20 30 and window 3: its means are 13 1/3, 20,
/// 26 2/3.
std::vector<int> of_three(const ThresholdOptions& options) {
  const std::uint8_t src[] = {10, 20, 30};
  std::uint8_t dst[3] = {};
  reference::threshold(ConstHostView(src, 3, 1), HostView(dst, 3, 1), options);
  return {dst, dst + 3};
}

TEST(Threshold, ReferenceByHand) {
  using enum ThresholdMethod;
  using Row = std::vector<int>;
  EXPECT_EQ(of_three({.method = mean}), (Row{0, 0, 255}));
  EXPECT_EQ(of_three({.method = mean, .inverted = true}), (Row{255, 255, 0}));
  // ceil(0.5) = 1 lifts 20 above its mean; inverted, floor(0.5) = 0 does not.
  EXPECT_EQ(of_three({.offset = 0.5, .method = mean}), (Row{0, 255, 255}));
  EXPECT_EQ(of_three({.offset = 0.5, .method = mean, .inverted = true}), (Row{255, 255, 0}));
  EXPECT_EQ(of_three({.offset = 1e-300, .method = exact_mean}), (Row{0, 255, 255}));
  EXPECT_EQ(of_three({.offset = 0, .method = exact_mean, .maximum = 9}), (Row{0, 0, 9}));
  // 30 is 3 1/3 above its exact mean, 26 2/3, and 3 above its rounded mean, 27.
  EXPECT_EQ(of_three({.offset = -3, .method = mean}), (Row{0, 0, 0}));
  EXPECT_EQ(of_three({.offset = -3, .method = exact_mean}), (Row{0, 0, 255}));
  // Gaussian: 0.25 * 10 + 0.5 * 10 + 0.25 * 20 = 12.5, which rounds half to even to 12.
  EXPECT_EQ(of_three({.offset = 2, .method = gaussian}), (Row{0, 255, 255}));
  EXPECT_EQ(of_three({.offset = 3, .method = gaussian}), (Row{255, 255, 255}));
}

TEST(Threshold, TakesPartsOfOneImage) {
  GuardedImage image(ElementType::u8, 96, 20);
  image.fill_random(5);
  const HostView view = image.view();
  GuardedImage expected(ElementType::u8, 31, 18);
  const ThresholdOptions options{.window = 7};
  reference::threshold(view.sub_view(1, 1, 31, 18), expected.view(), options);
  threshold(view.sub_view(1, 1, 31, 18), view.sub_view(33, 1, 31, 18), options);
  test::expect_equal(expected.view(), view.sub_view(33, 1, 31, 18));
}

TEST(Threshold, RunsInsideAGraph) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  for (const ThresholdMethod method : all_threshold_methods) {
    const ThresholdOptions options{.window = 101, .method = method};
    GuardedImage src(ElementType::u8, 300, 200);
    src.fill_random(9);
    GuardedImage expected(ElementType::u8, 300, 200);
    GuardedImage dst(ElementType::u8, 300, 200);
    reference::threshold(src.view(), expected.view(), options);
    const gpu::Stream stream;
    OnDevice device_src(src, stream);
    OnDevice device_dst(dst, stream);
    stream.synchronize();
    const gpu::Graph graph([&](gpu::StreamHandle recorder) {
      threshold(device_src.view(), device_dst.view(), options, recorder);
    });
    graph.launch(stream);
    graph.launch(stream);
    device_dst.download(stream);
    test::expect_equal(expected.view(), dst.view());
  }
}

INSTANTIATE_TEST_SUITE_P(, ThresholdTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
