#include <gtest/gtest.h>

#include <string>

#include "support/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/rules/rules.hpp"
#include "warpwise/rules/test_accesses.hpp"

namespace warpwise::rules {
namespace {

using namespace test;

// A4 in docs/sources.md: 4 blocks with 256 threads, 16 registers and 4 KB fill an SM of CC 1.3.
TEST(Occupancy, SeedA4) {
  const Occupancy full = occupancy(cc_1_3, {256, 16, 4096});
  EXPECT_EQ(full.blocks_per_sm, 4);
  EXPECT_EQ(full.warps_per_sm, 32);
  EXPECT_EQ(full.fraction, 1);
  EXPECT_EQ(occupancy(cc_1_3, {256, 17, 4096}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy(cc_1_3, {256, 17, 4096}).limiter, Limiter::registers);
  EXPECT_EQ(occupancy(cc_1_3, {256, 16, 4097}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy(cc_1_3, {256, 16, 4097}).limiter, Limiter::shared_memory);
  EXPECT_EQ(occupancy(cc_1_3, {64, 16, 0}).blocks_per_sm, 8);
  EXPECT_EQ(occupancy(cc_1_3, {64, 16, 0}).limiter, Limiter::blocks);
}

// A4's formula on document D's card, of CC 1.1: an SM holds 768 threads in blocks of 256.
TEST(Occupancy, SeedDCard) {
  const Occupancy full = occupancy(cc_1_1, {256, 10, 0});
  EXPECT_EQ(full.blocks_per_sm, 3);
  EXPECT_EQ(full.fraction, 1);
  EXPECT_EQ(full.limiter, Limiter::warps);
}

// A5, on A4's card of CC 1.3: an SM holds 8 blocks of 32 x 4, or 2 blocks of 32 x 16.
TEST(Occupancy, SeedA5Blocks) {
  EXPECT_EQ(occupancy(cc_1_3, {32 * 4, 16, 0}).blocks_per_sm, 8);
  EXPECT_EQ(occupancy(cc_1_3, {32 * 16, 16, 0}).blocks_per_sm, 2);
}

// Values by hand, after NVIDIA's calculator for 1.x. A block's registers are in one piece, for an
// even number of warps, and are rounded up to 256 (1.0, 1.1) or 512 (1.2, 1.3).
TEST(Occupancy, RegistersOf1x) {
  // 6 warps * 32 * 10 = 1920, rounded up to 2048 of 8192 registers: 4 blocks, 24 warps.
  EXPECT_EQ(occupancy(cc_1_0, {192, 10, 0}).blocks_per_sm, 4);
  // 6 * 32 * 11 = 2112, rounded up to 2304: 3 blocks.
  EXPECT_EQ(occupancy(cc_1_0, {192, 11, 0}).blocks_per_sm, 3);
  // 5 warps count as 6, and 6 * 32 * 16 = 3072: 2 blocks. With 5 * 512 = 2560, 3 would fit.
  EXPECT_EQ(occupancy(cc_1_0, {160, 16, 0}).blocks_per_sm, 2);
  // 8 * 32 * 20 = 5120 of 16384: 3 blocks of 8 warps.
  EXPECT_EQ(occupancy(cc_1_3, {256, 20, 0}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy(cc_1_3, {256, 20, 0}).fraction, 0.75);
  // 16 * 32 * 32 = 16384: one block takes the whole register file.
  EXPECT_EQ(occupancy(cc_1_3, {512, 32, 0}).blocks_per_sm, 1);
  EXPECT_THROW(occupancy(cc_1_3, {512, 33, 0}), InvalidArgument);
  // 4 * 32 * 9 = 1152, rounded up to 1536: 10 blocks would fit, but an SM holds at most 8.
  EXPECT_EQ(occupancy(cc_1_3, {128, 9, 0}).blocks_per_sm, 8);
}

// By hand, for 2.x: each half of an SM has 16384 registers. A warp takes multiples of 64 or 128.
TEST(Occupancy, RegistersOf2x) {
  // 20 * 32 = 640, and 16384 / 640 = 25 warps fit each half. 50 warps hold 6 blocks of 8.
  EXPECT_EQ(occupancy(cc_2_0, {256, 20, 0}).blocks_per_sm, 6);
  EXPECT_EQ(occupancy(cc_2_0, {256, 20, 0}).fraction, 1);
  // 21 * 32 = 672, rounded up to 768 in units of 128: 21 warps fit each half. 42 warps hold 5
  // blocks. In units of 64, 46 warps would fit.
  EXPECT_EQ(occupancy(cc_2_0, {256, 21, 0}).blocks_per_sm, 5);
  EXPECT_EQ(occupancy(cc_2_0, {64, 21, 0}).limiter, Limiter::blocks);
  EXPECT_EQ(occupancy(cc_2_0, {192, 21, 0}).blocks_per_sm, 7) << "42 / 6; by units of 64 also 7";
  EXPECT_EQ(occupancy(cc_2_0, {224, 21, 0}).blocks_per_sm, 6);
  EXPECT_EQ(occupancy(cc_2_0, {288, 21, 0}).blocks_per_sm, 4) << "42 / 9; by units of 64 it were 5";
  // 63 * 32 = 2016, rounded up to 2048: 8 warps fit each half, 16 in all, which is one block.
  EXPECT_EQ(occupancy(cc_2_0, {512, 63, 0}).blocks_per_sm, 1);
  EXPECT_THROW(occupancy(cc_2_0, {544, 63, 0}), InvalidArgument);
  EXPECT_EQ(occupancy(cc_2_0, {192, 20, 16 * 1024}).blocks_per_sm, 3);
}

TEST(Occupancy, NamesTheFirstOfEqualLimits) {
  EXPECT_EQ(occupancy(cc_1_3, {256, 16, 4096}).limiter, Limiter::warps);
  EXPECT_EQ(occupancy(cc_1_3, {128, 16, 2048}).limiter, Limiter::warps);
  EXPECT_EQ(occupancy(cc_9_0, {32, 32, 0}).limiter, Limiter::blocks);
}

TEST(Occupancy, NamesItsLimiters) {
  EXPECT_TRUE(warpwise::test::names_each_enumerator<Limiter>());
  EXPECT_EQ(name_of(Limiter::shared_memory), "shared memory");
}

TEST(Occupancy, CountsWhatTheDriverReserves) {
  // An SM has 100 KB. Three blocks of 32 KB fit, each with 1 KB more; four of 24.1 KB do not.
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 32 * 1024}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 24 * 1024}).blocks_per_sm, 4);
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 24 * 1024 + 1}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 99 * 1024}).blocks_per_sm, 1);
}

TEST(Occupancy, TheMostSharedMemoryLetsThatManyBlocksRun) {
  for (const ComputeCapability cc :
       std::initializer_list<ComputeCapability>{{1, 3}, {2, 0}, {6, 1}, {7, 5}, {8, 6}, {9, 0}}) {
    const SmLimits limits = sm_limits(cc);
    for (int blocks = 1; blocks <= limits.blocks; ++blocks) {
      const int most = most_shared_bytes(cc, blocks);
      EXPECT_GE(occupancy(cc, {32, 16, most}).blocks_per_sm, blocks) << to_string(cc);
      if (most < limits.max_shared_per_block) {
        EXPECT_LT(occupancy(cc, {32, 16, most + 1}).blocks_per_sm, blocks) << to_string(cc);
      }
    }
  }
  EXPECT_THROW(most_shared_bytes({7, 5}, 0), InvalidArgument);
}

TEST(Occupancy, RefusesWhatCannotRunWithBothNumbers) {
  const auto expect_refused = [](ComputeCapability cc, const BlockResources& block,
                                 const char* given, const char* limit) {
    try {
      occupancy(cc, block);
      ADD_FAILURE() << "not refused: " << given;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(given), std::string::npos) << message;
      EXPECT_NE(message.find(limit), std::string::npos) << message;
    }
  };
  expect_refused(cc_1_3, {513, 8, 0}, "513", "512");
  expect_refused(cc_9_0, {2000, 8, 0}, "2000", "1024");
  expect_refused(cc_2_0, {32, 64, 0}, "64", "63");
  expect_refused(cc_9_0, {32, 256, 0}, "256", "255");
  expect_refused(cc_9_0, {1024, 255, 0}, "262144", "65536");
  expect_refused(cc_6_1, {32, 8, 49153}, "49153", "49152");
  expect_refused(cc_9_0, {32, 8, 227 * 1024 + 1}, "232449", "232448");
  EXPECT_THROW(occupancy(cc_9_0, {0, 8, 0}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {-1, 8, 0}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {32, -1, 0}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {32, 8, -1}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {2147483647, 2147483647, 2147483647}), InvalidArgument);
}

}  // namespace
}  // namespace warpwise::rules
