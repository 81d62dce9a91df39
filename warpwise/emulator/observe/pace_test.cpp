// The pace of blocks: waits for operands, savings by caches, requested sectors, and the blocks of a
// sample.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/observe/pace_testing.hpp"

namespace warpwise {
namespace pace_tests {

/// Two loads. The address of the second one depends on the first one's value.
constexpr auto chained = R"(
  ld.global.u32 %r5, [%rd4];
  mul.wide.u32 %rd7, %r5, 4;
  add.s64 %rd8, %rd6, %rd7;
  ld.global.u32 %r6, [%rd8+4096];
  st.global.u32 [%rd5], %r6;)";

TEST(Pace, IndependentLoadsOverlapAndDependentOnesDoNot) {
  const double one = cycles("ld.global.u32 %r5, [%rd4];\n st.global.u32 [%rd5], %r5;");
  const double two = cycles(R"(
  ld.global.u32 %r5, [%rd4];
  ld.global.u32 %r6, [%rd4+4096];
  add.u32 %r7, %r5, %r6;
  st.global.u32 [%rd5], %r7;)");
  EXPECT_GT(one, model.dram_cycles);
  EXPECT_EQ(two - one, model.arithmetic_cycles);
  EXPECT_GE(cycles(chained), 2 * model.dram_cycles);
}

TEST(Pace, AnAdditionWaitsForTheOneBefore) {
  // The address is computed at the same time as the first additions.
  const std::string additions =
      "add.u32 %r5, %r4, 1;\n add.u32 %r6, %r5, 1;\n add.u32 %r7, %r6, 1;\n add.u32 %r8, %r7, 1;\n";
  const double four = cycles(additions + "st.global.u32 [%rd5], %r8;");
  const double five = cycles(additions + "add.u32 %r9, %r8, 1;\n st.global.u32 [%rd5], %r9;");
  EXPECT_EQ(five - four, model.arithmetic_cycles);
}

/// Returns the cycles that a second, dependent load of the same word adds.
double second_load(const PaceModel& pace) {
  const double one = cycles("ld.global.u32 %r5, [%rd4];\n st.global.u32 [%rd5], %r5;", pace);
  const double two = cycles(R"(
  ld.global.u32 %r5, [%rd4];
  mul.wide.u32 %rd7, %r5, 4;
  add.s64 %rd8, %rd4, %rd7;
  ld.global.u32 %r6, [%rd8];
  st.global.u32 [%rd5], %r6;)",
                            pace);
  // A product is one instruction. A 64-bit addition counts as one and a half.
  return two - one - 2.5 * model.arithmetic_cycles;
}

TEST(Pace, L1HoldsWhatABlockHasReadWhereItIsLargeEnough) {
  EXPECT_EQ(second_load(model), model.l1_cycles);
  PaceModel without = model;
  without.l1_bytes = 0;
  EXPECT_EQ(second_load(without), model.l2_cycles);
}

TEST(Pace, SharedMemoryCostsItsPasses) {
  const auto body = [](int stride) {
    return "mov.u32 %r8, tile;\n mad.lo.s32 %r9, %r1, " + std::to_string(stride) + R"(, %r8;
  ld.shared.u32 %r5, [%r9];
  st.global.u32 [%rd5], %r5;)";
  };
  EXPECT_EQ(cycles(body(128)) - cycles(body(4)), 2 * 31);  // all lanes in one bank
  const auto stored_before = [](int stride) {
    return cycles("mov.u32 %r8, tile;\n mad.lo.s32 %r9, %r1, " + std::to_string(stride) + R"(, %r8;
  st.shared.u32 [%r9], %r1;
  ld.shared.u32 %r5, [tile];
  st.global.u32 [%rd5], %r5;)");
  };
  EXPECT_EQ(stored_before(128) - stored_before(4), 2 * 31);
}

// Returns the cycles of a loop that adds up `rounds` elements, 1 KiB apart.
double loop_of_loads(int rounds, const std::string& pragma, const std::string& inside = "") {
  return cycles(".reg .pred %p1;\n mov.u32 %r6, 0;\n mov.u32 %r7, 0;\nagain:\n" + pragma +
                "ld.global.u32 %r5, [%rd4];\n add.u32 %r6, %r6, %r5;\n" + inside +
                "add.s64 %rd4, %rd4, 1024;\n add.u32 %r7, %r7, 1;\n setp.lt.u32 %p1, %r7, " +
                std::to_string(rounds) + ";\n @%p1 bra again;\n st.global.u32 [%rd5], %r6;");
}

TEST(Pace, FourRoundsOfAShortLoopLoadTogether) {
  const double dram = model.dram_cycles;
  EXPECT_LT(loop_of_loads(4, ""), 2 * dram);
  EXPECT_GT(loop_of_loads(5, ""), 2 * dram);
  EXPECT_LT(loop_of_loads(8, ""), 3 * dram);
  EXPECT_GT(loop_of_loads(4, ".pragma \"nounroll\";\n"), 4 * dram);
  EXPECT_GT(loop_of_loads(4, "", "bar.sync 0;\n"), 4 * dram);
  std::string instructions;
  for (int i = 0; i < 45; ++i) instructions += "add.u32 %r8, %r1, 1;\n";
  EXPECT_GT(loop_of_loads(4, "", instructions), 4 * dram);
  // If a loop's condition depends on a load, its branch waits for the load.
  EXPECT_GT(cycles(".reg .pred %p1;\n mov.u32 %r7, 0;\nagain:\n ld.global.u32 %r5, [%rd4];\n"
                   "add.u32 %r7, %r5, 1;\n add.s64 %rd4, %rd4, 1024;\n"
                   "setp.lt.u32 %p1, %r7, 1;\n @%p1 bra again;\n"
                   "st.global.u32 [%rd5], %r7;"),
            dram);
}

TEST(Pace, LoadsOfNeighbouringWordsOfSharedMemoryAreOne) {
  const auto joined = [](int bytes_of_a_lane, const std::string& loads) {
    const emulator::PaceCounts pace =
        run({.body = "mov.u32 %r8, tile;\n mad.lo.s32 %r9, %r1, " +
                     std::to_string(bytes_of_a_lane) + ", %r8;\n" + loads})
            .pace;
    return std::pair(pace.joined_loads, pace.joined_passes);
  };
  const auto word = [](int at) {
    return "ld.shared.u32 %r" + std::to_string(10 + at) + ", [%r9+" + std::to_string(4 * at) +
           "];\n";
  };
  const auto counts = [](std::uint64_t loads, std::uint64_t passes) {
    return std::pair(loads, passes);
  };
  // All lanes load the same words.
  EXPECT_EQ(joined(0, word(0) + word(1)), counts(1, 1));
  // Three words take one load of four.
  EXPECT_EQ(joined(0, word(0) + word(1) + word(2)), counts(2, 1));
  // A load of 16 bytes takes two passes.
  EXPECT_EQ(joined(0, word(0) + word(1) + word(2) + word(3)), counts(3, 2));
  EXPECT_EQ(joined(0, "ld.shared.u16 %r10, [%r9];\n ld.shared.u16 %r11, [%r9+2];\n"), counts(1, 1));
  EXPECT_EQ(joined(0, word(1) + word(2)), counts(0, 0));  // not at a multiple of 8
  EXPECT_EQ(joined(0, word(0) + "bra.uni next;\nnext:\n" + word(1)), counts(0, 0));
  // Words 16 bytes apart take four passes each, and four passes together.
  EXPECT_EQ(joined(16, word(0) + word(1) + word(2) + word(3)), counts(3, 12));
  EXPECT_EQ(joined(4, word(0) + word(1)), counts(0, 0));  // not all lanes at a multiple of 8
}

TEST(Pace, StoresOfNeighbouringWordsOfSharedMemoryAreOne) {
  const auto saved = [](const std::string& between, int words) {
    std::string body = "mov.u32 %r8, tile;\n mad.lo.s32 %r9, %r1, 16, %r8;\n";
    for (int i = 0; i < words; ++i)
      body += (i > 0 ? between : "") + "st.shared.u32 [%r9+" + std::to_string(4 * i) + "], %r1;\n";
    return run({.body = body}).pace.joined_passes;
  };
  // Words 16 bytes apart take four passes each, and four passes together.
  EXPECT_EQ(saved("", 4), 12U);
  EXPECT_EQ(saved("", 3), 4U);  // joined to a store of 8 bytes and one of 4
  EXPECT_EQ(saved("ld.shared.u32 %r5, [tile+2048];\n", 4), 0U);
}

TEST(Pace, ABarrierWaitsForTheSlowestWarp) {
  // Only the first warp loads. After the barrier the other warps have the same clock.
  const std::string body = R"(
  setp.lt.u32 %p1, %r1, 32;
  @%p1 ld.global.u32 %r5, [%rd4];
  @%p1 st.shared.u32 [tile], %r5;
  bar.sync 0;
  st.global.u32 [%rd5], %r4;)";
  const std::string with_predicate = ".reg .pred %p<3>;\n" + body;
  const LaunchResult both = run({.body = with_predicate, .threads = 64});
  EXPECT_GT(both.pace.block_cycles, model.dram_cycles + model.barrier_cycles);
  PaceModel slow = model;
  slow.barrier_cycles += 100;
  const LaunchResult slower = run({.body = with_predicate, .threads = 64, .pace = slow});
  EXPECT_EQ(slower.pace.block_cycles - both.pace.block_cycles, 100);
}

TEST(Pace, ABarrierOfMoreWarpsTakesLonger) {
  PaceModel pace = model;
  pace.barrier_warp_cycles = 2;
  const auto barrier = [&](std::uint32_t warps) {
    const auto with = [&](const std::string& body) {
      return run({.body = body, .threads = 32 * warps, .pace = pace}).pace.block_cycles;
    };
    // A barrier does not wait for arithmetic. The store waits for all arithmetic before it.
    const std::string before = "st.shared.u64 [tile], %rd5;\n";
    return with(before + "bar.sync 0;") - with(before);
  };
  EXPECT_EQ(barrier(32) - barrier(8), 24 * 2);
  // A barrier takes at least the time of its warps, one after the other.
  EXPECT_EQ(barrier(2) - barrier(1), 2);
}

TEST(Pace, SectorsAreDistinctForDramAndAskedByEachBlockOfL2) {
  const LaunchResult own =
      run({.body = "ld.global.u32 %r5, [%rd4];\n st.global.u32 [%rd5], %r5;", .blocks = 3});
  EXPECT_EQ(own.pace.l2_read_sectors, 3U * 4);
  EXPECT_EQ(own.pace.dram_read_sectors(), 3U * 4);
  EXPECT_EQ(own.pace.l2_written_sectors, 3U * 4);
  EXPECT_EQ(own.pace.dram_written_sectors, 3U * 4);
  // All blocks read the same word, and write it.
  const LaunchResult same =
      run({.body = "ld.global.u32 %r5, [%rd6];\n st.global.u32 [%rd6+4], %r5;", .blocks = 3});
  EXPECT_EQ(same.pace.l2_read_sectors, 3U);
  EXPECT_EQ(same.pace.dram_read_sectors(), 1U);
  EXPECT_EQ(same.pace.l2_written_sectors, 3U);
  EXPECT_EQ(same.pace.dram_written_sectors, 1U);
}

/// Runs an access to words that lie `stride` bytes apart.
LaunchResult strided(const std::string& access, int stride, const PaceModel& pace = model) {
  return run({.body = "mul.wide.u32 %rd7, %r1, " + std::to_string(stride) +
                      ";\n add.s64 %rd8, %rd6, %rd7;\n" + access,
              .pace = pace});
}

TEST(Pace, DramMovesPairsOfSectorsAndReadsWhatStoresFillInPart) {
  PaceModel pairs = model;
  pairs.dram_sectors = 2;
  const auto load = "ld.global.u32 %r5, [%rd8];";
  EXPECT_EQ(strided(load, 128).pace.dram_read_sectors(), 32U);
  EXPECT_EQ(strided(load, 128, pairs).pace.dram_read_sectors(), 64U);
  EXPECT_EQ(strided(load, 128, pairs).pace.distinct_read_sectors, 32U);
  EXPECT_EQ(strided(load, 4, pairs).pace.dram_read_sectors(), 4U);
  const auto store = "st.global.u32 [%rd8], %r1;";
  for (const auto& [stride, read, written] :
       {std::tuple{128, 64U, 64U}, {8, 8U, 8U}, {4, 0U, 4U}}) {
    const LaunchResult result = strided(store, stride, pairs);
    EXPECT_EQ(result.pace.dram_read_sectors(), 0U) << stride;
    EXPECT_EQ(result.pace.dram_filled_sectors, read) << stride;
    EXPECT_EQ(result.pace.dram_written_sectors, written) << stride;
  }
  // L2 has the sectors that were read.
  const LaunchResult both = strided(std::string(load) + store, 128);
  EXPECT_EQ(both.pace.dram_read_sectors(), 32U);
  EXPECT_EQ(both.pace.dram_filled_sectors, 0U);
}

TEST(Pace, L1PassesAreWordsOfABankOrFourLines) {
  const auto load = "ld.global.u32 %r5, [%rd8];";
  EXPECT_EQ(strided(load, 4).pace.l1_passes, 1U);
  EXPECT_EQ(strided(load, 8).pace.l1_passes, 2U);
  EXPECT_EQ(strided(load, 128).pace.l1_passes, 32U);
  EXPECT_EQ(strided(load, 132).pace.l1_passes, 8U);  // 32 lines, a word of each bank
  const LaunchResult result = strided(load, 128);
  EXPECT_EQ(result.pace.l2_read_lines, 32U);
  EXPECT_EQ(result.pace.l2_written_lines, 0U);
}

TEST(Pace, L1MergesAWarpsStoresToASectorUntilABranch) {
  const std::string first = "st.global.u32 [%rd8], %r1;\n";
  const std::string second = "st.global.u32 [%rd8+4], %r1;\n";
  const auto written = [](const std::string& body) {
    const emulator::PaceCounts pace = strided(body, 8).pace;
    return std::pair(pace.l2_written_sectors, pace.l2_written_lines);
  };
  EXPECT_EQ(written(first), std::pair(std::uint64_t{8}, std::uint64_t{2}));
  EXPECT_EQ(written(first + second), written(first));
  EXPECT_EQ(written(first + "bra.uni next;\nnext:\n" + second),
            std::pair(std::uint64_t{16}, std::uint64_t{4}));
  EXPECT_EQ(strided("red.global.add.u32 [%rd8], 1;\n" + first, 8).pace.l2_written_sectors, 8U);
}

TEST(Pace, L1MergesFourStoresOfAWarpAndSendsFurtherOnesOn) {
  const auto sectors = [](int stores) {
    std::string body;
    for (int i = 0; i < stores; ++i)
      body += "st.global.u8 [%rd8+" + std::to_string(i) + "], %r1;\n";
    return strided(body, 8).pace.l2_written_sectors;
  };
  EXPECT_EQ(sectors(4), 8U);
  EXPECT_EQ(sectors(6), 6U * 8);
}

TEST(Pace, L1MergesStoresToAtMostFourLines) {
  const auto sectors = [](int bytes_apart) {
    return strided("st.global.u8 [%rd8], %r1;\n st.global.u8 [%rd8+1], %r1;\n", bytes_apart)
        .pace.l2_written_sectors;
  };
  EXPECT_EQ(sectors(16), 16U);
  EXPECT_EQ(sectors(32), 2U * 32);
}

TEST(Pace, LinesThatDistantBlocksReadAreCommon) {
  const auto common = [](std::uint32_t blocks) {
    return run({.body = "ld.global.u32 %r5, [%rd6];\n st.global.u32 [%rd5], %r5;",
                .blocks = blocks})
        .pace;
  };
  EXPECT_EQ(common(16).common_read_sectors, 0U);
  // Blocks 32 to 39 are far from the first one.
  EXPECT_EQ(common(40).common_read_sectors, 8U);
  EXPECT_EQ(common(40).common_lines, 1U);
}

TEST(Pace, LinesThatNeighboursReadAreShared) {
  const auto shared = [](std::uint32_t blocks, const std::string& address) {
    return run({.body = "ld.global.u32 %r5, [" + address + "];", .blocks = blocks})
        .pace.shared_read_sectors;
  };
  EXPECT_EQ(shared(4, "%rd6"), 3U);  // the first block shares with no earlier one
  EXPECT_EQ(shared(4, "%rd4"), 0U);
}

TEST(Pace, SectorsThatABlockReadsAgainAreRepeated) {
  PaceModel without_l1 = model;
  without_l1.l1_bytes = 0;
  const std::string load = "ld.global.u32 %r5, [%rd4];\n";
  const auto repeated = [&](const std::string& body) {
    return run({.body = body, .pace = without_l1}).pace.repeated_read_sectors;
  };
  EXPECT_EQ(repeated(load), 0U);
  EXPECT_EQ(repeated(load + "ld.global.u32 %r6, [%rd4];\n"), 4U);
}

/// Returns the sectors of which blocks read a part.
std::uint64_t partly_read(const emulator::PaceCounts& pace) { return pace.reads.at(0).partly; }

TEST(Pace, SectorsOfWhichBlocksUseAPartArePartlyMoved) {
  const auto pace = [](const std::string& body, int bytes_apart) {
    return run({.body = "mul.wide.u32 %rd9, %r1, " + std::to_string(bytes_apart) +
                        ";\n add.s64 %rd8, %rd6, %rd9;\n" + body})
        .pace;
  };
  EXPECT_EQ(partly_read(pace("ld.global.u32 %r5, [%rd8];", 4)), 0U);
  EXPECT_EQ(partly_read(pace("ld.global.u32 %r5, [%rd8];", 32)), 32U);
  EXPECT_EQ(pace("st.global.u32 [%rd8], %r1;", 4).dram_partly_written_sectors, 0U);
  EXPECT_EQ(pace("st.global.u32 [%rd8], %r1;", 32).dram_partly_written_sectors, 32U);
}

TEST(Pace, LinesOfOneBlockAreNotSharedWithItsNeighbour) {
  const std::string own_sector = "mul.wide.u32 %rd9, %r4, 32;\n add.s64 %rd8, %rd6, %rd9;\n";
  const auto pace = [&](const std::string& access) {
    return run({.body = own_sector + access, .blocks = 2}).pace;
  };
  EXPECT_EQ(partly_read(pace("ld.global.u32 %r5, [%rd8];")), 64U);
  EXPECT_EQ(pace("st.global.u32 [%rd8], %r1;").dram_partly_written_sectors, 64U);
}

TEST(Pace, WarpsThatLoopTakeTurns) {
  // Each of eight warps reads the same 64 lines in turn; L1 has 32. The warps advance side by side,
  // so that each line is read from L2 once.
  const std::string loop = R"(
  mov.u32 %r10, 0;
again:
  mul.wide.u32 %rd9, %r10, 128;
  add.s64 %rd8, %rd6, %rd9;
  ld.global.u32 %r5, [%rd8];
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, 64;
  @%p1 bra again;)";
  EXPECT_EQ(run({.body = ".reg .pred %p<2>;" + loop, .threads = 256}).pace.l2_read_sectors, 64U);
}

TEST(Pace, LocalMemoryThatL1DoesNotHoldIsL2s) {
  const auto body = [](int words) {
    std::string text = ".local .align 4 .b8 kept[8192];\n mov.u64 %rd7, kept;\n";
    for (const char* access : {"st.local.u32 [%rd7+", "ld.local.u32 %r5, [%rd7+"}) {
      const bool is_store = access[0] == 's';
      for (int i = 0; i < words; ++i)
        text += access + std::to_string(4 * i) + (is_store ? "], %r1;\n" : "];\n");
    }
    return text;
  };
  EXPECT_EQ(run({.body = body(16)}).pace.l2_read_sectors, 0U);
  EXPECT_EQ(run({.body = body(64)}).pace.l2_read_sectors, 64U * 4);  // L1 has 32 lines
}

TEST(Pace, L1WritesStoresToLocalMemoryThrough) {
  // Neighbouring lanes store to different words, so that one lane stores to each sector of 8 lines.
  const std::string own_word =
      ".local .align 4 .b8 kept[32];\n mov.u64 %rd7, kept;\n and.b32 %r9, %r1, 7;\n"
      "mul.wide.u32 %rd8, %r9, 4;\n add.s64 %rd9, %rd7, %rd8;\n";
  const emulator::PaceCounts stored = run({.body = own_word + "st.local.u32 [%rd9], %r1;\n"}).pace;
  EXPECT_EQ(stored.l2_written_lines, 8U);
  EXPECT_EQ(stored.l2_written_sectors, 8U * 4);
  const emulator::PaceCounts again = run({.body = own_word + "st.local.u32 [%rd9], %r1;\n"
                                                             "st.local.u32 [%rd9], %r2;\n"
                                                             "ld.local.u32 %r5, [%rd9];\n"})
                                         .pace;
  EXPECT_EQ(again.l2_written_sectors, 2 * 8U * 4);
  EXPECT_EQ(again.l2_read_sectors, 0U);
}

TEST(Pace, ALoadWaitsForAnEarlierStoreThatWaits) {
  const std::string load = "ld.global.u32 %r5, [%rd4];\n";
  const std::string waits = "st.global.u32 [%rd5], %r5;\n";
  const std::string does_not = "st.global.u32 [%rd5+8], 1;\n";
  const std::string behind = "ld.global.u32 %r7, [%rd4+4096];\n st.global.u32 [%rd5+4], %r7;";
  EXPECT_EQ(cycles(load + waits + does_not + behind), cycles(load + does_not + waits + behind));
}

TEST(Pace, DivisionsAreSeveralInstructionsAndFewerWithTheSameDivisor) {
  // The instructions that compute addresses are subtracted.
  const auto further = [](const std::string& body) {
    return run({.body = body}).pace.further.all - run({.body = ""}).pace.further.all;
  };
  EXPECT_EQ(further("add.u32 %r5, %r4, %r3;"), 0);
  const std::string one = "rem.u32 %r5, %r4, %r3;\n";
  EXPECT_EQ(further(one), 16);
  EXPECT_EQ(further(one + "rem.u32 %r6, %r1, %r3;"), 16 + 7);
  EXPECT_EQ(further(one + "rem.u32 %r6, %r1, %r4;"), 16 + 16);
}

TEST(Pace, LoadsGoBeforeInstructionsThatWaitUntilABranchOrAStore) {
  const auto two = [](const std::string& between) {
    return cycles("ld.global.u32 %r5, [%rd4];\n add.u32 %r6, %r5, 1;\n" + between +
                  "ld.global.u32 %r7, [%rd4+4096];\n add.u32 %r8, %r7, %r6;\n"
                  "st.global.u32 [%rd5], %r8;");
  };
  EXPECT_LT(two(""), 1.5 * model.dram_cycles);
  EXPECT_GT(two("st.global.u32 [%rd5], %r6;\n"), 2 * model.dram_cycles);
  EXPECT_GT(two("bra.uni next;\nnext:\n"), 2 * model.dram_cycles);
}

TEST(Pace, ASampleHasRunsOfNeighboursOverTheWholeGrid) {
  Emulated emulated(kernel("st.global.u32 [%rd5], 1;"));
  constexpr std::uint32_t blocks = 1000;
  emulated.options.sampled_blocks = 64;
  emulated.options.compute_capabilities = {{9, 0}};
  emulated.options.pace = model;
  const Address from = emulated.buffer(std::vector<std::uint32_t>(1));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(std::size_t{blocks} * 32));
  const LaunchResult result = emulated.launch("k", {blocks}, {32}, from, to);
  EXPECT_EQ(result.blocks, 64U);
  const auto words = emulated.read<std::uint32_t>(to, std::size_t{blocks} * 32);
  std::vector<std::uint32_t> ran;
  for (std::uint32_t block = 0; block < blocks; ++block)
    if (words[std::size_t{block} * 32] == 1) ran.push_back(block);
  ASSERT_EQ(ran.size(), 64U);
  // A run of 8 blocks lies near the middle of each eighth of the grid, at an irregular distance.
  for (std::size_t i = 0; i < ran.size(); ++i) {
    EXPECT_EQ(ran[i], ran[i / 8 * 8] + i % 8);
    EXPECT_NEAR(ran[i], i + (2 * (i / 8) + 1) * (blocks - 64) / 16, 117 / 4.0);
  }
  EXPECT_NE(ran[16] - ran[8], ran[8] - ran[0]);
  emulated.options.sampled_blocks = 5000;
  EXPECT_EQ(emulated.launch("k", {blocks}, {32}, from, to).blocks, blocks);
}

TEST(Pace, RunsOfASampleAreInDifferentColumnsOfTheGrid) {
  Emulated emulated(
      kernel("mov.u32 %r5, %ctaid.y;\n mov.u32 %r6, %nctaid.x;\n"
             "mad.lo.u32 %r7, %r5, %r6, %r2;\n mul.wide.u32 %rd7, %r7, 4;\n"
             "add.s64 %rd8, %rd2, %rd7;\n st.global.u32 [%rd8], 1;"));
  constexpr std::uint32_t columns = 128, rows = 32;
  emulated.options.sampled_blocks = 128;
  emulated.options.compute_capabilities = {{9, 0}};
  emulated.options.pace = model;
  const Address from = emulated.buffer(std::vector<std::uint32_t>(1));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(columns * rows));
  emulated.launch("k", {columns, rows}, {32}, from, to);
  const auto ran = emulated.read<std::uint32_t>(to, columns * rows);
  std::array<int, 4> of_quarter{};
  for (std::uint32_t i = 0; i < ran.size(); ++i)
    of_quarter[i % columns / (columns / 4)] += ran[i] == 1 ? 1 : 0;
  EXPECT_EQ(of_quarter[0] + of_quarter[1] + of_quarter[2] + of_quarter[3], 128);
  for (const int each : of_quarter) EXPECT_NEAR(each, 32, 16);
}

/// Returns the number of sampled blocks with another sampled block below them in the next row.
int blocks_above_others(std::uint32_t columns, std::uint32_t rows) {
  Emulated emulated(
      kernel("mov.u32 %r5, %ctaid.y;\n mov.u32 %r6, %nctaid.x;\n"
             "mad.lo.u32 %r7, %r5, %r6, %r2;\n mul.wide.u32 %rd7, %r7, 4;\n"
             "add.s64 %rd8, %rd2, %rd7;\n st.global.u32 [%rd8], 1;"));
  emulated.options.sampled_blocks = 64;
  emulated.options.compute_capabilities = {{9, 0}};
  emulated.options.pace = model;
  const Address from = emulated.buffer(std::vector<std::uint32_t>(1));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(std::size_t{columns} * rows));
  EXPECT_EQ(emulated.launch("k", {columns, rows}, {32}, from, to).blocks, 64U);
  const auto ran = emulated.read<std::uint32_t>(to, std::size_t{columns} * rows);
  EXPECT_EQ(std::ranges::count(ran, 1U), 64) << columns;
  int above = 0;
  for (std::size_t i = 0; i + columns < ran.size(); ++i)
    above += ran[i] == 1 && ran[i + columns] == 1 ? 1 : 0;
  return above;
}

TEST(Pace, HalfOfARunIsInTheNextRowOfTheGrid) {
  for (const std::uint32_t columns : {8U, 16U, 17U, 100U})
    EXPECT_EQ(blocks_above_others(columns, 16384 / columns), 32) << columns;
  // Rows are shorter than a run. The sample is complete nevertheless, and no block runs twice.
  for (const std::uint32_t columns : {1U, 2U, 3U, 7U}) blocks_above_others(columns, 4096);
}

TEST(Pace, EverySizeOfASampleHasThatManyBlocks) {
  for (const std::uint64_t sampled : {1U, 2U, 15U, 31U, 33U, 50U, 127U, 150U, 499U}) {
    Emulated emulated(kernel("atom.global.add.u32 %r5, [%rd5], 1;"));
    emulated.options.sampled_blocks = sampled;
    const Address from = emulated.buffer(std::vector<std::uint32_t>(1));
    const Address to = emulated.buffer(std::vector<std::uint32_t>(std::size_t{500} * 32));
    emulated.launch("k", {500}, {32}, from, to);
    const auto words = emulated.read<std::uint32_t>(to, std::size_t{500} * 32);
    EXPECT_EQ(std::ranges::count(words, 1U), static_cast<std::ptrdiff_t>(sampled * 32));
    EXPECT_EQ(std::ranges::count_if(words, [](auto word) { return word > 1; }), 0);
  }
}

TEST(Pace, NeedsCountsAndARuleToCountBy) {
  Emulated emulated(kernel(""));
  const Address word = emulated.buffer(std::vector<std::uint32_t>(32));
  emulated.options.pace = model;
  EXPECT_THROW(emulated.launch("k", {1}, {32}, word, word), InvalidArgument);
  emulated.options.compute_capabilities = {{9, 0}};
  EXPECT_NO_THROW(emulated.launch("k", {1}, {32}, word, word));
  emulated.options.checks = {emulator::Check::races};
  EXPECT_THROW(emulated.launch("k", {1}, {32}, word, word), InvalidArgument);
  emulated.options.checks = {};
  emulated.options.count = false;
  EXPECT_THROW(emulated.launch("k", {1}, {32}, word, word), InvalidArgument);
}

}  // namespace pace_tests
}  // namespace warpwise
