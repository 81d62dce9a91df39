// Checks each resource's bound with counts whose times are known by hand.

#include "warpwise/lab/predict/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/enum_names.hpp"

namespace warpwise {
namespace {

using emulator::LaunchResult;
using lab::Bounds;
using lab::DeviceProfile;
using lab::LaunchFacts;
using lab::Resource;

/// Ten SMs at 1 GHz, on which a microsecond is a thousand cycles.
DeviceProfile profile() {
  DeviceProfile made;
  made.compute_capability = {9, 0};
  for (const std::string& name : lab::profile_figures()) made.figures[name] = 1;
  made.figures["multiprocessors"] = 10;
  made.figures["sm_clock_mhz"] = 1000;
  made.figures["dram_gb_per_s"] = 100;
  made.figures["l2_gb_per_s"] = 1000;
  made.figures["launch_us"] = 0;
  for (const char* none :
       {"block_start_cycles", "warp_start_cycles", "block_turn_cycles", "l2_written_share"}) {
    made.figures[none] = 0;
  }
  made.figures["l2_kept_bytes"] = 1e12;
  made.figures["l1_bytes"] = 1e6;
  return made;
}

/// A hundred blocks, of which the emulator ran ten.
LaunchResult counted() {
  LaunchResult result;
  result.blocks = 10;
  result.memory.resize(1);
  return result;
}
constexpr LaunchFacts facts{.blocks = 100, .blocks_per_sm = 2, .memory_bytes = 1 << 30};

TEST(Bounds, AreNothingForALaunchThatDoesNothing) {
  const Bounds bounds = bounds_of(profile(), counted(), facts);
  for (const double each : bounds.us) EXPECT_EQ(each, 0);
  EXPECT_EQ(bounds.time_us(), 0);
}

TEST(Bounds, NameTheStartOfBlocksApartFromLatency) {
  Bounds bounds;
  bounds.us[static_cast<std::size_t>(Resource::issue)] = 4;
  bounds.us[static_cast<std::size_t>(Resource::latency)] = 5;
  bounds.waits_us = 5;
  bounds.starts_us = 2;
  EXPECT_EQ(bottleneck_of(bounds), "latency");
  bounds.waits_us = 3;
  bounds.starts_us = 5;
  EXPECT_EQ(bottleneck_of(bounds), lab::starting_blocks);
  const auto us_of = [&](std::string_view name) {
    for (const lab::BoundPart& each : parts_of(bounds))
      if (each.name == name) return each.us;
    return -1.0;
  };
  EXPECT_EQ(us_of("latency"), 3);
  EXPECT_EQ(us_of("starting blocks"), 5);
  EXPECT_EQ(us_of("issue"), 4);
  bounds.us[static_cast<std::size_t>(Resource::issue)] = 6;
  EXPECT_EQ(bottleneck_of(bounds), "issue");
}

TEST(Bounds, OfDramHaveSectorsUsedInPartOnceForEachBlockWhereL2LosesThem) {
  LaunchResult result = counted();
  result.pace.reads = {{.bytes = 64'000, .requested = 1000, .dram = 1000, .partly = 600}};
  DeviceProfile device = profile();
  const auto us = [&] { return bounds_of(device, result, facts).of(Resource::dram); };
  EXPECT_DOUBLE_EQ(us(), 64'000 / 100e3);
  device.figures["l2_kept_bytes"] = 32'000;  // L2 loses the buffer, which is twice as large
  EXPECT_DOUBLE_EQ(us(), 600 * 32 * 10 / 100e3);
  device.figures["l2_kept_bytes"] = 128'000.0 / 3;  // L2 loses half of the buffer
  EXPECT_NEAR(us(), (64'000 + 600 * 32 * 10) / 2.0 / 100e3, 1e-9);
  // The kernel reads another buffer too. L2 keeps the first one only if it is read often.
  device.figures["l2_kept_bytes"] = 66'000;
  result.pace.reads.push_back({.bytes = 640'000, .requested = 2000, .dram = 2000});
  EXPECT_DOUBLE_EQ(us(), (600 * 32 * 10 + 640'000) / 100e3);
  result.pace.reads[0].requested = 100'000;
  EXPECT_DOUBLE_EQ(us(), (64'000 + 640'000) / 100e3);
}

TEST(Bounds, OfAtomicsHaveTheSwapsThatFail) {
  LaunchResult result = counted();
  result.pace.atomic_sectors = result.pace.swaps = result.pace.made_swaps = 1000;
  result.pace.made_swap_pairs = 125'000;  // an eighth of all pairs meet on a word
  const auto us = [&] { return bounds_of(profile(), result, facts).of(Resource::atomics); };
  // 80 of the 640 resident threads compete for each word, so a swap takes 80 tries. The last 80 of
  // a word's 1,250 swaps have ever fewer competitors, and take 80, 79, … 1 tries.
  const double tries = 80 - 80 * 79 / 2500.0;
  EXPECT_DOUBLE_EQ(us(), 1000 * tries / 1000);
  // The sample's swaps include failed ones already, which are not added a second time.
  result.pace.atomic_sectors = result.pace.swaps = 41'000;
  EXPECT_DOUBLE_EQ(us(), 1000 * tries / 1000);
  result.pace.atomic_sectors = result.pace.swaps = 90'000;
  EXPECT_DOUBLE_EQ(us(), 90);
}

TEST(Bounds, OfDramHaveWhatBlocksReadAgainWhereL2LosesIt) {
  LaunchResult result = counted();
  result.pace.reads = {{.bytes = 1 << 30, .requested = 1000, .dram = 1000}};
  result.pace.repeated_read_sectors = 1000;
  result.pace.block_read_sectors = 1000;  // a block reads 3,200 bytes; 20 blocks run at a time
  DeviceProfile device = profile();
  const auto us = [&] { return bounds_of(device, result, facts).of(Resource::dram); };
  EXPECT_DOUBLE_EQ(us(), 1000 * 32 * 10 / 100e3);
  device.figures["l2_kept_bytes"] = 32'000;
  EXPECT_DOUBLE_EQ(us(), 2000 * 32 * 10 / 100e3);
}

TEST(Bounds, OfDramHaveTheLinesThatReadsReplaceInL2) {
  LaunchResult result = counted();
  result.pace.reads = {{.bytes = 1 << 30, .requested = 1000, .dram = 1000}};
  DeviceProfile device = profile();
  device.figures["l2_written_share"] = 0.5;
  device.figures["l2_bytes"] = 1e6;
  const auto us = [&] { return bounds_of(device, result, facts).of(Resource::dram); };
  EXPECT_DOUBLE_EQ(us(), 320'000 * 1.5 / 100e3);
  device.figures["l2_bytes"] = 100'000;
  EXPECT_DOUBLE_EQ(us(), 370'000 / 100e3);
  result.pace.dram_written_sectors = 1000;  // L2 keeps the sectors that the launch writes
  EXPECT_DOUBLE_EQ(us(), 640'000 / 100e3);
}

TEST(Bounds, OfL2HaveNoCommonLinesThatL1Holds) {
  LaunchResult result = counted();
  result.pace.l2_read_lines = 3000;
  result.pace.common_read_lines = 2000;
  result.pace.common_lines = 10;
  DeviceProfile device = profile();
  device.figures["l1_bytes"] = 1280;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::l2), 1000 / 1000.0);
  device.figures["l1_bytes"] = 640;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::l2), 3000 / 1000.0);
}

TEST(Bounds, OfTexturesOfTwoDimensionsHaveARateOfTheirOwn) {
  LaunchResult result = counted();
  result.pace.texture_line_tiles = 8 * 2000;
  result.pace.texture_plane_tiles = 16 * 1000;
  DeviceProfile device = profile();
  device.figures["texture_plane_per_cycle"] = 0.5;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::texture), 4000 / 1000.0);
}

TEST(Bounds, OfL2HaveSharedLinesAtARateOfTheirOwn) {
  LaunchResult result = counted();
  result.pace.l2_read_sectors = 5000;
  result.pace.shared_read_sectors = 2000;
  DeviceProfile device = profile();
  device.figures["l2_gb_per_s"] = 1000;
  device.figures["l2_shared_gb_per_s"] = 2000;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::l2),
                   (3000 / 1000e3 + 2000 / 2000e3) * 32 * 10);
}

TEST(Bounds, OfSharedMemoryHaveItsAtomics) {
  LaunchResult result = counted();
  result.memory[0].shared_load.passes = 500;
  result.pace.shared_atomic_passes = 1000;
  DeviceProfile device = profile();
  device.figures["shared_atomics_per_cycle"] = 0.5;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::shared), 2500 / 1000.0);
}

TEST(Bounds, OfDramAreItsDistinctSectorsOfTheWholeGrid) {
  LaunchResult result = counted();
  result.pace.reads = {{.bytes = 1 << 30, .requested = 1000, .dram = 1000}};
  result.pace.dram_written_sectors = 250;
  result.pace.l2_read_sectors = 5000;
  const Bounds bounds = bounds_of(profile(), result, facts);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::dram), 1250 * 32 * 10 / 100e3);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::l2), 5000 * 32 * 10 / 1000e3);
  EXPECT_EQ(bounds.bottleneck_resource(), Resource::dram);
}

TEST(Bounds, OfDramAreNoMoreThanTheBuffersHold) {
  LaunchResult result = counted();
  result.pace.reads = {{.bytes = 64'000, .requested = 1000, .dram = 1000}};
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::dram), 64'000 / 100e3);
}

TEST(Bounds, WithoutL2AreAllThatIsMovedForDram) {
  DeviceProfile old = profile();
  old.figures["l2_gb_per_s"] = 0;
  LaunchResult result = counted();
  result.memory[0].global_load.bytes_moved = 9000;
  result.memory[0].global_store.bytes_moved = 1000;
  result.pace.reads = {{.bytes = 1 << 30, .requested = 1, .dram = 1}};
  const Bounds bounds = bounds_of(old, result, facts);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::dram), 10'000 * 10 / 100e3);
  EXPECT_EQ(bounds.of(Resource::l2), 0);
}

TEST(Bounds, OfAnSmAreThoseOfTheOneWithTheMostBlocks) {
  LaunchResult result = counted();
  result.memory[0].shared_load.passes = 10'000;
  // Ten SMs run 100 blocks of 1000 passes. With one block more, one SM has eleven.
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::shared), 10.0);
  LaunchFacts more = facts;
  more.blocks = 101;
  EXPECT_NEAR(bounds_of(profile(), result, more).of(Resource::shared), 11.0, 1e-9);
}

TEST(Bounds, OfIssueAreTheSlowestUnitsOrAllInstructions) {
  DeviceProfile device = profile();
  device.figures["issue_per_cycle"] = 4;
  device.figures["integer_per_cycle"] = 2;
  device.figures["special_per_cycle"] = 0.5;
  LaunchResult result = counted();
  result.instructions_by_class = {{"integer", 600}, {"logic", 400}, {"float32", 3000}};
  device.figures["float32_per_cycle"] = 4;
  // The units need 4000 / 4, 1000 / 2 and 3000 / 4 cycles.
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::issue), 1000 / 1000.0);
  result.instructions_by_class["special"] = 800;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::issue), 1600 / 1000.0);
}

TEST(Bounds, OfIssueHaveTheFurtherMachineInstructions) {
  LaunchResult result = counted();
  result.instructions_by_class = {{"integer", 100}};
  result.pace.further = {.all = 1700, .integer = 1500, .special = 100, .conversion = 200};
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::issue), 1800 / 1000.0);
  DeviceProfile device = profile();
  device.figures["issue_per_cycle"] = 4;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::issue), 1600 / 1000.0);
}

TEST(Bounds, OfIssueAreMachineInstructionsWhereTheseAreKnown) {
  DeviceProfile device = profile();
  device.figures["issue_per_cycle"] = 4;
  device.figures["integer_per_cycle"] = 2;
  device.figures["float32_per_cycle"] = 4;
  device.figures["special_per_cycle"] = 0.5;
  LaunchResult result = counted();
  result.instructions_by_class = {{"integer", 9000}};
  LaunchFacts known = facts;
  const auto us = [&] { return bounds_of(device, result, known).of(Resource::issue); };
  // The units need 4000 / 4, 2000 / 2, 1000 / 2 and 100 / 0.5 cycles.
  known.machine = {.all = 4000, .integer = 2000, .multiply = 1000, .float32 = 900, .special = 100};
  EXPECT_DOUBLE_EQ(us(), 1000 / 1000.0);
  known.machine.integer = 2400;
  EXPECT_DOUBLE_EQ(us(), 1200 / 1000.0);
  known.machine.multiply = 3000;  // half of the units for floats multiply integers
  EXPECT_DOUBLE_EQ(us(), 1500 / 1000.0);
  // The load/store units also serve accesses to spilled values, here one a cycle.
  known.machine.spill_loads = 3000;
  EXPECT_DOUBLE_EQ(us(), 3000 / 1000.0);
}

TEST(Bounds, OfUnitsAndBarriersAddUpWhereFewBlocksAreThere) {
  Bounds bounds;
  bounds.us[static_cast<std::size_t>(Resource::issue)] = 40;
  bounds.units_us = {40, 30};
  EXPECT_NEAR(bounds.time_us(), 70, 1e-6);
  EXPECT_GE(bounds.most_us(), 70);
  bounds.groups = 1000;
  EXPECT_NEAR(bounds.time_us(), 40, 1);
  // Each of two blocks waits for the other's barriers: T = 30 + 10 / (1 - 10 / T) - 10.
  bounds.us = {};
  bounds.units_us = {};
  bounds.waits_us = 30;
  bounds.barriers_us = 20;
  bounds.blocks = 2;
  const double time = bounds.time_us();
  EXPECT_NEAR(30 + 10 / (1 - 10 / time) - 10, time, 1e-6);
  bounds.blocks = 1;  // a block's time contains its own barriers
  EXPECT_NEAR(bounds.time_us(), 30, 1e-6);
}

TEST(Bounds, ALongBlockEndsItsOwnTimeAfterItsBeginning) {
  LaunchResult result = counted();
  result.pace.block_cycles = 10 * 1000;
  for (std::uint64_t i = 0; i < 10; ++i) result.pace.block_lengths.push_back({10 * i, 1000});
  // Each SM has ten blocks, two at a time.
  EXPECT_NEAR(bounds_of(profile(), result, facts).time_us(), 5, 1e-6);
  result.pace.block_lengths[0].cycles = 8000;
  result.pace.block_cycles += 7000;
  const Bounds first = bounds_of(profile(), result, facts);
  EXPECT_EQ(first.latency_without_starts_us(), 8.5);
  result.pace.block_lengths[0].block = 99;  // the long block begins after 79 of 100 blocks
  const Bounds last = bounds_of(profile(), result, facts);
  EXPECT_NEAR(last.time_us(), 0.79 * first.time_us() + 8, 1e-6);
  EXPECT_EQ(bottleneck_of(last), "latency");
  // In a grid twice as large the long block has twice the index.
  LaunchFacts larger = facts;
  larger.blocks = 200;
  larger.larger = 2;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, larger).counted_blocks[0].share, 178 / 200.0);
}

TEST(Bounds, OfL2AreItsLinesWhereTheseTakeLonger) {
  DeviceProfile device = profile();
  device.figures["l2_written_lines_per_cycle"] = 0.5;
  LaunchResult result = counted();
  result.pace.l2_read_lines = 2000;
  result.pace.l2_written_lines = 3000;
  // The whole grid has ten times as many lines, divided among ten SMs.
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::l2), 8000 / 1000.0);
  device.figures["l2_written_sectors_per_cycle"] = 0.25;
  result.pace.l2_written_sectors = 3000;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::l2), 14000 / 1000.0);
}

TEST(Bounds, HaveNoLoadsThatArePartsOfOthers) {
  LaunchResult result = counted();
  result.instructions_by_class = {{"load", 3000}};
  result.memory[0].shared_load.passes = 2000;
  result.pace.joined_loads = 1000;
  result.pace.joined_passes = 500;
  const Bounds bounds = bounds_of(profile(), result, facts);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::issue), 2000 / 1000.0);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::shared), 1500 / 1000.0);
}

TEST(Bounds, OfIssueAreBarriersWhereTheseTakeLonger) {
  DeviceProfile device = profile();
  device.figures["barriers_per_cycle"] = 0.5;
  LaunchResult result = counted();
  result.totals.barriers = 4000;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::issue), 8000 / 1000.0);
}

TEST(Bounds, OfAtomicsAreThoseOfTheBusiestPlace) {
  LaunchResult result = counted();
  result.pace.atomic_cycles_of_busiest_place = 1500;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::atomics), 1500 * 10 / 1000.0);
  // Only neighbouring blocks update this word, so L2 spends no more cycles on it in a larger grid.
  result.pace.atomic_cycles_of_neighbours = 24000;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::atomics), 24000 / 1000.0);
  result.pace.atomic_sectors = 50000;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::atomics), 50000 / 1000.0);
}

TEST(Bounds, OfSpilledValuesAreL2sWhereL1DoesNotHoldThem) {
  DeviceProfile device = profile();
  device.figures["l1_bytes"] = 64 * 1000;
  device.figures["l2_written_sectors_per_cycle"] = 100;
  LaunchResult result = counted();
  result.instructions_by_class = {{"integer", 1000}};
  LaunchFacts spilling = facts;
  // Each of the 50 instructions runs 20 times. So does each of the 5 accesses to spilled values.
  spilling.spills = {.loads = 3, .stores = 2, .instructions = 50, .bytes_per_thread = 1000};
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::issue), 1100 / 1000.0);
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::l1), 100 * 128 / 1000.0);
  // Stores are written through.
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::l2), 40 * 128 * 10 / 1000e3);
  // Two blocks of one warp have 64,000 bytes of spilled values. Those of three exceed L1.
  spilling.blocks_per_sm = 3;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::l2), 100 * 128 * 10 / 1000e3);
  // The blocks of ten SMs have 960,000 bytes of spilled values.
  device.figures["l2_bytes"] = 960e3;
  const double dram_us = bounds_of(device, result, spilling).of(Resource::dram);
  const double all_us = 100 * 128 * 10 / (1e3 * device.figures["dram_gb_per_s"]);
  const auto more_us = [&](double l2_bytes) {
    device.figures["l2_bytes"] = l2_bytes;
    return bounds_of(device, result, spilling).of(Resource::dram) - dram_us;
  };
  EXPECT_NEAR(more_us(960e3 / 1.125), all_us / 2, 1e-6);
  EXPECT_NEAR(more_us(960e3 / 1.25), all_us, 1e-6);
  EXPECT_NEAR(more_us(960e3 / 2), all_us, 1e-6);
}

TEST(Bounds, OfLatencyHaveTheStartOfEachBlock) {
  DeviceProfile device = profile();
  device.figures["block_start_cycles"] = 200;
  EXPECT_DOUBLE_EQ(bounds_of(device, counted(), facts).of(Resource::latency), 10 * 200 / 1000.0);
  // Large blocks start one warp after another.
  device.figures["warp_start_cycles"] = 10;
  LaunchFacts large = facts;
  large.warps_per_block = 32;
  EXPECT_DOUBLE_EQ(bounds_of(device, counted(), large).of(Resource::latency), 10 * 320 / 1000.0);
}

TEST(Bounds, OfLatencyFollowLittlesLaw) {
  LaunchResult result = counted();
  result.pace.block_cycles = 10 * 4000;  // each block takes 4 us
  // Each SM has ten blocks, two at a time.
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::latency), 20);
  LaunchFacts few = facts;
  few.blocks = 5;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, few).of(Resource::latency), 4);
  DeviceProfile device = profile();
  device.figures["block_turn_cycles"] = 1000;  // cycles until the next block runs
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::latency), 25);
}

TEST(Bounds, ALaunchBehindAnotherTakesLess) {
  DeviceProfile device = profile();
  device.figures["launch_us"] = 3;
  device.figures["next_launch_us"] = 1;
  const Bounds bounds = bounds_of(device, counted(), facts);
  EXPECT_DOUBLE_EQ(bounds.time_us() - bounds.next_time_us(), 2);
}

TEST(Bounds, OverlapTheMoreTheMoreGroupsOfWarpsThereAre) {
  Bounds bounds;
  bounds.us[static_cast<std::size_t>(Resource::shared)] = 30;
  bounds.us[static_cast<std::size_t>(Resource::issue)] = 40;
  EXPECT_NEAR(bounds.time_us(), 70, 1e-6);  // a single group uses one resource at a time
  bounds.groups = 1000;
  EXPECT_NEAR(bounds.time_us(), 40, 1);
  // Two groups wait for each other at each resource: T = 20 / (1 - 20 / T) + 15 / (1 - 15 / T).
  bounds.groups = 2;
  const double time = bounds.time_us();
  EXPECT_NEAR(20 / (1 - 20 / time) + 15 / (1 - 15 / time), time, 1e-6);
}

TEST(Bounds, OfMemoryAddToTheWaitsOfTheFirstWave) {
  Bounds bounds;
  bounds.groups = 64;
  bounds.waits_us = bounds.us[static_cast<std::size_t>(Resource::latency)] = 50;
  bounds.us[static_cast<std::size_t>(Resource::dram)] = 40;
  bounds.us[static_cast<std::size_t>(Resource::l2)] = 30;  // L2 works at the same time as DRAM
  EXPECT_NEAR(bounds.time_us(), 90, 1e-6);
  bounds.waves = 1000;
  EXPECT_NEAR(bounds.time_us(), 50, 1);
}

TEST(Bounds, AGainHasTheErrorsOfBothTimes) {
  const lab::Range gain = lab::gain_between({50, 100, 200}, {20, 40, 120});
  EXPECT_DOUBLE_EQ(gain.likely, 2.5);
  EXPECT_NEAR(gain.least, 2.5 / std::exp(std::hypot(std::log(2), std::log(3))), 1e-9);
  EXPECT_NEAR(gain.most, 2.5 * std::exp(std::hypot(std::log(2), std::log(2))), 1e-9);
}

TEST(Bounds, AGainByAChangeHasTheSameErrorInBothTimes) {
  const lab::Range gain = lab::gain_by_change({50, 100, 200}, {25, 80, 150});
  EXPECT_DOUBLE_EQ(gain.least, 100 / 80.0);
  EXPECT_DOUBLE_EQ(gain.likely, 100 / 80.0);
  EXPECT_DOUBLE_EQ(gain.most, 50 / 25.0);
  EXPECT_EQ(lab::gain_by_change({}, {}).likely, 1);
}

TEST(Bounds, TogetherTakeBetweenTheLongestAndTheSum) {
  Bounds bounds;
  bounds.launch_us = 2;
  bounds.us[static_cast<std::size_t>(Resource::dram)] = 30;
  bounds.us[static_cast<std::size_t>(Resource::issue)] = 40;
  EXPECT_DOUBLE_EQ(bounds.least_us(), 42 / lab::profile_error);
  EXPECT_DOUBLE_EQ(bounds.most_us(), 72 * lab::profile_error);
  EXPECT_GE(bounds.time_us(), 42);
  EXPECT_LE(bounds.time_us(), 72 + 1e-6);
  EXPECT_EQ(bounds.bottleneck_resource(), Resource::issue);
}

static_assert(test::names_each_enumerator<Resource>());

}  // namespace
}  // namespace warpwise
