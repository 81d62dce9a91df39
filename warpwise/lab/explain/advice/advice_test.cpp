// Tests the advice of `explain`, and the placement of a kernel.
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/explain/advice/advice_of_a_line.hpp"
#include "warpwise/lab/explain/advice/placement.hpp"
#include "warpwise/lab/explain/show/report.hpp"

namespace warpwise::lab {
namespace {

TEST_F(AdviceOfALine, FindsNothingWhereNothingIs) {
  result_.launch.memory = result_.launch.lines[0].memory;
  const auto advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_NE(advice[0].text.find("a shared read takes 1 pass"), std::string::npos) << advice[0].text;
  EXPECT_NE(advice[0].text.find("128 transactions, and the minimum is 128"), std::string::npos);
}

TEST_F(AdviceOfALine, PraisesOnlyAccessesThatThereAre) {
  counts() = {};
  result_.launch.memory = {counts()};
  EXPECT_TRUE(says(advice_for(result_), "cost about the minimum for their bytes: there are none"));
  for (emulator::PassCounts emulator::MemoryCounts::* kind :
       {&emulator::MemoryCounts::shared_store, &emulator::MemoryCounts::shared_atomic}) {
    result_.launch.memory[0].*kind = {32, 32, 32};
    EXPECT_FALSE(says(advice_for(result_), "about the minimum"));
    result_.launch.memory[0] = {};
  }
  result_.launch.memory[0].global_atomic = {32, 1024, 128, 0, 0, 4096, 4096, 128};
  EXPECT_FALSE(says(advice_for(result_), "about the minimum"));
}

TEST_F(AdviceOfALine, NamesTheArrayToPad) {
  counts().shared_load.passes = 1024;
  const auto advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_NE(advice[0].text.find("Line 2 (out[i] = tile[x][y];) reads shared memory in 32 passes"),
            std::string::npos)
      << advice[0].text;
  EXPECT_NE(advice[0].text.find("tile[32][SIZE + 1] in place of tile[32][SIZE]"),
            std::string::npos);
  EXPECT_EQ(advice[0].rule, "bank conflicts (docs/hardware-rules.md, Shared memory)");
}

TEST_F(AdviceOfALine, TellsTheThreadsStepFromTheRowsLength) {
  counts().shared_load.passes = 128;
  const auto told = [&](const std::string& declaration, const std::string& use) {
    result_.sources = {{"t.cu", "t.cu", {declaration, use}}};
    return advice_for(result_)[0].text;
  };
  const std::string stepped = told("__shared__ float t[16][64];", "y[i] = t[r][x * 4 + i];");
  EXPECT_NE(stepped.find("In t[...][x * 4 + i] the threads' words are 4 apart"), std::string::npos)
      << stepped;
  EXPECT_EQ(stepped.find("+ 1]"), std::string::npos) << stepped;
  const std::string commented = told("// __shared__ float t[16][64];", "y[i] = t[r][x * 4 + i];");
  EXPECT_EQ(commented.find("In t[...]"), std::string::npos) << commented;
  const std::string odd = told("__shared__ float t[16][65];", "y[i] = t[r[x]][c[x]];");
  EXPECT_NE(odd.find("Rows of 65 words are not the cause"), std::string::npos) << odd;
  for (const std::string columns : {"64", "WIDTH", "32 + PAD"}) {
    const std::string column = told("__shared__ float t[16][" + columns + "];", "y[i] = t[x][r];");
    EXPECT_NE(column.find("t[16][" + columns + " + 1] in place of"), std::string::npos) << column;
  }
}

TEST_F(AdviceOfALine, TellsScatteredFromMisaligned) {
  counts().global_store = {32, 1024, 1024, 0, 0, 4096, 32768, 128};
  EXPECT_NE(advice_for(result_)[0].text.find(
                "32,768 bytes are moved for 4,096 requested. The threads' addresses lie far apart"),
            std::string::npos)
      << advice_for(result_)[0].text;
  EXPECT_FALSE(example_for(advice_for(result_)[0])) << "the example's kernel reads";
  counts().global_store = {32, 1024, 160, 0, 0, 4096, 5120, 128};
  EXPECT_NE(advice_for(result_)[0].text.find("form several runs"), std::string::npos)
      << advice_for(result_)[0].text;
}

TEST_F(AdviceOfALine, SeesDivergence) {
  execution().divergent_branches = result_.launch.totals.divergent_branches = 32;
  result_.launch.totals.thread_instructions = execution().thread_instructions = 16384;
  EXPECT_NE(advice_for(result_)[0].text.find("diverges in 32 of 32 branches"), std::string::npos);
  EXPECT_NE(advice_for(result_)[0].text.find("16 of 32 lanes work"), std::string::npos);
}

// Lanes are idle in a loop. The `if (lane == 0)` of another line costs one instruction.
TEST_F(AdviceOfALine, DivergenceCostsWhatFollowsIt) {
  result_.sources[0].lines = {"", "if (lane == 0) parts[warp] = sum;", "all(sum);",
                              "while (left(lane)) work();"};
  execution() = {.warp_instructions = 64,
                 .thread_instructions = 32 * 32 + 32,
                 .branches = 32,
                 .divergent_branches = 32};
  result_.launch.lines.resize(3, result_.launch.lines[0]);
  result_.launch.lines[1].line = 3;
  result_.launch.lines[1].execution = {.warp_instructions = 1000, .thread_instructions = 32000};
  result_.launch.lines[2].line = 4;
  result_.launch.lines[2].execution = {.warp_instructions = 3000,
                                       .thread_instructions = 48000,
                                       .branches = 60,
                                       .divergent_branches = 30};
  result_.launch.totals = {.warp_instructions = 4064,
                           .thread_instructions = 32 * 32 + 32 + 32000 + 48000,
                           .branches = 92,
                           .divergent_branches = 62};
  std::vector<std::string> told;
  for (const Advice& each : advice_for(result_)) {
    if (each.remedy == Remedy::divergence) told.push_back(each.text);
  }
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].starts_with("Line 4 (while (left(lane)) work();) diverges")) << told[0];
  EXPECT_EQ(told[0].find("Line 2"), std::string::npos) << told[0];
}

TEST_F(AdviceOfALine, LinesOfLibrariesComeLast) {
  counts().shared_load.passes = 40;
  result_.launch.lines.push_back(result_.launch.lines[0]);
  result_.launch.lines[1].file = "/usr/local/cuda-13.0/include/cccl/cub/block/block_scan.cuh";
  result_.launch.lines[1].memory[0].constant = {32, 1024, 32};
  const auto advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 3U);
  EXPECT_EQ(advice[0].remedy, Remedy::bank_conflicts);
  EXPECT_TRUE(advice[0].text.starts_with("Line 2 (out[i] = tile[x][y];)")) << advice[0].text;
  // If the line is in a file of the program, it comes first, because it costs most.
  result_.launch.lines[1].file = "/home/me/cuda/block_scan.cuh";
  EXPECT_EQ(advice_for(result_)[0].remedy, Remedy::constant_memory);
}

TEST_F(AdviceOfALine, SeesWhatEndsOccupancy) {
  result_.capabilities[0].occupancy = {1, 16, 0.25, rules::Limiter::registers};
  result_.capabilities[0].registers = 128;
  EXPECT_NE(advice_for(result_)[0].text.find("Fewer registers than 128 a thread"),
            std::string::npos);
  result_.capabilities[0].why_not = "a block with 2048 threads cannot run";
  EXPECT_NE(advice_for(result_)[0].text.find("cannot run"), std::string::npos);
}

TEST_F(AdviceOfALine, SaysThreeThingsAtMostTheDearestFirst) {
  counts().shared_load.passes = 1024;
  counts().global_store = {32, 1024, 1024, 0, 0, 4096, 32768, 128};
  counts().global_load = {32, 1024, 160, 0, 0, 4096, 5120, 128};
  counts().constant = {32, 64, 32};
  const auto advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 3U);
  EXPECT_NE(advice[0].text.find("writes global memory"), std::string::npos) << advice[0].text;
  EXPECT_NE(advice[1].text.find("shared memory"), std::string::npos) << advice[1].text;
}

TEST_F(AdviceOfALine, SaysWhatAChangeGainsOnAGpu) {
  counts().shared_load = {32, 1024, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  // Shared memory is the bottleneck: 31 of 32 passes are conflicts.
  result_.prediction = predicted(1'000'000, 0);
  std::vector<Advice> advice = advice_for(result_);
  ASSERT_FALSE(advice.empty());
  EXPECT_NEAR(advice[0].gain.value(), 32, 1);
  EXPECT_NE(advice[0].text.find("times as fast (modelled)"), std::string::npos) << advice[0].text;
  // The same conflicts, with DRAM as the bottleneck.
  result_.prediction = predicted(1, 1'000'000);
  advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 2U);
  const auto conflict = std::find_if(advice.begin(), advice.end(), [](const Advice& each) {
    return each.rule.starts_with("bank conflicts");
  });
  ASSERT_NE(conflict, advice.end());
  EXPECT_NEAR(conflict->gain.value(), 1, 0.01);
  EXPECT_NE(conflict->text.find("gains little (modelled): DRAM is the bottleneck."),
            std::string::npos)
      << conflict->text;
  EXPECT_TRUE(std::any_of(advice.begin(), advice.end(), [](const Advice& each) {
    return each.text.find("near this GPU's roof") != std::string::npos;
  }));
}

TEST_F(AdviceOfALine, IsNoRoofWhereSectorsAreNotUsed) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1, 1'000'000);
  emulator::TrafficCounts& loads = result_.prediction->sample.memory[0].global_load;
  const auto said = [&](const std::string& words) {
    const std::vector<Advice> advice = advice_for(result_);
    return std::any_of(advice.begin(), advice.end(), [&](const Advice& each) {
      return each.text.find(words) != std::string::npos;
    });
  };
  loads.bytes_requested = 32'000'000;
  EXPECT_TRUE(said("near this GPU's roof"));
  EXPECT_FALSE(said("per requested byte")) << "none is moved in vain";
  loads.bytes_requested = 4'000'000;
  EXPECT_FALSE(said("near this GPU's roof"));
  EXPECT_TRUE(said("moves 8 bytes per requested byte"));
  EXPECT_FALSE(example_for(advice_for(result_)[0])) << "the example's kernel uses its segments";
  // Without an L2, DRAM moves the bytes of the accesses.
  loads.bytes_moved = 64'000'000;
  loads.bytes_requested = 32'000'000;
  result_.prediction->profile.figures["l2_gb_per_s"] = 0;
  EXPECT_TRUE(said("moves 2 bytes per requested byte"));
}

TEST_F(AdviceOfALine, NamesTheLineThatComputesInDouble) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1);
  result_.prediction->sample.instructions_by_class["float64"] = 1'000'000'000;
  result_.prediction->sample.pace.further.conversion64 = 1'000'000'000;
  result_.prediction->profile.figures["float64_per_cycle"] = 1;
  result_.prediction->profile.figures["conversion64_per_cycle"] = 1;
  result_.launch.lines[0].execution.float64_operations = 32;
  const std::vector<Advice> advice = advice_for(result_);
  EXPECT_TRUE(says(advice,
                   "Line 2 (out[i] = tile[x][y];) computes most in double precision. The kernel "
                   "converts"))
      << advice[0].text;
  EXPECT_TRUE(says(advice, "GTX 1 computes 1000 times as fast in single precision"));
}

TEST_F(AdviceOfALine, NamesTheDoubleConstantsOfCode) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1);
  result_.prediction->sample.instructions_by_class["float64"] = 1'000'000'000;
  result_.prediction->sample.pace.further.conversion64 = 1'000'000'000;
  result_.launch.lines[0].execution.float64_operations = 32;
  const auto said = [&](const std::string& line, const std::string& words) {
    result_.sources[0].lines = {"void f(float a, double scale);  // double b", line};
    return says(advice_for(result_), words);
  };
  EXPECT_TRUE(said("y = 0.4 * b * exp(-0.5 * b) + 0.4;", "write 0.4f and 0.5f, not 0.4 and 0.5."));
  EXPECT_TRUE(said("y = x * 1.0E-3 + 2E3;", "write 1.0E-3f and 2E3f, not 1.0E-3 and 2E3."));
  for (const char* line : {"y = x * scale;  // about 0.5 of it", "y = /* 0.5 */ x * z;",
                           "y = 0.5 * scale;", "y = 0.5 * (double)x;"})
    EXPECT_TRUE(said(line, "If single precision is exact enough, compute in float.")) << line;
}

TEST_F(AdviceOfALine, LocalMemoryIsNotReadAgain) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1000);
  result_.prediction->sample.pace.l2_read_sectors = 1'000'000'000;
  emulator::MemoryCounts& memory = result_.prediction->sample.memory[0];
  memory.global_load = {1000, 32'000, 10'000, 0, 0, 320'000, 320'000, 10'000};
  EXPECT_TRUE(says(advice_for(result_), "each byte is read about 10 times"))
      << text_of(result_, false);
  memory.local_load.bytes_moved = 32'000'000'000;
  EXPECT_FALSE(says(advice_for(result_), "each byte is read"));
}

TEST_F(AdviceOfALine, ConstantMemoryHas64KiB) {
  result_.kernel.name = "k";
  result_.compilation.ptx =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .f32 %f<2>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [a];\n"
      "cvta.to.global.u64 %rd2, %rd1;\n.loc 1 2 0\nld.global.f32 %f1, [%rd2];\nret;\n}\n"
      ".file 1 \"t.cu\"\n";
  counts().global_load = {32, 1024, 32, 0, 0, 4096, 1024, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.request.arguments = {parse_argument("f32[16384]")};
  EXPECT_TRUE(says(advice_for(result_), "Keep values that all threads read in constant memory"));
  result_.request.arguments = {parse_argument("f32[16385]")};
  EXPECT_TRUE(says(advice_for(result_), "moved. Load a block's values into shared memory first."));
}

TEST_F(AdviceOfALine, NamesTheGpuOnceAboveTheFindings) {
  result_.launch.memory = result_.launch.lines[0].memory;
  const std::string above =
      "Advice\nGains are for a GeForce GTX 1, which the launch fills. The bottleneck is "
      "DRAM.\n";
  EXPECT_EQ(text_of(result_, false).find(above), std::string::npos);
  result_.prediction = predicted(1, 1'000'000);
  EXPECT_TRUE(advice_for(result_)[0].text.starts_with("DRAM is the bottleneck"));
  EXPECT_NE(text_of(result_, false).find(above), std::string::npos) << text_of(result_, false);
}

TEST_F(AdviceOfALine, HasNoneForALaunchWithFaults) {
  counts().shared_load.passes = 1024;
  ASSERT_FALSE(advice_for(result_).empty());
  result_.launch.faults.resize(1);
  EXPECT_TRUE(advice_for(result_).empty());
  const std::string text = text_of(result_, false);
  EXPECT_NE(text.find("The launch had faults (above)."), std::string::npos) << text;
  EXPECT_EQ(text.find("Advice"), std::string::npos) << text;
  EXPECT_NE(text.find("out_of_bounds at an unknown line (nvcc -lineinfo makes lines known)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("profile of such a GPU"), std::string::npos) << text;
  EXPECT_EQ(json_of(result_)["placement"]["text"], "not known, since the launch had faults");
}

TEST_F(AdviceOfALine, AKernelThatWaitsForItsGridIsForItsProgram) {
  result_.kernel.name = "k";
  result_.compilation.ptx = ".visible .entry k()\n{\nmov.u32 %r4, %envreg2;\ntrap;\nret;\n}\n";
  emulator::Fault& fault = result_.launch.faults.emplace_back();
  fault.kind = emulator::FaultKind::trap;
  fault.file = "/usr/local/cuda/include/cooperative_groups.h";
  EXPECT_NE(text_of(result_, false).find("warpwise run --explain FILE PROGRAM"), std::string::npos);
  EXPECT_EQ(text_of(result_, false).find("Correct the arguments"), std::string::npos);
  fault.file = "t.cu";  // a trap of the kernel's own
  EXPECT_EQ(text_of(result_, false).find("warpwise run"), std::string::npos);
  EXPECT_NE(text_of(result_, false).find("Correct the arguments"), std::string::npos);
}

TEST_F(AdviceOfALine, SaysThatAnAtomicNeverRan) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.sources[0].lines[1] = "if (in[i] > 0) atomicAdd(counter, 1);";
  EXPECT_TRUE(says(advice_for(result_), "Line 2: the atomic never ran"));
  result_.launch.instructions_by_class["atomic"] = 1;
  EXPECT_FALSE(says(advice_for(result_), "never ran"));
  result_.launch.instructions_by_class.clear();
  for (const char* line : {"// atomicAdd(counter, 1) is slow", "out[i] = 1;  // no atomicAdd(...)",
                           "out[i] = 1; /* no atomicAdd(...) */ ", "printf(\"atomicAdd(...)\");"}) {
    result_.sources[0].lines[1] = line;
    EXPECT_FALSE(says(advice_for(result_), "never ran")) << line;
  }
  result_.sources[0].lines = {"/* In place of", "atomicAdd(counter, 1): */ out[i] = 1;"};
  EXPECT_FALSE(says(advice_for(result_), "never ran"));
}

// Lanes that read one word share one load, so keeping the word in shared memory saves nothing.
TEST_F(AdviceOfALine, CountsABroadcastOnce) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1000);
  result_.prediction->sample.pace.block_cycles = 1e6;
  emulator::TrafficCounts& loads = result_.prediction->sample.memory[0].global_load;
  loads = {1000, 32'000, 1000, 0, 0, 128'000, 32'000, 1000};
  EXPECT_NE(placement_of(result_).text.find("requested once"), std::string::npos)
      << placement_of(result_).text;
  loads = {1000, 32'000, 4000, 0, 0, 128'000, 128'000, 4000};
  EXPECT_NE(placement_of(result_).text.find("requested 4 times"), std::string::npos)
      << placement_of(result_).text;
}

TEST_F(AdviceOfALine, NamesAtomicsThatAreMostOfL2sTraffic) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1);
  emulator::MemoryCounts& memory = result_.prediction->sample.memory[0];
  memory.global_load.bytes_moved = 32'000;
  memory.global_atomic.bytes_moved = 31'000;
  EXPECT_FALSE(says(advice_for(result_), "Atomics are most of the traffic"));
  memory.global_atomic.bytes_moved = 600'000;
  EXPECT_TRUE(says(advice_for(result_), "Atomics are most of the traffic of L2"));
  EXPECT_FALSE(says(advice_for(result_), "No change that the counts suggest"));
}

TEST_F(AdviceOfALine, BeginsWithIdleMultiprocessors) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1, 1'000'000);
  result_.prediction->profile.figures["multiprocessors"] = 132;
  const auto first = [&](std::uint64_t blocks) {
    result_.prediction->facts.blocks = blocks;
    return advice_for(result_)[0].text;
  };
  EXPECT_TRUE(
      first(1).starts_with("This launch has 1 block; a GeForce GTX 1 has 132 SMs, "
                           "so 131 are idle. Split the work over more blocks."))
      << first(1);
  EXPECT_TRUE(first(131).starts_with("This launch has 131 blocks")) << first(131);
  EXPECT_EQ(first(132).find("This launch has"), std::string::npos) << first(132);
}

TEST_F(AdviceOfALine, MergesWhatOneCureMends) {
  counts().shared_load = {32, 1024, 32};
  result_.launch.lines.push_back(result_.launch.lines[0]);
  result_.launch.lines[1].line = 7;
  result_.launch.lines[1].memory[0].shared_load = {32, 512, 32};
  result_.launch.memory.front().shared_load = {64, 1536, 64};
  result_.prediction = predicted(1'000'000, 0);
  const std::vector<Advice> advice = advice_for(result_);
  const auto conflicts = [](const Advice& each) { return each.remedy == Remedy::bank_conflicts; };
  ASSERT_EQ(std::count_if(advice.begin(), advice.end(), conflicts), 1);
  const Advice& merged = *std::find_if(advice.begin(), advice.end(), conflicts);
  EXPECT_NE(merged.text.find("Line 2 "), std::string::npos) << merged.text;
  EXPECT_NE(merged.text.find("Likewise: line 7."), std::string::npos) << merged.text;
  // Conflicts cause 1472 of the 1536 passes of both lines.
  EXPECT_NEAR(merged.gain.value(), 24, 1);
}

TEST_F(AdviceOfALine, SeesNoConflictInLoadsThatTheCompilerJoins) {
  counts().shared_load = {32, 128, 32};
  result_.launch.memory.front().shared_load = {32, 128, 32};
  result_.prediction = predicted(128, 0);
  emulator::LaunchResult& sample = result_.prediction->sample;
  sample.memory.front().shared_load = {32, 128, 32};
  sample.pace.joined_passes = 48;
  EXPECT_TRUE(says(advice_for(result_), "need different words of one of the 32 banks"));
  sample.pace.joined_passes = 96;
  EXPECT_FALSE(says(advice_for(result_), "need different words of one of the 32 banks"));
  EXPECT_FALSE(says(advice_for(result_), "a shared read takes 4 passes"));
  EXPECT_TRUE(says(advice_for(result_), "the compiler joins the shared reads"));
}

TEST_F(AdviceOfALine, SavesLoadsFromSharedMemoryByRegistersAndWideLoads) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 0);
  emulator::LaunchResult& sample = result_.prediction->sample;
  result_.prediction->profile.figures["issue_per_cycle"] = 1;
  result_.prediction->profile.figures["shared_passes_per_cycle"] = 1000;
  sample.totals.warp_instructions = sample.instructions_by_class["integer"] = 1'000'000'000;
  const auto gain = [&](std::uint64_t loads, std::uint64_t words, Remedy remedy) {
    sample.memory[0].shared_load = {loads, words * loads, words * loads};
    sample.pace.shared_loads = loads;
    sample.pace.shared_load_bytes = 4 * words * loads;
    for (const Advice& each : advice_for(result_)) {
      if (each.remedy == remedy && each.text.find("load from shared memory") != std::string::npos)
        return each.gain.value();
    }
    return 0.0;
  };
  EXPECT_NEAR(gain(400'000'000, 1, Remedy::reuse), 1 / 0.8, 0.01);
  EXPECT_NEAR(gain(400'000'000, 1, Remedy::wide_accesses), 1 / 0.7, 0.01);
  EXPECT_NEAR(gain(400'000'000, 2, Remedy::wide_accesses), 1 / 0.8, 0.01);
  EXPECT_EQ(gain(400'000'000, 4, Remedy::wide_accesses), 0);
  // Advice that gains 4 % comes after the advice on fewer instructions. Advice that gains 1 % is
  // left out.
  EXPECT_NEAR(gain(80'000'000, 1, Remedy::reuse), 1 / 0.96, 0.01);
  EXPECT_EQ(gain(20'000'000, 1, Remedy::reuse), 0);
}

TEST_F(AdviceOfALine, TellsIntegerDivisionsFromOthers) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 0);
  emulator::LaunchResult& sample = result_.prediction->sample;
  result_.prediction->profile.figures["issue_per_cycle"] = 1;
  sample.totals.warp_instructions = sample.instructions_by_class["integer"] = 1'000'000'000;
  sample.pace.further.all = sample.pace.further.integer = 4e9;
  EXPECT_TRUE(says(advice_for(result_), "carry out integer divisions and remainders"));
  EXPECT_FALSE(says(advice_for(result_), "rsqrtf"));
  sample.pace.further.integer = 1e9;
  sample.pace.further.float32 = 3e9;
  EXPECT_TRUE(says(advice_for(result_), "rsqrtf"));
}

TEST_F(AdviceOfALine, SaysSoWhereNothingIsWorthAChange) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1);
  result_.prediction->sample.pace.reads.clear();
  result_.prediction->sample.pace.l2_read_sectors = 0;
  const std::vector<Advice> advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 2U);
  EXPECT_NE(advice[0].text.find("No change that the counts suggest gains 5 %"), std::string::npos)
      << advice[0].text;
  EXPECT_FALSE(example_for(advice[0]));
  EXPECT_FALSE(example_for(advice[1]));
}

TEST_F(AdviceOfALine, HasAnExampleOfWhatToChange) {
  counts().shared_load.passes = 1024;
  EXPECT_FALSE(example_for(advice_for(result_)[0])) << "the example pads no rows";
  result_.sources[0].lines[0].clear();
  EXPECT_NE(text_of(result_, false)
                .find("Example from another kernel (in full: warpwise lab diff gemv texture "
                      "conflict_free):"),
            std::string::npos)
      << text_of(result_, false);
  EXPECT_EQ(json_of(result_)["advice"][0]["remedy"], "bank conflicts");
  EXPECT_EQ(json_of(result_)["advice"][0]["example"]["before"],
            example_of(Remedy::bank_conflicts)->before);
}

TEST_F(AdviceOfALine, NamesTheKindOfKernel) {
  result_.launch.memory = result_.launch.lines[0].memory;
  EXPECT_EQ(placement_of(result_).kind, 0);
  EXPECT_NE(placement_of(result_).text.find("few memory transactions"), std::string::npos);
  // The access makes eight times the transactions that its bytes need.
  result_.launch.memory[0].global_store = {32, 1024, 1024, 0, 0, 4096, 32768, 128};
  EXPECT_EQ(placement_of(result_).kind, 1);
  EXPECT_NE(placement_of(result_).text.find("1,024 transactions, 8 times the minimum"),
            std::string::npos)
      << placement_of(result_).text;
  result_.launch.memory[0].global_store = {};
  EXPECT_NE(placement_of(result_).text.find("no global memory"), std::string::npos);
}

TEST_F(AdviceOfALine, PlacesByWhetherArithmeticHidesLatency) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1000);
  result_.prediction->sample.memory[0].global_load.bytes_requested = 3 * 32 * 1000;
  result_.prediction->sample.pace.block_cycles = 1e6;
  const Placement waits = placement_of(result_);
  EXPECT_EQ(waits.kind, 2) << waits.text;
  EXPECT_NE(waits.text.find("requested 3 times"), std::string::npos) << waits.text;
  result_.prediction->sample.pace.block_cycles = 0;
  result_.prediction->sample.instructions_by_class["integer"] = 1'000'000'000;
  result_.prediction->sample.totals.warp_instructions = 1'000'000'000;
  EXPECT_EQ(placement_of(result_).kind, 3) << placement_of(result_).text;
}

TEST_F(AdviceOfALine, TheSummaryNamesTheBottleneckOfTheFindings) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 0);
  result_.prediction->profile.figures["atomic_sectors_per_cycle"] = 1;
  result_.prediction->sample.pace.atomic_sectors = 1'000'000;
  result_.prediction->sample.memory[0].global_atomic = {1, 32, 1, 0, 0, 128, 32, 1};
  result_.prediction->sample.pace.block_cycles = 1;
  const std::string atomics = placement_of(result_).text;
  EXPECT_TRUE(atomics.ends_with("the minimum); the bottleneck is atomics")) << atomics;
  EXPECT_TRUE(says(advice_for(result_), "With half the atomics, the kernel would be 2 times"))
      << text_of(result_, false);
  // A GPU that starts blocks slowly.
  result_.prediction->sample.pace.atomic_sectors = 0;
  result_.prediction->profile.figures["block_start_cycles"] = 1e6;
  const std::string starts = placement_of(result_).text;
  EXPECT_TRUE(starts.ends_with("the minimum); the bottleneck is starting blocks")) << starts;
  EXPECT_TRUE(says(advice_for(result_), "Starting blocks is the bottleneck. Blocks are short"))
      << text_of(result_, false);
}

TEST_F(AdviceOfALine, TellsAtomicsAndLocalMemoryFromTheRest) {
  counts().global_atomic = {32, 1024, 32, 0, 0, 4096, 1024, 32};
  counts().local_load = {32, 1024, 64, 0, 0, 4096, 2048, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  const std::string text = text_of(result_, false);
  EXPECT_NE(text.find("global memory: 224 transactions, ideal 192 (of them 32 atomics and 64 "
                      "local)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("global atomic 1 transaction, ideal 1, 32 operations"), std::string::npos)
      << text;
  EXPECT_TRUE(placement_of(result_).text.starts_with(
      "few memory transactions (160 transactions, the minimum, and 64 of local memory)"))
      << placement_of(result_).text;
}

TEST_F(AdviceOfALine, IsForAProblemThatFillsTheGpu) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1, 1'000'000);
  const double enough =
      static_cast<double>(result_.prediction->facts.blocks) * larger_to_fill(*result_.prediction);
  result_.prediction->facts.blocks = 80;
  EXPECT_EQ(enough, 100'000'000);
  const std::string text = text_of(result_, false);
  EXPECT_NE(text.find("Findings and gains are for a problem 100 times as large, which fills a "
                      "GeForce GTX 1. The bottleneck\nthere is DRAM."),
            std::string::npos)
      << text;
  result_.prediction->facts.blocks = 7980;
  EXPECT_NE(text_of(result_, false).find("are for a slightly larger problem"), std::string::npos);
}

TEST_F(AdviceOfALine, DramIsNamedAsTheBottleneckOnlyIfItIs) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1, 1'000'000);
  EXPECT_TRUE(says(advice_for(result_), "DRAM is the bottleneck, with 100 % of the modelled time"));
  // Shared memory takes a little longer than DRAM.
  const double dram_us = bounds_when_full(*result_.prediction).of(Resource::dram);
  emulator::LaunchResult& sample = result_.prediction->sample;
  while (bounds_when_full(*result_.prediction).of(Resource::shared) < dram_us)
    sample.memory[0].shared_load.passes *= 2;
  sample.memory[0].shared_load.ideal_passes = sample.memory[0].shared_load.passes;
  EXPECT_FALSE(says(advice_for(result_), "DRAM is the bottleneck"));
  EXPECT_TRUE(says(advice_for(result_), "Shared memory is the bottleneck"));
}

TEST_F(AdviceOfALine, DramThatMovesSpilledValuesIsNoRoof) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1000);
  result_.prediction->sample.instructions_by_class["integer"] = 1'000'000;
  result_.prediction->facts.spills = {
      .loads = 100, .stores = 100, .instructions = 1, .bytes_per_thread = 1e6};
  result_.prediction->bounds =
      bounds_of(result_.prediction->profile, result_.prediction->sample, result_.prediction->facts);
  EXPECT_TRUE(says(advice_for(result_), "mostly by spilled values: mend these first."))
      << text_of(result_, false);
  EXPECT_FALSE(says(advice_for(result_), "near this GPU's roof"));
}

TEST_F(AdviceOfALine, ComesInTheOrderOfItsGain) {
  // Many bank conflicts cost most issue slots. An access also moves too many bytes.
  counts().shared_load = {32, 1024, 32};
  counts().global_store = {32, 1024, 1024, 0, 0, 4096, 32768, 128};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1, 1'000'000);
  const std::vector<Advice> advice = advice_for(result_);
  ASSERT_GE(advice.size(), 2U);
  EXPECT_TRUE(advice[0].rule.starts_with("coalescing")) << advice[0].rule;
  EXPECT_GT(advice[0].gain.value(), 5);
}

TEST_F(AdviceOfALine, OfAPredictionThatIsNotKnownIsThatOfTheCounts) {
  counts().shared_load = {32, 1024, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction.emplace().why_not = "it waits for other blocks";
  const std::vector<Advice> advice = advice_for(result_);
  ASSERT_EQ(advice.size(), 1U);
  EXPECT_FALSE(advice[0].gain.has_value());
}

}  // namespace
}  // namespace warpwise::lab
