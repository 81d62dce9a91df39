#include "warpwise/primitives/match/launch.hpp"

#include <gtest/gtest.h>

// Checks the choice of match's kernels. All of them give the same bytes, so no other test would
// notice a slower one.
namespace warpwise::detail::match {
namespace {

MatchKernel::Way way(Measure measure, std::int64_t width, std::int64_t height, SearchRange search_x,
                     SearchRange search_y) {
  MatchOptions options;
  options.measure = measure;
  options.block_width = options.stride_x = width;
  options.block_height = options.stride_y = height;
  options.search_x = search_x;
  options.search_y = search_y;
  return match_launch({}, {375, 32}, options).kernel.way;
}

MatchKernel::Way way(Measure measure, std::int64_t block, SearchRange search_x,
                     SearchRange search_y) {
  return way(measure, block, block, search_x, search_y);
}

TEST(MatchLaunch, TallWhereItLeavesNoMoreLanesIdle) {
  // A tall warp has 32 rows of 32 candidates. 33 by 33 candidates take two tall warps, which have
  // more idle lanes than three warps of match_kernel.
  EXPECT_EQ(way(Measure::sad, 20, {-16, 15}, {-16, 15}), MatchKernel::tall);
  EXPECT_EQ(way(Measure::sad, 16, {-32, 31}, {-32, 31}), MatchKernel::tall);
  EXPECT_EQ(way(Measure::sad, 16, {-16, 16}, {-16, 16}), MatchKernel::sums);
  EXPECT_EQ(way(Measure::sad, 16, {-7, 7}, {-2, 1}), MatchKernel::sums);
  // Shared memory has room for the candidates of 96 threads only, so there are several tiles.
  EXPECT_EQ(way(Measure::sad, 64, {-100, 100}, {-20, 20}), MatchKernel::sums);
}

TEST(MatchLaunch, RejectsWhereBlocksAreLarge) {
  EXPECT_EQ(way(Measure::sad, 32, {-16, 15}, {-16, 15}), MatchKernel::rejecting);
  EXPECT_EQ(way(Measure::sad, 32, {-64, 63}, {-32, 31}), MatchKernel::rejecting_tall);
  EXPECT_EQ(way(Measure::sad, 128, 8, {-16, 15}, {-16, 15}), MatchKernel::rejecting);
  EXPECT_EQ(way(Measure::sad, 16, 64, {-16, 15}, {-16, 15}), MatchKernel::rejecting);
  // No rejection: a height that is not a multiple of 8, too few pixels (twice), a width that is not
  // a multiple of 16, and a block in parts.
  EXPECT_EQ(way(Measure::sad, 32, 36, {-16, 15}, {-16, 15}), MatchKernel::tall);
  EXPECT_EQ(way(Measure::sad, 32, 24, {-16, 15}, {-16, 15}), MatchKernel::tall);
  EXPECT_EQ(way(Measure::sad, 16, {-16, 15}, {-16, 15}), MatchKernel::tall);
  EXPECT_EQ(way(Measure::sad, 40, {-16, 15}, {-16, 15}), MatchKernel::tall);
  EXPECT_EQ(way(Measure::sad, 240, {-16, 15}, {-16, 15}), MatchKernel::tall);
}

TEST(MatchLaunch, ProductsWhereTheirTilesAreFull) {
  for (const Measure measure : {Measure::ssd, Measure::ncc, Measure::zncc}) {
    EXPECT_EQ(way(measure, 32, {-16, 15}, {-16, 15}), MatchKernel::products);
    EXPECT_EQ(way(measure, 8, {-2, 2}, {-2, 2}), MatchKernel::sums);
  }
}

TEST(MatchLaunch, FitsEveryGpu) {
  constexpr std::size_t everywhere = 48 << 10;
  for (const std::int64_t block : {1, 8, 33, 256}) {
    for (const int reach : {0, 5, 16, 100, 3000}) {
      MatchOptions options;
      options.block_width = options.block_height = options.stride_x = options.stride_y = block;
      options.search_x = {-reach, reach};
      options.search_y = {-reach, 0};
      const auto launch = match_launch({}, {3, 2}, options);
      EXPECT_LT(launch.shared_bytes, everywhere) << block << ", " << reach;
      EXPECT_LE(launch.block.x, static_cast<unsigned>(kernels::match::match_max_threads));
    }
  }
}

}  // namespace
}  // namespace warpwise::detail::match
