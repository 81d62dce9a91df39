// Tests that the advice of `explain` names the cause of a kernel's time, and a cure that is
// possible.
#include <fmt/format.h>

#include "warpwise/lab/explain/advice/advice_of_a_line.hpp"
#include "warpwise/lab/explain/advice/placement.hpp"

namespace warpwise::lab {
namespace {

class AdviceOnCauses : public AdviceOfALine {
 protected:
  // Adds a line that runs this many instructions with `lanes` of 32 lanes.
  void add_line(int number, std::uint64_t instructions, std::uint64_t lanes,
                std::uint64_t branches = 0, std::uint64_t divergent = 0) {
    emulator::LineCounts line;
    line.file = "t.cu";
    line.line = number;
    line.memory.resize(1);
    line.execution = {.warp_instructions = instructions,
                      .thread_instructions = instructions * lanes,
                      .branches = branches,
                      .divergent_branches = divergent};
    emulator::ExecutionCounts& totals = result_.launch.totals;
    totals.warp_instructions += line.execution.warp_instructions;
    totals.thread_instructions += line.execution.thread_instructions;
    result_.launch.lines.push_back(line);
  }

  // Sets the PTX of a kernel k(a) with this body, whose `.loc` name lines of t.cu.
  void set_ptx(const std::string& body) {
    result_.kernel.name = "k";
    result_.compilation.ptx =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
        ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .f32 %f<3>;\n.reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n" +
        body + "ret;\n}\n.file 1 \"t.cu\"\n";
  }

  // Predicts a kernel that is bound by latency, with the line's accesses.
  emulator::LaunchResult& waiting(double block_cycles) {
    result_.launch.memory = result_.launch.lines[0].memory;
    result_.prediction = predicted(0, 1);
    result_.prediction->profile.figures["dram_gb_per_s"] = 1e6;
    result_.prediction->facts.warps_per_block = 8;
    result_.prediction->sample.memory[0].shared_load = {};
    result_.prediction->sample.pace.block_cycles = 100 * block_cycles;
    return result_.prediction->sample;
  }

  std::string text_with(const std::string& words) const {
    for (const Advice& each : advice_for(result_))
      if (each.text.find(words) != std::string::npos) return each.text;
    return "";
  }
};

// The loops in the switch's cases hardly diverge, but the switch has made some of their lanes idle.
TEST_F(AdviceOnCauses, IdleLanesAreOfTheBranchThatLeftThem) {
  result_.launch.lines.clear();
  result_.launch.totals = {};
  result_.sources[0].lines = {"switch (thread % 4) {", "case 0: a();", "case 1: b();", "}"};
  add_line(1, 100, 32, 100, 100);
  add_line(2, 4000, 8, 1000, 30);
  add_line(3, 4000, 8, 1000, 30);
  const std::string text = text_with("diverges");
  EXPECT_TRUE(text.starts_with("Line 1 (switch (thread % 4) {) diverges in 100 of 100")) << text;
  EXPECT_EQ(text.find("Likewise"), std::string::npos) << text;
}

TEST_F(AdviceOnCauses, LanesThatLeaveALoopNeedEquallyManyRounds) {
  result_.launch.lines.clear();
  result_.launch.totals = {};
  add_line(2, 4000, 12, 1000, 300);
  for (const std::string line : {"for (k = p[r]; k < p[r + 1]; ++k)", "while (k < n)  // if any"}) {
    result_.sources[0].lines[1] = line;
    EXPECT_NE(text_with("diverges").find("sort the work by its length"), std::string::npos) << line;
  }
  for (const std::string line : {"if (k < n)", "for (k = 0; k < n; ++k) if (a[k])",
                                 "switch (k) {  // for (k = 0; k < n; ++k)"}) {
    result_.sources[0].lines[1] = line;
    EXPECT_NE(text_with("diverges").find("Branch on a condition"), std::string::npos) << line;
  }
}

TEST_F(AdviceOnCauses, OneLanesWorkIsShared) {
  result_.launch.lines.clear();
  result_.launch.totals = {};
  result_.sources[0].lines = {"if (thread == 0)", "for (...) s[k] += s[k - 1];", "out[i] = s[i];"};
  add_line(1, 160, 32, 160, 10);
  add_line(2, 5000, 1, 2500, 0);
  add_line(3, 320, 32);
  const std::string text = text_with("diverges");
  EXPECT_TRUE(text.starts_with("Line 1 (if (thread == 0)) diverges in 10 of 160")) << text;
  EXPECT_NE(text.find("One lane works behind this branch"), std::string::npos) << text;
  // Nearly all lanes work behind the branch now, so the advice does not mention the branch.
  result_.launch.lines[1].execution.thread_instructions = 5000 * 31;
  result_.launch.totals.thread_instructions += 5000 * 30;
  EXPECT_EQ(text_with("diverges"), "");
}

TEST_F(AdviceOnCauses, LoadsThatWaitForEachOtherAreNoMatterOfTiles) {
  const auto loop = [](const std::string& index) {
    return "$L:\nmul.wide.s32 %rd3, " + index +
           ", 4;\nadd.s64 %rd4, %rd2, %rd3;\n.loc 1 2 0\nld.global.u32 %r1, [%rd4];\n"
           "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $L;\n";
  };
  counts().global_load = {32, 1024, 128, 0, 0, 4096, 4096, 128};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1000);
  result_.prediction->sample.pace.l2_read_sectors = 1'000'000'000;
  result_.prediction->sample.memory[0].global_load = {1000, 32'000,  10'000,  0,
                                                      0,    320'000, 320'000, 10'000};
  set_ptx("mov.u32 %r2, %tid.x;\n" + loop("%r2"));
  EXPECT_NE(text_with("tile of shared memory"), "");
  set_ptx(loop("%r1"));
  EXPECT_NE(text_with("Each load waits for the one before it"), "");
  EXPECT_EQ(text_with("tile of shared memory"), "");
}

TEST_F(AdviceOnCauses, NoWideAccessesWhereAWarpsAddressesAreSeveralRuns) {
  counts().global_load = {32, 1024, 128, 0, 0, 4096, 4096, 128};
  waiting(100).memory[0].global_load = counts().global_load;
  EXPECT_NE(text_with("as by float4"), "");
  counts().global_load = {32, 1024, 160, 0, 0, 4096, 5120, 128};
  waiting(100).memory[0].global_load = counts().global_load;
  EXPECT_EQ(text_with("as by float4"), "");
}

// 800 warps make 100 loads of 1000 cycles. On average, a block waits 125 cycles at most.
TEST_F(AdviceOnCauses, WideLoadsSaveNoOtherWaiting) {
  emulator::LaunchResult& sample = waiting(1e6);
  sample.memory[0].global_load = {100, 3200, 400, 0, 0, 12'800, 12'800, 400};
  sample.totals.warp_instructions = 100'000;
  EXPECT_EQ(text_with("as by float4"), "");
  sample.pace.block_cycles = 100 * 250;
  EXPECT_NE(text_with("and 19 % of the waiting"), "") << text_with("float4");
}

TEST_F(AdviceOnCauses, RoomForWarpsIsSaidOnlyOfSmsThatHaveIt) {
  waiting(1e6);
  result_.prediction->facts.blocks_per_sm = 8;
  EXPECT_NE(text_with("the 8 blocks that an SM holds do not hide"), "");
  EXPECT_EQ(text_with("make room for more warps"), "");
  result_.prediction->facts.blocks_per_sm = 4;
  EXPECT_NE(text_with("make room for more warps"), "");
}

TEST_F(AdviceOnCauses, AtomicsOfBlocksThatCombineAreSavedByLargerBlocks) {
  emulator::TrafficCounts& atomics = waiting(1).memory[0].global_atomic;
  atomics.bytes_moved = 600'000;
  atomics.bytes_requested = 1'200'000;
  EXPECT_NE(text_with("Combine them in registers and shared memory first"), "");
  result_.prediction->sample.memory[0].shared_atomic = {100, 100, 100};
  EXPECT_NE(text_with("give each block more elements"), "");
  EXPECT_EQ(text_with("Combine them in registers"), "");
}

TEST_F(AdviceOnCauses, AtomicsOnWordsOfTheirOwnAreNotCombined) {
  emulator::LaunchResult& sample = waiting(1);
  sample.memory[0].global_atomic.bytes_moved = 600'000;
  sample.memory[0].global_atomic.bytes_requested = 600'000;
  sample.pace.dram_written_sectors = 600'000 / 32;
  EXPECT_NE(text_with("hardly two atomics are on the same word"), "");
  EXPECT_EQ(text_with("Combine them"), "");
  // The same words are used by all blocks of the sample, or by all blocks of the grid.
  sample.pace.dram_written_sectors = 100;
  EXPECT_NE(text_with("Combine them"), "");
  sample.pace.dram_written_sectors = 600'000 / 32;
  result_.prediction->facts.memory_bytes = 1'000'000;
  EXPECT_NE(text_with("Combine them"), "");
}

TEST_F(AdviceOnCauses, DivisionsStandForFewerInstructionsInGeneral) {
  emulator::LaunchResult& sample = waiting(1);
  result_.prediction->profile.figures["issue_per_cycle"] = 1;
  sample.totals.warp_instructions = sample.instructions_by_class["integer"] = 1'000'000'000;
  EXPECT_NE(text_with("share index arithmetic"), "");
  sample.pace.further.all = sample.pace.further.integer = 2e8;
  EXPECT_NE(text_with("carry out integer divisions and remainders"), "");
  EXPECT_EQ(text_with("share index arithmetic"), "");
  // If divisions gain little, the advice names other causes too.
  sample.totals.barriers = 200'000'000;
  sample.pace.further.all = sample.pace.further.integer = 1.2e8 / 1.01;
  EXPECT_NE(text_with("carry out integer divisions and remainders"), "");
  EXPECT_NE(text_with("20 % of the instructions are barriers of a whole block"), "");
}

TEST_F(AdviceOnCauses, ALaunchOfFewWarpsIsNoRoof) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1, 1'000'000);
  result_.prediction->profile.figures["multiprocessors"] = 132;
  result_.prediction->facts.blocks = 132;
  result_.prediction->facts.blocks_per_sm = 32;
  EXPECT_NE(text_with("An SM gets 1 of the 32 blocks that it can hold"), "");
  EXPECT_NE(text_with("with enough blocks the kernel would be near"), "");
  result_.prediction->facts.blocks_per_sm = 4;
  EXPECT_EQ(text_with("An SM gets"), "");
  EXPECT_NE(text_with("the kernel is near this GPU's roof"), "");
}

TEST_F(AdviceOnCauses, SaysThatCopiesAreAwaitedAtOnce) {
  const auto told = [&](const std::string& between, int groups) {
    set_ptx(
        fmt::format("$L:\ncp.async.ca.shared.global [%r1], [%rd2], 4;\n"
                    "cp.async.commit_group;\n{}.loc 1 2 0\ncp.async.wait_group {};\n"
                    "bar.sync 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $L;\n",
                    between, groups));
    return text_with("waits for copies that have just begun");
  };
  EXPECT_TRUE(told("", 0).starts_with("Line 2 (out[i] = tile[x][y];) waits")) << told("", 0);
  EXPECT_EQ(told("", 1), "");
  EXPECT_EQ(told("ld.shared.f32 %f1, [%r1];\n", 0), "");
}

TEST_F(AdviceOnCauses, ValuesThatTheKernelWritesAreNoConstants) {
  const std::string load = ".loc 1 2 0\nld.global.f32 %f1, [%rd2];\n";
  counts().global_load = {32, 1024, 32, 0, 0, 4096, 1024, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  set_ptx(load);
  EXPECT_NE(text_with("Keep values that all threads read in constant memory"), "");
  set_ptx(load + "atom.global.add.u32 %r2, [%rd2], 1;\n");
  EXPECT_EQ(text_with("Keep values that all threads read in constant memory"), "");
}

TEST_F(AdviceOnCauses, ConstantsAreSeenBesideOtherLoads) {
  counts().global_load = {64, 2048, 160, 0, 0, 8192, 5120, 160};
  result_.launch.memory = result_.launch.lines[0].memory;
  const std::string both = ".loc 1 2 0\nld.global.f32 %f1, [%rd2];\nld.global.f32 %f2, [%rd4];\n";
  set_ptx("mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n" + both);
  EXPECT_NE(text_with("in all threads of a warp: 1 of its 2 loads do"), "");
  set_ptx("mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.f32 [%rd4], %f1;\n" +
          both);
  EXPECT_EQ(text_with("1 of its 2 loads do"), "");
}

TEST_F(AdviceOnCauses, AnArrayOfAThreadMustFitIntoSharedMemory) {
  counts().local_load = {32, 1024, 128, 0, 0, 4096, 4096, 128};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.kernel.local_bytes = 48;
  EXPECT_NE(text_with("keep the array in shared memory: a[k * blockDim.x + threadIdx.x]"), "");
  result_.kernel.local_bytes = 64;
  EXPECT_NE(text_with("place of a[k], with at most 768 threads a block: 1024 threads of 64 bytes "
                      "need 65,536 bytes, and a block has 49,152."),
            "");
  result_.kernel.local_bytes = 4096;
  EXPECT_NE(text_with("use a smaller array: for shared memory 1024 threads of 4096 bytes"), "");
  result_.sources[0].lines = {"const float tile[4] = {1, 2, 3, 4};", "out[i] = tile[x];"};
  EXPECT_NE(text_with("tile[] is a table of constants"), "");
}

// The block has 1024 threads. The 64 threads that go on are less than a tenth of them.
TEST_F(AdviceOnCauses, ALaunchWhoseThreadsLeaveSaysSoFirst) {
  const std::string early = ".loc 1 1 0\nsetp.ge.s32 %p1, %r1, 64;\n@%p1 bra $END;\n.loc 1 2 0\n";
  const std::string end =
      "$L:\n.loc 1 3 0\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p2, %r3, 9;\n"
      "@%p2 bra $L;\n$END:\n.loc 1 4 0\n";
  set_ptx(early + "mov.u32 %r2, 1;\nmov.u32 %r3, 1;\n" + end);
  add_line(3, 1'000'000, 32);
  const auto with_threads = [&](std::uint64_t threads) {
    result_.launch.lines[0].execution.thread_instructions = 2 * threads;
    const auto all = advice_for(result_);
    return all.empty() ? "" : all.front().text;
  };
  const std::string most = with_threads(64);
  EXPECT_NE(most.find("Line 1 (__shared__ float tile[32][SIZE];) ends 93 % of the 1,024 threads"),
            std::string::npos)
      << most;
  EXPECT_NE(with_threads(0).find("ends all 1,024 threads"), std::string::npos);
  EXPECT_EQ(with_threads(128).find(" ends "), std::string::npos);
  // A return after a load depends on the loaded data, and is not early.
  set_ptx("ld.global.u32 %r2, [%rd2];\n" + early + "mov.u32 %r2, 1;\nmov.u32 %r3, 1;\n" + end);
  EXPECT_EQ(with_threads(64).find(" ends "), std::string::npos);
}

TEST_F(AdviceOnCauses, BanksOfWiderElementsAreCounted) {
  counts().shared_load = {32, 1024, 64};
  result_.sources[0].lines[0] = "__shared__ double tile[32][32];";
  EXPECT_NE(text_with("the minimum is 2, since a pass serves 4 bytes of each bank. On average 16 "),
            "");
  EXPECT_NE(text_with("shifts each row by 2 banks, so that 16 elements"), "");
  // Four accesses conflict 8 ways and four do not: the mean is 4.5.
  counts().shared_load = {8, 36, 8};
  EXPECT_NE(text_with("On average 4.5 threads need different words"), "");
}

// as[threadIdx.y][k] is one word for a row of threads; bs[threadIdx.x][k] goes down a column.
TEST_F(AdviceOnCauses, TheArrayThatGoesDownAColumnConflicts) {
  counts().shared_load = {64, 1056, 64};
  result_.sources[0].lines = {"__shared__ float as[32][32]; ", "sum += as[y][k] * bs[x][k];",
                              "__shared__ float bs[32][32];"};
  const std::string arrays =
      ".shared .align 4 .b8 _ZZ1kPfE2as[4096];\n.shared .align 4 .b8 _ZZ1kPfE2bs[4096];\n"
      "mov.u32 %r2, %tid.y;\nshl.b32 %r3, %r2, 7;\nmov.u32 %r4, _ZZ1kPfE2as;\n"
      "add.s32 %r5, %r4, %r3;\nmov.u32 %r7, _ZZ1kPfE2bs;\n";
  const std::string loads =
      "add.s32 %r8, %r7, %r6;\n.loc 1 2 0\nld.shared.f32 %f1, [%r5+4];\n"
      "ld.shared.f32 %f2, [%r8+4];\n";
  set_ptx(arrays + "shl.b32 %r6, %r1, 7;\n" + loads);
  EXPECT_NE(text_with("declare bs[32][32 + 1] in place of bs[32][32]"), "");
  EXPECT_NE(text_with("bs[] conflicts: 32 threads need different words"), "");
  set_ptx(arrays + "mul.lo.s32 %r6, %r1, %r1;\n" + loads);
  EXPECT_NE(text_with("On average over the accesses of this line, 16.5 threads need"), "");
  EXPECT_EQ(text_with(" + 1] in place of"), "") << "an unknown address names no array";
}

TEST_F(AdviceOnCauses, AnArrayOfAnotherKernelIsNotPadded) {
  counts().shared_load = {32, 128, 32};
  const auto told = [&](const std::string& own, const std::string& use) {
    result_.sources[0].lines = {"__shared__ float s[32][32];", own, use, "__shared__ int s[8][8];"};
    result_.launch.lines[0].line = 3;
    return text_with("reads shared memory");
  };
  const std::string row = told("__shared__ float r[4], s[512];", "s[2 * o * t] += 1;");
  EXPECT_NE(row.find("after every 32: s[i + i / 32] in place of s[i]"), std::string::npos) << row;
  const std::string member = told("__shared__ float4 s[256];", "out[t] = s[t].y;");
  EXPECT_NE(member.find("An element of s[] has 4 words"), std::string::npos) << member;
  const std::string tile = told("__shared__ float r[9][4], s[16][64];", "s[t % 16][t / 16] = 1;");
  EXPECT_NE(tile.find("declare s[16][64 + 1] in place of s[16][64]"), std::string::npos) << tile;
  EXPECT_EQ(told("__shared__ float s[2][32][32];", "s[0][t][0] = 1;").find("declare s["),
            std::string::npos);
}

TEST_F(AdviceOnCauses, PaddingKeepsWideAccessesAligned) {
  counts().shared_load = {32, 1024, 32};
  const std::string load =
      ".shared .align 16 .b8 _ZZ1kPfE4tile[4096];\nshl.b32 %r2, %r1, 7;\n"
      "mov.u32 %r4, _ZZ1kPfE4tile;\nadd.s32 %r5, %r4, %r2;\n.loc 1 2 0\n"
      "ld.shared.f32 %f1, [%r5];\n";
  set_ptx(load);
  EXPECT_NE(text_with("declare tile[32][SIZE + 1]"), "");
  set_ptx(load + ".loc 1 3 0\nld.shared.v4.u32 {%r3, %r6, %r7, %r8}, [%r5];\n");
  EXPECT_NE(text_with("accesses of 16 bytes: declare tile[32][SIZE + 4]"), "");
}

TEST_F(AdviceOnCauses, LoadsWithRegistersOfTheirOwnAreNotJoined) {
  counts().shared_load = {32, 128, 32};
  waiting(1).memory[0].shared_load = counts().shared_load;
  result_.prediction->sample.pace.joined_passes = 96;
  const std::string loads = "add.s32 %r3, %r1, 4;\n.loc 1 2 0\nld.shared.f32 %f1, [%r1];\n";
  set_ptx(loads + "ld.shared.f32 %f2, [%r3];\n");
  EXPECT_NE(text_with("need different words of one of the 32 banks"), "");
  set_ptx(loads + "ld.shared.f32 %f2, [%r1+4];\n");
  EXPECT_EQ(text_with("need different words of one of the 32 banks"), "");
}

TEST_F(AdviceOnCauses, ATableThatDataIndexIsNotPadded) {
  counts().shared_load = {32, 128, 32};
  result_.sources[0].lines = {"__shared__ float t[256];", "out[i] = t[in[i]];"};
  set_ptx(
      ".shared .align 4 .b8 _ZZ1kPfE1t[1024];\nmul.wide.s32 %rd3, %r1, 4;\n"
      "add.s64 %rd4, %rd2, %rd3;\nld.global.u32 %r2, [%rd4];\nshl.b32 %r3, %r2, 2;\n"
      "mov.u32 %r4, _ZZ1kPfE1t;\nadd.s32 %r5, %r4, %r3;\n.loc 1 2 0\n"
      "ld.shared.f32 %f1, [%r5];\n");
  EXPECT_NE(text_with("The index comes from memory, so that the words lie in any banks"), "");
  EXPECT_EQ(text_with("i + i / 32"), "");
}

TEST_F(AdviceOnCauses, ConflictsAreNotSavedByRegisters) {
  counts().shared_load = {32, 1024, 32};
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(1'000'000, 0);
  result_.prediction->sample.memory[0].shared_load.ideal_passes = 900'000;
  EXPECT_NE(text_with("keep values that a thread reads again in registers"), "");
  // Registers save half of the 900,000 passes without conflicts: 550,000 are left.
  EXPECT_NE(text_with("With half these accesses, the kernel would be 1.8 times as fast"), "");
  result_.prediction->sample.memory[0].shared_load.ideal_passes = 30'000;
  EXPECT_EQ(text_with("keep values that a thread reads again in registers"), "");
}

TEST_F(AdviceOnCauses, AStencilIsNotPadded) {
  counts().global_load = {32, 1024, 160, 0, 0, 4096, 5120, 128};
  const std::string load =
      "mul.wide.s32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n.loc 1 2 0\n"
      "ld.global.f32 %f1, [%rd4+4];\n";
  set_ptx(load);
  EXPECT_NE(text_with("are one run, which does not begin where a segment"), "");
  set_ptx(load + "ld.global.f32 %f2, [%rd4+8];\n");
  EXPECT_NE(text_with("not all runs of a stencil can begin"), "");
  EXPECT_EQ(text_with("padded pitch"), "");
  result_.request.block = {16, 64, 1};
  EXPECT_NE(text_with("form several runs"), "");
}

TEST_F(AdviceOnCauses, SinesOfLargeArgumentsUseLocalMemoryAndDoubles) {
  counts().local_store = {32, 1024, 128, 0, 0, 4096, 4096, 128};
  result_.sources[0].lines[1] = "y[i] = sinf(x[i]);";
  EXPECT_NE(text_with("large arguments: sinf from 105,615 on"), "");
  EXPECT_EQ(text_with("unroll the loop"), "");
  emulator::LaunchResult& sample = waiting(1);
  sample.totals.warp_instructions = 1'000'000;
  sample.instructions_by_class["float64"] = 5000;
  sample.pace.further.conversion64 = 2000;
  EXPECT_EQ(text_with("double precision"), "");
  sample.pace.further.conversion64 = 6000;
  EXPECT_NE(text_with("double precision"), "");
}

TEST_F(AdviceOnCauses, ArithmeticIsNotSharedByResults) {
  emulator::LaunchResult& sample = waiting(1);
  result_.prediction->profile.figures["issue_per_cycle"] = 1;
  sample.totals.warp_instructions = 1'000'000'000;
  sample.instructions_by_class = {{"float32", 700'000'000}, {"integer", 300'000'000}};
  EXPECT_NE(text_with("share index arithmetic"), "");
  sample.instructions_by_class = {{"float32", 800'000'000}, {"integer", 200'000'000}};
  EXPECT_EQ(text_with("share index arithmetic"), "");
  EXPECT_NE(text_with("80 % of the instructions are arithmetic with floats,"), "");
  sample.instructions_by_class = {{"float64", 800'000'000}, {"integer", 200'000'000}};
  EXPECT_NE(text_with("80 % of the instructions are arithmetic with doubles,"), "");
  sample.instructions_by_class["float32"] = 100'000'000;
  EXPECT_NE(text_with("82 % of the instructions are arithmetic with floats and doubles,"), "");
}

TEST_F(AdviceOnCauses, LatencyIsHiddenAtTheRoofOfDram) {
  waiting(1e6);
  EXPECT_NE(placement_of(result_).text.find("does not hide their latency"), std::string::npos);
  result_.prediction = predicted(0, 1'000'000);
  EXPECT_EQ(placement_of(result_).kind, 2);
  EXPECT_EQ(placement_of(result_).text.find("latency"), std::string::npos)
      << placement_of(result_).text;
}

TEST_F(AdviceOnCauses, DramThatMovesDataAgainIsNoRoof) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1000);
  EXPECT_NE(text_with("near this GPU's roof"), "");
  emulator::PaceCounts& pace = result_.prediction->sample.pace;
  pace.block_read_sectors = pace.repeated_read_sectors = 5000;
  result_.prediction->profile.figures["l2_kept_bytes"] = 1;
  EXPECT_EQ(text_with("near this GPU's roof"), "");
  EXPECT_NE(text_with("segments that a block reads again after L2 has lost them"), "");
}

TEST_F(AdviceOnCauses, OnlyDeclarationsNameSharedArrays) {
  counts().shared_load.passes = 128;
  result_.sources[0].lines = {"", "__shared__ float s[64]; s[t] = x[i], y[i] = s[t * 4];"};
  EXPECT_NE(text_with("s[i + i / 32] in place of s[i]"), "") << text_with("shared memory");
  result_.sources[0].lines = {"__shared__ float s[64]; __shared__ double w[64];",
                              "y[i] = w[4 * t];"};
  counts().shared_load.ideal_passes = 64;
  EXPECT_NE(text_with("w[i + i / 16] in place of w[i]"), "") << text_with("shared memory");
}

// A column of bytes or halves shifts a row by a part of a bank only.
TEST_F(AdviceOnCauses, RowsOfElementsBelowAWordArePaddedByAWord) {
  counts().shared_load.passes = 128;
  for (const std::string type : {"unsigned char", "std::uint8_t", "__half"}) {
    result_.sources[0].lines = {"__shared__ " + type + " s[32][64];", "y[i] = s[t][c];"};
    EXPECT_NE(text_with("pad the rows by one word"), "") << text_with("shared memory");
  }
  result_.sources[0].lines = {"__shared__ uchar4 s[32][64];", "y[i] = s[t][c];"};
  EXPECT_NE(text_with("declare s[32][64 + 1]"), "") << text_with("shared memory");
}

TEST_F(AdviceOnCauses, FragmentsComeFromSharedMemory) {
  counts().global_load = {32, 1024, 1024, 0, 0, 4096, 32'768, 128};
  result_.sources[0].lines[1] = "wmma::load_matrix_sync(a, in, pitch);";
  EXPECT_NE(text_with("Copy tiles through shared memory"), "");
  EXPECT_EQ(text_with("threadIdx.x + 1"), "");
}

TEST_F(AdviceOnCauses, LanesThatTakeNoPartAreNoMatterOfThePitch) {
  counts().global_load = {32, 512, 128, 0, 0, 2048, 4096, 80};
  EXPECT_NE(text_with("On average 16 of 32 lanes take part"), "");
  EXPECT_EQ(text_with("padded pitch"), "");
}

TEST_F(AdviceOnCauses, NamesOtherLinesWithDoubleConstants) {
  result_.launch.memory = result_.launch.lines[0].memory;
  result_.prediction = predicted(0, 1);
  result_.prediction->sample.instructions_by_class["float64"] = 1'000'000'000;
  result_.prediction->sample.pace.further.conversion64 = 1'000'000'000;
  result_.sources[0].lines = {"x = w / 2.0;", "y = 1.0 / x;", "z = 3.0f * y;"};
  result_.launch.lines[0].execution.float64_operations = 64;
  add_line(1, 10, 32);
  result_.launch.lines.back().execution.float64_operations = 32;
  add_line(3, 10, 32);
  EXPECT_NE(text_with("write 1.0f, not 1.0. Others are at: Line 1."), "") << text_with("constant");
}

}  // namespace
}  // namespace warpwise::lab
