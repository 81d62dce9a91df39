// Tests the predicted gain of a change of a kernel.

#include "warpwise/lab/predict/launch_prediction.hpp"

#include <gtest/gtest.h>

namespace warpwise {
namespace {

using emulator::LaunchResult;
using lab::Change;
using lab::DeviceProfile;
using lab::LaunchFacts;
using lab::LaunchPrediction;

/// Ten SMs at 1 GHz. Figures that a test does not set are so fast that they are no bottleneck.
DeviceProfile small_gpu() {
  DeviceProfile made;
  made.compute_capability = {9, 0};
  for (const std::string& name : lab::profile_figures()) made.figures[name] = 1000;
  made.figures["multiprocessors"] = 10;
  made.figures["sm_clock_mhz"] = 1000;
  made.figures["shared_passes_per_cycle"] = 1;
  made.figures["dram_gb_per_s"] = 100;
  made.figures["launch_us"] = 50;
  for (const char* none :
       {"block_start_cycles", "warp_start_cycles", "block_turn_cycles", "l2_written_share"}) {
    made.figures[none] = 0;
  }
  return made;
}

/// Ten blocks, with this many passes of shared memory and sectors of DRAM.
LaunchPrediction predicted(std::uint64_t passes, std::uint64_t sectors) {
  LaunchFacts facts;
  facts.blocks = 10;
  facts.warps_per_block = 2;
  facts.memory_bytes = 1 << 30;
  return predict_launch(small_gpu(), 64, facts, {}, [&](const emulator::LaunchOptions& options) {
    EXPECT_TRUE(options.pace.has_value());
    EXPECT_EQ(options.sampled_blocks, 512U);
    LaunchResult result;
    result.blocks = 10;
    result.memory.resize(1);
    result.memory[0].shared_load.passes = passes;
    result.pace.reads = {{.bytes = 1 << 30, .requested = sectors, .dram = sectors}};
    result.pace.l2_read_sectors = sectors;
    result.instructions_by_class["load"] = 1;
    return result;
  });
}

TEST(LaunchPrediction, AGainIsThatOfWhatRules) {
  const LaunchPrediction shared = predicted(100'000, 10);
  EXPECT_NEAR(gain_of(shared, Change{.passes = 0.5}), 2, 0.01);
  EXPECT_NEAR(gain_of(shared, Change{.bytes = 0.5}), 1, 0.01);
  const LaunchPrediction dram = predicted(10, 100'000);
  EXPECT_NEAR(gain_of(dram, Change{.bytes = 0.75}), 4, 0.1);
  EXPECT_NEAR(gain_of(dram, Change{.passes = 0.5}), 1, 0.01);
}

TEST(LaunchPrediction, HalfOfACostGainsAtMostTwo) {
  const LaunchPrediction both = predicted(100'000, 200'000);  // both take about the same time
  for (const Change& change :
       {Change{.bytes = 0.5}, Change{.passes = 0.5}, Change{.waiting = 0.5}}) {
    const lab::Range gain = gain_range_of(both, change);
    EXPECT_GE(gain.least, 1 - 1e-9);
    EXPECT_LE(gain.least, gain.likely);
    EXPECT_LE(gain.likely, gain.most);
    EXPECT_LE(gain.most, 2 + 1e-9);
  }
  EXPECT_GT(gain_range_of(both, Change{.bytes = 0.5, .passes = 0.5}).least, 1.9);
}

// The transactions outnumber the blocks' cycles, because warps make them at the same time.
TEST(LaunchPrediction, HalfTheRepeatedBytesGainAtMostTwo) {
  LaunchPrediction chase = predicted(10, 1000);
  chase.sample.memory[0].global_load.bytes_moved = 128 * 1'000'000;
  chase.sample.pace.block_cycles = 300'000;
  EXPECT_LE(gain_range_of(chase, Change{.repeated_bytes = 0.5}).most, 2 + 1e-9);
  EXPECT_GT(gain_of(chase, Change{.repeated_bytes = 0.5}), 1.5);
}

TEST(LaunchPrediction, WhatIsAskedForIsNotSavedBelowL1) {
  // The accesses move four times their bytes, but L1 merges them: DRAM moves only the needed bytes.
  LaunchPrediction merged = predicted(10, 100'000);
  emulator::TrafficCounts& loads = merged.sample.memory[0].global_load;
  loads.bytes_requested = 32 * 100'000;
  loads.bytes_moved = 4 * loads.bytes_requested;
  EXPECT_NEAR(gain_of(merged, Change{.bytes = 0.75}), 1, 0.01);
  // Half of the sectors' bytes are requested, so at most the other half can be saved.
  loads.bytes_requested = 32 * 50'000;
  EXPECT_NEAR(gain_of(merged, Change{.bytes = 0.75}), 2, 0.01);
}

TEST(LaunchPrediction, WhatIsUsedAtOnceIsNotReadAgain) {
  LaunchPrediction rows = predicted(10, 10'000);
  rows.profile.figures["l2_kept_bytes"] = 1;
  rows.sample.pace.l2_read_sectors = 80'000;
  rows.sample.pace.block_read_sectors = 10'000;
  rows.sample.pace.repeated_read_sectors = 70'000;
  rows.sample.memory[0].global_load.bytes_requested = 32 * 10'000;
  // An eighth of the 70,000 sectors is left, and the 10,000 that all blocks read once.
  EXPECT_NEAR(gain_of(rows, Change{.bytes = 0.875}), 80'000 / (8750.0 + 10'000), 0.1);
}

TEST(LaunchPrediction, AGainIsOfAGridThatFillsTheGpu) {
  // One block per SM takes less time than the launch. The launch must not hide the gain.
  const LaunchPrediction small = predicted(1000, 0);
  EXPECT_GT(small.bounds.launch_us, 10 * small.bounds.of(lab::Resource::shared));
  EXPECT_NEAR(gain_of(small, Change{.passes = 0.5}), 2, 0.01);
  EXPECT_GT(bounds_when_full(small).of(lab::Resource::shared),
            small.bounds.of(lab::Resource::shared));
}

TEST(LaunchPrediction, AChangeThatSavesNothingGainsNothing) {
  EXPECT_EQ(gain_of(predicted(100, 100), Change{}), 1);
  // DRAM moves sectors in pairs. It first reads a sector of which a store writes a part.
  LaunchPrediction pairs = predicted(10, 100'000);
  pairs.sample.pace.l2_read_sectors = 50'000;
  pairs.sample.pace.l2_written_sectors = 10'000;
  pairs.sample.pace.dram_filled_sectors = pairs.sample.pace.dram_written_sectors = 20'000;
  EXPECT_EQ(gain_of(pairs, Change{}), 1);
  EXPECT_NEAR(gain_of(pairs, Change{.bytes = 0.5}), 2, 0.01);
}

TEST(LaunchPrediction, AGainHasTheInsideOfDivisionsDoublesAndTheStartsOfBlocks) {
  LaunchPrediction made = predicted(0, 0);
  made.profile.figures["issue_per_cycle"] = 1;
  made.profile.figures["conversion64_per_cycle"] = 0.5;
  made.sample.instructions_by_class["integer"] = 1'000'000;
  made.sample.pace.further.all = 3'000'000;
  EXPECT_NEAR(gain_of(made, Change{.instructions = 0.5}), 2, 0.01);
  EXPECT_NEAR(gain_of(made, Change{.divisions = 1}), 4, 0.01);
  made.sample.pace.further = {.conversion64 = 4'000'000};
  EXPECT_NEAR(gain_of(made, Change{.doubles = 1}), 8, 0.01);
  LaunchPrediction starts = predicted(0, 0);
  starts.profile.figures["block_start_cycles"] = 1000;
  EXPECT_NEAR(gain_of(starts, Change{.starts = 0.75}), 4, 0.01);
}

TEST(LaunchPrediction, AGainHasAtomics) {
  LaunchPrediction made = predicted(0, 0);
  made.sample.pace.atomic_cycles_of_busiest_place = 1'000'000;
  made.sample.pace.atomic_sectors = 1000;
  EXPECT_NEAR(gain_of(made, Change{.atomics = 0.5}), 2, 0.01);
  EXPECT_NEAR(gain_of(made, Change{.bytes = 0.5}), 1, 0.01);
}

TEST(LaunchPrediction, AGainHasSpilledValues) {
  LaunchPrediction made = predicted(0, 0);
  made.profile.figures["issue_per_cycle"] = 1;
  made.profile.figures["l1_bytes_per_cycle"] = 1e9;
  made.profile.figures["shared_passes_per_cycle"] = 1e9;
  made.sample.instructions_by_class["integer"] = 1'000'000;
  made.facts.spills = {.loads = 200, .instructions = 100};
  EXPECT_NEAR(gain_of(made, Change{.spills = 1}), 3, 0.01);
}

TEST(LaunchPrediction, OfASampleThatFaultsIsNotKnown) {
  const LaunchPrediction made =
      predict_launch(small_gpu(), 64, {}, {}, [](const emulator::LaunchOptions&) {
        LaunchResult result;
        result.faults.emplace_back().message = "no end";
        return result;
      });
  EXPECT_NE(made.why_not.find("no end"), std::string::npos);
}

}  // namespace
}  // namespace warpwise
