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
  made.figures["block_start_cycles"] = 0;
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

TEST(Bounds, OfDramAreItsDistinctSectorsOfTheWholeGrid) {
  LaunchResult result = counted();
  result.pace.dram_read_sectors = 1000;
  result.pace.dram_written_sectors = 250;
  result.pace.l2_read_sectors = 5000;
  const Bounds bounds = bounds_of(profile(), result, facts);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::dram), 1250 * 32 * 10 / 100e3);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::l2), 5000 * 32 * 10 / 1000e3);
  EXPECT_EQ(bounds.rules(), Resource::dram);
}

TEST(Bounds, OfDramAreNoMoreThanTheBuffersHold) {
  LaunchResult result = counted();
  result.pace.dram_read_sectors = 1000;
  LaunchFacts small = facts;
  small.memory_bytes = 64'000;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, small).of(Resource::dram), 64'000 / 100e3);
}

TEST(Bounds, WithoutL2AreAllThatIsMovedForDram) {
  DeviceProfile old = profile();
  old.figures["l2_gb_per_s"] = 0;
  LaunchResult result = counted();
  result.memory[0].global_load.bytes_moved = 9000;
  result.memory[0].global_store.bytes_moved = 1000;
  result.pace.dram_read_sectors = 1;
  const Bounds bounds = bounds_of(old, result, facts);
  EXPECT_DOUBLE_EQ(bounds.of(Resource::dram), 10'000 * 10 / 100e3);
  EXPECT_EQ(bounds.of(Resource::l2), 0);
}

TEST(Bounds, OfAnSmAreThoseOfTheOneWithTheMostBlocks) {
  LaunchResult result = counted();
  result.memory[0].shared_load.passes = 10'000;
  // 100 blocks x 1000 passes over ten SMs; with one block more, one SM has eleven.
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
  // The candidates are 4000 / 4, 1000 / 2 and 3000 / 4.
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

TEST(Bounds, OfL2AreItsLinesWhereTheseTakeLonger) {
  DeviceProfile device = profile();
  device.figures["l2_written_lines_per_cycle"] = 0.5;
  LaunchResult result = counted();
  result.pace.l2_read_lines = 2000;
  result.pace.l2_written_lines = 3000;
  // The whole grid has ten times as many, over ten SMs.
  EXPECT_DOUBLE_EQ(bounds_of(device, result, facts).of(Resource::l2), 8000 / 1000.0);
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

TEST(Bounds, OfAtomicsAreThoseOfTheBusiestLine) {
  LaunchResult result = counted();
  result.pace.atomic_cycles_of_busiest_line = 1500;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::atomics), 1500 * 10 / 1000.0);
  // Neighbours' atomics are no more in a larger grid.
  result.pace.atomic_cycles_of_neighbours = 24000;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::atomics), 24000 / 1000.0);
}

TEST(Bounds, OfSpilledValuesAreL2sWhereL1DoesNotHoldThem) {
  DeviceProfile device = profile();
  device.figures["l1_bytes"] = 64 * 1000;
  LaunchResult result = counted();
  result.instructions_by_class = {{"integer", 1000}};
  LaunchFacts spilling = facts;
  // Each of the 50 instructions runs 20 times, and so do the 5 accesses.
  spilling.spills = {.loads = 3, .stores = 2, .instructions = 50, .bytes_per_thread = 1000};
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::issue), 1100 / 1000.0);
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::l1), 100 * 128 / 1000.0);
  // Stores are written through.
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::l2), 40 * 128 * 10 / 1000e3);
  // Two blocks of one warp hold 64,000 bytes, three do not fit.
  spilling.blocks_per_sm = 3;
  EXPECT_DOUBLE_EQ(bounds_of(device, result, spilling).of(Resource::l2), 100 * 128 * 10 / 1000e3);
  // Ten SMs hold 960,000 bytes.
  device.figures["l2_bytes"] = 960e3;
  const double dram_us = bounds_of(device, result, spilling).of(Resource::dram);
  device.figures["l2_bytes"] = 959e3;
  EXPECT_NEAR(bounds_of(device, result, spilling).of(Resource::dram) - dram_us,
              100 * 128 * 10 / (1e3 * device.figures["dram_gb_per_s"]), 1e-9);
}

TEST(Bounds, OfLatencyHaveTheStartOfEachBlock) {
  DeviceProfile device = profile();
  device.figures["block_start_cycles"] = 200;
  EXPECT_DOUBLE_EQ(bounds_of(device, counted(), facts).of(Resource::latency), 10 * 200 / 1000.0);
}

TEST(Bounds, OfLatencyFollowLittlesLaw) {
  LaunchResult result = counted();
  result.pace.block_cycles = 10 * 4000;  // each block 4 us
  // Each SM has ten blocks, two at a time.
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, facts).of(Resource::latency), 20);
  LaunchFacts few = facts;
  few.blocks = 5;
  EXPECT_DOUBLE_EQ(bounds_of(profile(), result, few).of(Resource::latency), 4);
}

TEST(Bounds, TogetherTakeBetweenTheLongestAndTheSum) {
  Bounds bounds;
  bounds.launch_us = 2;
  bounds.us[static_cast<std::size_t>(Resource::dram)] = 30;
  bounds.us[static_cast<std::size_t>(Resource::issue)] = 40;
  EXPECT_DOUBLE_EQ(bounds.least_us(), 42 / lab::profile_error);
  EXPECT_DOUBLE_EQ(bounds.most_us(), 72 * lab::profile_error);
  EXPECT_NEAR(bounds.time_us(), 2 + std::pow(30.0 * 30 * 30 + 40.0 * 40 * 40, 1.0 / 3), 1e-9);
  EXPECT_EQ(bounds.rules(), Resource::issue);
}

static_assert(test::names_each_enumerator<Resource>());

}  // namespace
}  // namespace warpwise
