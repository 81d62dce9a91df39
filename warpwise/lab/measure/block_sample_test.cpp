#include "warpwise/lab/measure/block_sample.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

TEST(BlockSample, AsItIsWritten) {
  EXPECT_EQ(parse_sample("2000").of(10000), 2000U);
  EXPECT_EQ(parse_sample("2000").of(100), 100U);
  EXPECT_EQ(parse_sample("5%").of(1000), 50U);
  EXPECT_EQ(parse_sample("0.5%").of(10), 1U);
  EXPECT_EQ(parse_sample("100%").of(7), 7U);
  for (const char* bad : {"", "0", "-1", "1.5", "x", "5 %", "0%", "101%", "nan%", "%", "1e3"})
    EXPECT_THROW(parse_sample(bad), InvalidArgument) << bad;
}

emulator::LaunchResult counted(std::uint64_t sampled) {
  // In every 16th block, threads store 20 words instead of 2, and the words lie further apart.
  test::Emulated emulated(test::kernel_text(
      "and.b32 %r5, %r4, 15;\nsetp.eq.u32 %p, %r5, 0;\nmov.u32 %r6, 2;\n@%p mov.u32 %r6, 20;\n"
      "mul.lo.u32 %r7, %r1, %r6;\nmul.wide.u32 %l4, %r7, 4;\nadd.u64 %l4, %l1, %l4;\nAGAIN:\n"
      "st.global.u32 [%l4], %r1;\nsub.u32 %r6, %r6, 1;\nsetp.gt.u32 %p, %r6, 0;\n@%p bra AGAIN;"));
  emulated.options.compute_capabilities = {{9, 0}};
  emulated.options.sampled_blocks = sampled;
  const emulator::Address memory = emulated.buffer(std::vector<std::uint32_t>(4096));
  emulator::LaunchResult result = emulated.launch("hand", {128, 64}, {64}, memory, memory);
  EXPECT_TRUE(result.faults.empty());
  return result;
}

void expect_near(std::uint64_t found, std::uint64_t whole, double share) {
  EXPECT_LE(std::fabs(static_cast<double>(found) - static_cast<double>(whole)),
            share * static_cast<double>(whole))
      << found << " for " << whole;
}

TEST(BlockSample, CountsAreNearThoseOfTheWholeGrid) {
  const emulator::LaunchResult whole = counted(0);
  emulator::LaunchResult sample = counted(4096);
  EXPECT_EQ(sample.blocks, 4096U);
  EXPECT_LT(sample.totals.warp_instructions, whole.totals.warp_instructions * 6 / 10);
  extrapolate(sample, 4096, 128 * 64);
  // A sixteenth of the grid's blocks stores more. The sample's share of such blocks differs a
  // little, by chance.
  expect_near(sample.totals.warp_instructions, whole.totals.warp_instructions, 0.04);
  expect_near(sample.memory[0].global_store.transactions_32,
              whole.memory[0].global_store.transactions_32, 0.04);
  ASSERT_EQ(sample.lines.size(), whole.lines.size());
  EXPECT_EQ(sample.blocks, 4096U) << "how many ran stays known";
}

// A sample has whole clusters, so that more blocks run than were asked for.
TEST(BlockSample, CountsOfClustersAreThoseOfTheWholeGrid) {
  const auto stores = [](std::uint64_t sampled) {
    test::Emulated emulated(test::kernel_text("st.global.u32 [%l1], %r1;"));
    emulated.options.cluster = emulator::Dim3{8};
    emulated.options.sampled_blocks = sampled;
    const emulator::Address memory = emulated.buffer(std::vector<std::uint32_t>(64));
    emulator::LaunchResult result = emulated.launch("hand", {64}, {32}, memory, memory);
    EXPECT_EQ(result.blocks, sampled == 0 ? 64U : 8U);
    extrapolate(result, sampled == 0 ? 64 : sampled, 64);
    return result.totals.warp_instructions;
  };
  EXPECT_EQ(stores(5), stores(0));
}

TEST(BlockSample, CountsThatAreTooLargeAreRefused) {
  emulator::LaunchResult sample;
  sample.blocks = 1;
  sample.totals.warp_instructions = 1'000'000;
  extrapolate(sample, 1, 1'000'000'000'000);
  EXPECT_EQ(sample.totals.warp_instructions, 1'000'000'000'000'000'000U);
  EXPECT_THROW(extrapolate(sample, 1, 2), InvalidArgument);
}

TEST(BlockSample, AllBlocksAreTheGridItself) {
  const emulator::LaunchResult whole = counted(0);
  emulator::LaunchResult sample = counted(128 * 64);
  extrapolate(sample, 128 * 64, 128 * 64);
  EXPECT_EQ(sample.totals.warp_instructions, whole.totals.warp_instructions);
}

TEST(BlockSample, AStoppedLaunchStaysAsItRan) {
  test::Emulated emulated(test::kernel_text("st.global.u32 [%l1], %r1;"));
  emulated.options.sampled_blocks = 100;
  emulated.options.budget = 500;
  emulated.options.threads = 1;
  const emulator::Address memory = emulated.buffer(std::vector<std::uint32_t>(64));
  emulator::LaunchResult stopped = emulated.launch("hand", {1000}, {32}, memory, memory);
  ASSERT_EQ(stopped.faults.size(), 1U);
  EXPECT_EQ(stopped.faults[0].kind, emulator::FaultKind::budget);
  EXPECT_GT(stopped.blocks, 0U);
  EXPECT_LT(stopped.blocks, 100U);
  const std::uint64_t ran = stopped.totals.warp_instructions;
  extrapolate(stopped, 100, 1000);
  EXPECT_EQ(stopped.totals.warp_instructions, ran);
}

emulator::LaunchResult stopped_at(std::uint64_t budget) {
  test::Emulated emulated(test::kernel_text("st.global.u32 [%l1], %r1;"));
  emulated.options.budget = budget;
  emulated.options.threads = 1;
  const emulator::Address memory = emulated.buffer(std::vector<std::uint32_t>(64));
  return emulated.launch("hand", {1000}, {32}, memory, memory);
}

TEST(BlockSample, ALaunchThatExceedsItsBudgetIsSampledWithinAQuarter) {
  constexpr std::uint64_t budget = 5000;
  const emulator::LaunchResult stopped = stopped_at(budget);
  ASSERT_EQ(stopped.faults.size(), 1U);
  const auto sample = sample_within(budget, stopped);
  ASSERT_TRUE(sample);
  const std::uint64_t each = stopped.executed / stopped.blocks;
  EXPECT_LE(sample->blocks * each, budget / 4);
  EXPECT_GE(sample->blocks * each, budget / 5);
}

TEST(BlockSample, NoSampleIsMadeOfOtherLaunches) {
  constexpr std::uint64_t budget = 5000;
  EXPECT_FALSE(sample_within(budget, stopped_at(0))) << "it came to its end";
  emulator::LaunchResult long_block = stopped_at(budget);
  long_block.blocks = 0;
  EXPECT_FALSE(sample_within(budget, long_block)) << "no block ended";
  emulator::LaunchResult faulty = stopped_at(budget);
  faulty.faults.push_back(faulty.faults.front());
  faulty.faults.back().kind = emulator::FaultKind::race;
  EXPECT_FALSE(sample_within(budget, faulty)) << "it has a finding of its own";
}

TEST(BlockSample, ASampleReplacesOnlyALaunchThatNeedsMore) {
  emulator::LaunchResult sample;
  sample.blocks = 10;
  sample.totals.warp_instructions = 1001;
  EXPECT_TRUE(replaces_stopped(sample, 10, 1000));
  EXPECT_TRUE(replaces_stopped(sample, 9, 1000)) << "the others of a cluster ran too";
  EXPECT_FALSE(replaces_stopped(sample, 11, 1000)) << "a block of the sample did not end";
  EXPECT_FALSE(replaces_stopped(sample, 10, 1001)) << "the grid fits: blocks must have waited";
  sample.faults.resize(1);
  sample.faults[0].kind = emulator::FaultKind::deadlock;
  EXPECT_FALSE(replaces_stopped(sample, 11, 1000)) << "it may wait for blocks outside the sample";
  sample.faults[0].kind = emulator::FaultKind::budget;
  EXPECT_FALSE(replaces_stopped(sample, 9, 1000)) << "a block of a cluster did not end";
  sample.faults[0].kind = emulator::FaultKind::out_of_bounds;
  EXPECT_TRUE(replaces_stopped(sample, 11, 1000)) << "the kernel's own fault";
}

}  // namespace
}  // namespace warpwise::lab
