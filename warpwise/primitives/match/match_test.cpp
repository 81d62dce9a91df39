#include "warpwise/primitives/match/match.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "support/backend.hpp"
#include "support/enum_names.hpp"
#include "support/guarded_image.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;

MatchOptions options_of(std::int64_t block_width, std::int64_t block_height, SearchRange search_x,
                        SearchRange search_y, Measure measure = Measure::sad) {
  MatchOptions options;
  options.block_width = block_width;
  options.block_height = block_height;
  options.search_x = search_x;
  options.search_y = search_y;
  options.measure = measure;
  return options;
}

std::string text(const MatchOptions& o) {
  const auto range = [](SearchRange r) {
    return std::to_string(r.first) + ":" + std::to_string(r.last);
  };
  return "block " + std::to_string(o.block_width) + "x" + std::to_string(o.block_height) +
         " stride " + std::to_string(o.stride_x) + "," + std::to_string(o.stride_y) + " search " +
         range(o.search_x) + " " + range(o.search_y) + " measure " +
         std::to_string(static_cast<int>(o.measure)) +
         (o.border == MatchBorder::skip ? " skip" : " replicate");
}

class MatchTest : public test::BackendTest {
 protected:
  /// Runs the backend on two images, with and without a score, and compares with the reference.
  void compare(GuardedImage& reference, GuardedImage& target, const MatchOptions& options,
               Layout layout = {}) {
    SCOPED_TRACE(testing::Message() << reference.view().width() << "x" << reference.view().height()
                                    << " offset " << layout.offset_bytes << " " << text(options));
    const MatchGrid grid = match_grid(reference.view().width(), reference.view().height(), options);
    const ElementType score_type = match_score_type(options.measure);
    GuardedImage displacement(ElementType::i16, grid.columns, grid.rows, 2, layout);
    GuardedImage score(score_type, grid.columns, grid.rows, 1, layout);
    GuardedImage expected(ElementType::i16, grid.columns, grid.rows, 2);
    GuardedImage expected_score(score_type, grid.columns, grid.rows);
    reference::match(reference.view(), target.view(), expected.view(), options,
                     expected_score.view());
    run(reference, target, displacement, options, &score);
    test::expect_equal(expected.view(), displacement.view());
    test::expect_equal(expected_score.view(), score.view());
    displacement.expect_guards_intact();
    score.expect_guards_intact();
    displacement.fill_random(1);
    run(reference, target, displacement, options, nullptr);
    test::expect_equal(expected.view(), displacement.view());
  }

  void compare_random(std::int64_t width, std::int64_t height, const MatchOptions& options,
                      Layout layout = {}, std::uint64_t seed = 1) {
    GuardedImage reference(ElementType::u8, width, height, 1, layout);
    GuardedImage target(ElementType::u8, width, height, 1,
                        {layout.padding_bytes % 64, layout.offset_bytes});
    reference.fill_random(seed);
    target.fill_random(seed + 1);
    compare(reference, target, options, layout);
  }

 private:
  static void run(GuardedImage& reference, GuardedImage& target, GuardedImage& displacement,
                  const MatchOptions& options, GuardedImage* score) {
    if (GetParam() == Backend::cpu) {
      std::optional<HostView> to;
      if (score != nullptr) to = score->view();
      match(reference.view(), target.view(), displacement.view(), options, to);
      return;
    }
    const gpu::Stream stream;
    OnDevice device_reference(reference, stream);
    OnDevice device_target(target, stream);
    OnDevice device_displacement(displacement, stream);
    if (score == nullptr) {
      match(device_reference.view(), device_target.view(), device_displacement.view(), options,
            stream);
    } else {
      OnDevice device_score(*score, stream);
      match(device_reference.view(), device_target.view(), device_displacement.view(), options,
            device_score.view(), stream);
      device_score.download(stream);
    }
    device_displacement.download(stream);
  }
};

TEST_P(MatchTest, AwkwardSizesAndLayouts) {
  std::size_t turn = 0;
  for (const auto& size : test::awkward_sizes()) {
    for (const Layout& layout : test::awkward_layouts()) {
      for (const Measure measure : all_measures) {
        // Large images take each layout with only one or two measures: layouts matter at the edges.
        if (turn++ % 3 != 0 && size.width * size.height > 4000) continue;
        MatchOptions options =
            options_of(std::min<std::int64_t>(size.width, 7),
                       std::min<std::int64_t>(size.height, 5), {-3, 2}, {-2, 4}, measure);
        // With this stride blocks begin at every alignment, and are few enough for the plain loops.
        if (size.width * size.height > 10000) options.stride_x = 33;
        compare_random(size.width, size.height, options, layout);
        options.border = MatchBorder::replicate;
        compare_random(size.width, size.height, options, layout);
      }
    }
  }
}

TEST_P(MatchTest, EveryBlockSize) {
  for (const std::int64_t height : {1, 2, 3, 7, 8, 9, 16, 17}) {
    for (const std::int64_t width :
         {1, 2, 3, 4, 5, 8, 11, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100}) {
      for (const Measure measure : all_measures) {
        MatchOptions options = options_of(width, height, {-2, 3}, {-3, 1}, measure);
        options.border = height % 2 == 0 ? MatchBorder::skip : MatchBorder::replicate;
        compare_random(2 * width + 3, height + 5, options, {1, 3});
      }
    }
  }
}

TEST_P(MatchTest, EverySearchRange) {
  for (const SearchRange x : {SearchRange{0, 0}, {-1, 0}, {3, 9}, {-16, 15}, {-40, 33}, {-9, -9}}) {
    for (const SearchRange y : {SearchRange{0, 0}, {0, 3}, {0, 4}, {-16, 15}, {-7, -2}, {-70, 2}}) {
      for (const Measure measure : {Measure::sad, Measure::zncc}) {
        MatchOptions options = options_of(8, 4, x, y, measure);
        compare_random(45, 29, options);
        options.border = MatchBorder::replicate;
        compare_random(45, 29, options);
      }
    }
  }
}

TEST_P(MatchTest, DocumentE) {
  for (const Measure measure : all_measures) {
    MatchOptions options;
    options.measure = measure;
    compare_random(32 * 3 + 5, 32 * 2 + 31, options);
  }
}

TEST_P(MatchTest, Strides) {
  for (const std::int64_t stride : {1, 2, 5, 16, 1000}) {
    MatchOptions options = options_of(6, 5, {-4, 4}, {-4, 4});
    options.stride_x = stride;
    options.stride_y = stride + 1;
    compare_random(40, 23, options);
  }
}

// Large blocks are summed in parts; large search ranges are searched in parts.
TEST_P(MatchTest, LargeBlocksAndRanges) {
  for (const Measure measure : all_measures) {
    compare_random(300, 260, options_of(250, 200, {-3, 3}, {-2, 2}, measure));
    compare_random(2000, 3, options_of(1900, 2, {-60, 2}, {-1, 1}, measure));
    compare_random(3, 2000, options_of(2, 1900, {-1, 1}, {-5, 60}, measure));
    MatchOptions options = options_of(4, 3, {-300, 280}, {-20, 30}, measure);
    options.stride_x = options.stride_y = 1000;
    options.border = MatchBorder::replicate;
    compare_random(9, 8, options);
    options.search_x = {-10, 10};
    options.search_y = {-400, 300};
    compare_random(9, 8, options);
  }
  // Tall and narrow: a tile of all candidates would leave no shared memory for the block.
  compare_random(40, 700, options_of(32, 32, {0, 0}, {-750, 749}, Measure::sad));
  compare_random(64, 400, options_of(64, 64, {0, 0}, {-450, 449}, Measure::sad));
  compare_random(66, 400, options_of(64, 64, {-2, 2}, {-1023, 1023}, Measure::ncc));
}

/// The matrix units read a row in words. The last word may lie beside the image, whose memory ends
/// with the last row.
TEST_P(MatchTest, ReadsNothingBehindTheImage) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the CPU path has no matrix units";
  constexpr std::int64_t width = 71, height = 65;
  MatchOptions options = options_of(32, 32, {-16, 15}, {-16, 15}, Measure::ncc);
  options.stride_x = 4;
  options.stride_y = 2;
  GuardedImage reference(ElementType::u8, width, height), target(ElementType::u8, width, height);
  reference.fill_random(1);
  target.fill_random(2);
  const MatchGrid grid = match_grid(width, height, options);
  GuardedImage expected(ElementType::i16, grid.columns, grid.rows, 2);
  GuardedImage displacement(ElementType::i16, grid.columns, grid.rows, 2);
  match(reference.view(), target.view(), expected.view(), options);
  const gpu::Stream stream;
  OnDevice device_reference(reference, stream), device_displacement(displacement, stream);
  const gpu::Buffer pixels(width * height, stream);
  const DeviceView device_target(pixels.data(), ElementType::u8, width, height);
  gpu::upload(target.view(), device_target, stream);
  match(device_reference.view(), device_target, device_displacement.view(), options, stream);
  device_displacement.download(stream);
  test::expect_equal(expected.view(), displacement.view());
}

// Covers the matrix units of a GPU: parts and tiles of 32, full and incomplete.
TEST_P(MatchTest, ManyCandidatesOfLargeBlocks) {
  for (const Measure measure : {Measure::ssd, Measure::ncc, Measure::zncc}) {
    for (const test::Size& block : {test::Size{32, 32}, {20, 27}, {31, 9}, {33, 32}, {50, 65}}) {
      MatchOptions options = options_of(block.width, block.height, {-16, 15}, {-17, 16}, measure);
      compare_random(block.width * 2 + 5, block.height + 37, options, {3, 1});
      options.border = MatchBorder::replicate;
      options.search_x = {-3, 25};
      compare_random(block.width + 2, block.height + 3, options);
    }
  }
}

TEST_P(MatchTest, LargestBlock) {
  for (const Measure measure : all_measures) {
    for (const auto& [width, height] : {std::pair{256, 256}, {65536, 1}, {1, 65536}}) {
      GuardedImage white(ElementType::u8, width, height);
      GuardedImage black(ElementType::u8, width, height);
      const std::size_t bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
      std::memset(black.view().data(), 0, bytes);
      std::memset(white.view().data(), 255, bytes);
      compare(white, black, options_of(width, height, {0, 0}, {0, 0}, measure));
      white.view().row(height / 2)[width / 2] = std::byte{0};
      compare(white, white, options_of(width, height, {0, 0}, {0, 0}, measure));
    }
  }
}

TEST_P(MatchTest, FarOutsideTheImage) {
  for (const Measure measure : all_measures) {
    MatchOptions options = options_of(5, 4, {-32767, -32760}, {32760, 32767}, measure);
    compare_random(21, 11, options);
    options.border = MatchBorder::replicate;
    compare_random(21, 11, options);
  }

  // Most search areas leave the image only above and below it. Their rows are loaded as words.
  for (const SearchRange rows : {SearchRange{-300, -290}, {290, 300}, {-90, 90}}) {
    MatchOptions options = options_of(8, 8, {-4, 3}, rows);
    options.stride_x = options.stride_y = 24;
    options.border = MatchBorder::replicate;
    compare_random(96, 40, options);
    compare_random(97, 41, options, {3, 1});
  }
}

// Every candidate has the same score: the first in raster order wins, on every backend.
TEST_P(MatchTest, TiesGoToTheFirst) {
  for (const int value : {0, 7, 255}) {
    for (const Measure measure : all_measures) {
      GuardedImage image(ElementType::u8, 150, 90);
      std::memset(image.view().data(), value, 150 * 90);
      MatchOptions options = options_of(6, 5, {-37, 40}, {-70, 70}, measure);
      options.stride_x = 40;
      options.stride_y = 30;
      compare(image, image, options);
      options.border = MatchBorder::replicate;
      options.stride_x = options.stride_y = 80;
      compare(image, image, options);
    }
  }
  // A checkerboard: every second candidate is a perfect match.
  GuardedImage board(ElementType::u8, 80, 50);
  for (int y = 0; y < 50; ++y) {
    for (int x = 0; x < 80; ++x) board.view().row(y)[x] = std::byte((x + y) % 2 == 0 ? 0 : 255);
  }
  for (const Measure measure : all_measures) {
    compare(board, board, options_of(16, 16, {-15, 17}, {-13, 12}, measure));
  }
}

TEST_P(MatchTest, FindsWhatMoved) {
  GuardedImage reference(ElementType::u8, 200, 120);
  GuardedImage target(ElementType::u8, 200, 120);
  reference.fill_random(5);
  target.fill_random(6);
  const int dx = -11;
  const int dy = 9;
  for (int y = 0; y < 120 - dy; ++y) {
    std::memcpy(target.view().row(y + dy), reference.view().row(y) - dx, 200 + dx);
  }
  for (const Measure measure : all_measures) {
    MatchOptions options = options_of(16, 16, {-16, 15}, {-16, 15}, measure);
    compare(reference, target, options);
    // compare() has found these results equal to the backend's. Blocks left of x = 11, and those of
    // the last row, moved out of the image.
    GuardedImage found(ElementType::i16, 12, 7, 2);
    match(reference.view(), target.view(), found.view(), options);
    for (std::int64_t row = 0; row < 6; ++row) {
      for (std::int64_t column = 1; column < 12; ++column) {
        EXPECT_EQ(load<std::int16_t>(found.view().row(row), 2 * column), dx);
        EXPECT_EQ(load<std::int16_t>(found.view().row(row), 2 * column + 1), dy);
      }
    }
  }
}

/// A texture of slopes `slope` pixels wide, of `levels` grey values, that repeats itself every
/// `period` columns, moved by (dx, dy).
void fill_slopes(GuardedImage& image, int slope, int levels, int period, int dx, int dy) {
  for (std::int64_t y = 0; y < image.view().height(); ++y) {
    for (std::int64_t x = 0; x < image.view().width(); ++x) {
      const double across = std::sin(static_cast<double>((x + dx + 7 * period) % period) / slope);
      const double down = std::cos(static_cast<double>(y + dy) / (slope + 1));
      const double mixed =
          std::sin(static_cast<double>((x + dx + 7 * period) % period + y + dy) / 3);
      const int level = static_cast<int>((across + down + mixed / 4 + 3) / 6 * levels);
      image.view().row(y)[x] = static_cast<std::byte>(level * (250 / levels));
    }
  }
}

// Covers sad of large blocks, which rejects candidates before all pixels are summed. Few or many
// threads of a warp reject theirs, or all, or none. Several best candidates may have equal scores.
TEST_P(MatchTest, LeavesOutWhatCannotWin) {
  struct Searched {
    std::int64_t width, height;
    SearchRange x, y;
  };
  for (const Searched& s : {Searched{32, 32, {-16, 15}, {-16, 15}},
                            {32, 40, {-9, 4}, {-30, 21}},
                            {48, 24, {-37, 40}, {-7, 10}},
                            {64, 64, {-16, 15}, {-13, 12}},
                            {128, 8, {-40, 41}, {-16, 15}},
                            {32, 32, {-70, 69}, {-40, 39}}}) {
    for (const int slope : {2, 9, 40}) {
      for (const int levels : {2, 9, 125}) {
        for (const int period : {11, 1000}) {
          GuardedImage reference(ElementType::u8, s.width * 2 + 19, s.height * 2 + 5);
          GuardedImage target(ElementType::u8, s.width * 2 + 19, s.height * 2 + 5);
          fill_slopes(reference, slope, levels, period, 0, 0);
          fill_slopes(target, slope, levels, period, slope / 3, -levels % 5);
          target.view().row(s.height / 2)[s.width / 2] ^= std::byte{64};
          MatchOptions options = options_of(s.width, s.height, s.x, s.y);
          options.border = levels == 9 ? MatchBorder::replicate : MatchBorder::skip;
          compare(reference, target, options);
        }
      }
    }
  }
}

// Covers noise (for which no bound is computed), noise that has moved, flat images (which reject no
// candidate), and flat images with a patch.
TEST_P(MatchTest, LeavesOutAllNoneOrOne) {
  for (const SearchRange& x : {SearchRange{-16, 15}, {-64, 63}}) {
    MatchOptions options = options_of(32, 32, x, {-16, 15});
    GuardedImage reference(ElementType::u8, 140, 101), target(ElementType::u8, 140, 101);
    reference.fill_random(3);
    target.fill_random(4);
    compare(reference, target, options);
    for (int y = 0; y < 90; ++y)
      std::memcpy(target.view().row(y + 7), reference.view().row(y), 140);
    compare(reference, target, options);
    for (int y = 0; y < 101; ++y) {
      std::memset(reference.view().row(y), 9, 140);
      std::memset(target.view().row(y), 9, 140);
    }
    compare(reference, target, options);
    for (int y = 40; y < 60; ++y) {
      std::memset(reference.view().row(y) + 38, 250, 20);
      std::memset(target.view().row(y + 5) + 30, 250, 20);
    }
    compare(reference, target, options);
    options.border = MatchBorder::replicate;
    compare(reference, target, options);
  }
}

TEST_P(MatchTest, RandomOptions) {
  std::mt19937_64 random(20261121);
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 150; ++i) {
    MatchOptions options;
    options.block_width = within(1, 40);
    options.block_height = within(1, 40);
    options.stride_x = within(8, 50);
    options.stride_y = within(8, 50);
    options.search_x.first = static_cast<int>(within(-30, 20));
    options.search_x.last = options.search_x.first + static_cast<int>(within(0, 25));
    options.search_y.first = static_cast<int>(within(-30, 20));
    options.search_y.last = options.search_y.first + static_cast<int>(within(0, 25));
    options.measure = all_measures[within(0, 3)];
    options.border = within(0, 1) == 0 ? MatchBorder::skip : MatchBorder::replicate;
    compare_random(options.block_width + within(0, 50), options.block_height + within(0, 50),
                   options, {within(0, 9), within(0, 9)}, random());
  }
}

TEST_P(MatchTest, MoreRowsThanAGridHas) {
  compare_random(2, 70001, options_of(2, 1, {0, 0}, {-1, 1}));
}

TEST(Match, GridLeavesOutPartialBlocks) {
  MatchOptions options = options_of(16, 8, {0, 0}, {0, 0});
  const MatchGrid grid = match_grid(63, 15, options);
  EXPECT_EQ(grid.columns, 3);
  EXPECT_EQ(grid.rows, 1);
  options.stride_x = 5;
  EXPECT_EQ(match_grid(63, 15, options).columns, 10);
  EXPECT_THROW(match_grid(15, 15, options), InvalidArgument);
  EXPECT_THROW(match_grid(63, 7, options), InvalidArgument);
}

TEST(Match, ReferenceScoresByHand) {
  const std::uint8_t a[] = {1, 2, 3, 5};
  const std::uint8_t b[] = {9, 1, 2, 4};
  std::int16_t displacement[2] = {};
  std::uint32_t score = 0;
  const MatchOptions options = options_of(3, 1, {-5, 5}, {-5, 5}, Measure::ssd);
  reference::match({a, 4, 1}, {b, 4, 1}, {displacement, 1, 1, 2}, options, HostView(&score, 1, 1));
  EXPECT_EQ(displacement[0], 1);
  EXPECT_EQ(displacement[1], 0);
  EXPECT_EQ(score, 1u);  // (1 − 1)² + (2 − 2)² + (3 − 4)²
}

TEST(Match, MarksBlocksWithoutCandidate) {
  const std::uint8_t image[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::int16_t displacement[8] = {};
  std::uint32_t score[4] = {};
  match({image, 8, 1}, {image, 8, 1}, {displacement, 4, 1, 2}, options_of(2, 1, {3, 4}, {0, 0}),
        HostView(score, 4, 1));
  EXPECT_EQ(displacement[0], 3);
  EXPECT_EQ(displacement[2], 3);
  EXPECT_EQ(displacement[4], no_match);
  EXPECT_EQ(displacement[5], no_match);
  EXPECT_EQ(score[2], 0xffffffffu);
}

TEST(Match, RefusesWrongArguments) {
  GuardedImage image(ElementType::u8, 64, 48);
  GuardedImage other(ElementType::u8, 64, 47);
  GuardedImage wide(ElementType::u16, 64, 48);
  GuardedImage displacement(ElementType::i16, 2, 1, 2);
  GuardedImage wrong_size(ElementType::i16, 2, 2, 2);
  GuardedImage wrong_type(ElementType::i32, 2, 1, 2);
  GuardedImage score(ElementType::u32, 2, 1);
  GuardedImage float_score(ElementType::f32, 2, 1);
  const auto view = image.view();
  const auto to = displacement.view();
  EXPECT_NO_THROW(match(view, view, to, {}, score.view()));
  EXPECT_THROW(match(view, other.view(), to), InvalidArgument);
  EXPECT_THROW(match(view, wide.view(), to), InvalidArgument);
  EXPECT_THROW(match(wide.view(), view, to), InvalidArgument);
  EXPECT_THROW(match(view, view, wrong_size.view()), InvalidArgument);
  EXPECT_THROW(match(view, view, wrong_type.view()), InvalidArgument);
  EXPECT_THROW(match(view, view, to, {}, float_score.view()), InvalidArgument);
  EXPECT_THROW(match(view, view, to, options_of(32, 32, {}, {}, Measure::ncc), score.view()),
               InvalidArgument);
  const HostView inside(view.data() + 100, ElementType::i16, 2, 1, 2);
  EXPECT_THROW(match(view, view, inside), InvalidArgument);
  const HostView twice(to.data(), ElementType::u32, 2, 1);
  EXPECT_THROW(match(view, view, to, {}, twice), InvalidArgument);
}

TEST(Match, RefusesOptionsOutOfRange) {
  const auto refused = [](auto change) {
    MatchOptions options;
    change(options);
    EXPECT_THROW(match_grid(100000, 100000, options), InvalidArgument) << text(options);
  };
  refused([](MatchOptions& o) { o.block_width = 0; });
  refused([](MatchOptions& o) { o.block_height = -1; });
  refused([](MatchOptions& o) { o.block_width = o.block_height = 257; });
  refused([](MatchOptions& o) { o.block_width = std::int64_t{1} << 62; });
  refused([](MatchOptions& o) { o.stride_x = -1; });
  refused([](MatchOptions& o) { o.stride_y = std::int64_t{1} << 40; });
  refused([](MatchOptions& o) { o.search_x = {1, 0}; });
  refused([](MatchOptions& o) { o.search_y = {-32768, 0}; });
  refused([](MatchOptions& o) { o.search_x = {0, 32768}; });
  refused([](MatchOptions& o) { o.measure = static_cast<Measure>(9); });
}

TEST(Match, NamesLeadBackToTheirValues) {
  EXPECT_TRUE(test::names_each_enumerator<Measure>());
  EXPECT_TRUE(test::names_each_enumerator<MatchBorder>());
}

TEST(Match, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  std::uint8_t pixel = 0;
  std::int16_t displacement[2] = {};
  const ConstDeviceView image(&pixel, 1, 1);
  EXPECT_THROW(match(image, image, DeviceView(displacement, 1, 1, 2),
                     options_of(1, 1, {0, 0}, {0, 0}), nullptr),
               NoCudaDevice);
}

TEST(Match, RefusesBordersThatDoNotExist) {
  GuardedImage image(ElementType::u8, 4, 4);
  GuardedImage displacement(ElementType::i16, 1, 1, 2);
  MatchOptions options = options_of(4, 4, {0, 0}, {0, 0});
  options.border = static_cast<MatchBorder>(77);
  EXPECT_THROW(match(image.view(), image.view(), displacement.view(), options), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(, MatchTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
