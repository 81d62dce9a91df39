#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "warpwise/lab/explain/advice/advice.hpp"

// An explained kernel for the tests of the advice.
namespace warpwise::lab {

/// An explanation with the counts that a launch of a 32x32 transpose would give for one line.
class AdviceOfALine : public testing::Test {
 protected:
  AdviceOfALine() {
    result_.request.file = "t.cu";
    result_.request.block = {32, 32, 1};
    result_.kernel_name = "transpose";
    result_.capabilities = {{.compute_capability = {9, 0},
                             .registers = 16,
                             .registers_from = "sm_90",
                             .spill_bytes = 0,
                             .shared_bytes = 4096,
                             .occupancy = {2, 64, 1.0, rules::Limiter::warps},
                             .why_not = ""}};
    result_.sources = {
        {"t.cu", "t.cu", {"__shared__ float tile[32][SIZE];", "out[i] = tile[x][y];"}}};
    result_.launch.totals = {.warp_instructions = 1024,
                             .thread_instructions = 32768,
                             .branches = 32,
                             .divergent_branches = 0,
                             .barriers = 32};
    result_.launch.memory.resize(1);
    emulator::LineCounts line;
    line.file = "t.cu";
    line.line = 2;
    line.execution = result_.launch.totals;
    line.memory.resize(1);
    line.memory[0].shared_load = {32, 32, 32};
    line.memory[0].global_store = {32, 1024, 128, 0, 0, 4096, 4096, 128};
    result_.launch.lines = {line};
  }

  emulator::MemoryCounts& counts() { return result_.launch.lines[0].memory[0]; }
  emulator::ExecutionCounts& execution() { return result_.launch.lines[0].execution; }

  Explanation result_;
};

/// Returns true if the text of some advice contains `words`.
inline bool says(const std::vector<Advice>& advice, const std::string& words) {
  return std::ranges::any_of(
      advice, [&](const Advice& each) { return each.text.find(words) != std::string::npos; });
}

/// Predicts a launch on a made-up GPU, on which only shared memory and DRAM can be the bottleneck.
inline LaunchPrediction predicted(std::uint64_t passes, std::uint64_t sectors) {
  DeviceProfile profile;
  profile.gpu = "GeForce GTX 1";
  profile.compute_capability = {9, 0};
  for (const std::string& name : profile_figures()) profile.figures[name] = 1000;
  profile.figures["shared_passes_per_cycle"] = 1;
  for (const char* none :
       {"block_start_cycles", "warp_start_cycles", "block_turn_cycles", "l2_written_share"}) {
    profile.figures[none] = 0;
  }
  profile.figures["dram_gb_per_s"] = 1;
  LaunchFacts facts;
  facts.blocks = 100'000'000;
  facts.memory_bytes = std::uint64_t{1} << 50;
  return predict_launch(profile, 1024, facts, {}, [&](const emulator::LaunchOptions&) {
    emulator::LaunchResult sample;
    sample.blocks = 100;
    sample.memory.resize(1);
    sample.memory[0].shared_load.passes = passes;
    sample.pace.reads = {{.bytes = std::uint64_t{1} << 50, .requested = sectors, .dram = sectors}};
    sample.pace.distinct_read_sectors = sectors;
    sample.pace.l2_read_sectors = sectors;
    return sample;
  });
}

}  // namespace warpwise::lab
