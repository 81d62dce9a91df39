// The pace of blocks: what the compiler moves to the front, behind a barrier, or under a condition.

#include <gtest/gtest.h>

#include "warpwise/emulator/observe/pace_testing.hpp"

namespace warpwise {
namespace pace_tests {

constexpr auto two_loads_around = [](const std::string& between) {
  return cycles(
      ".reg .pred %p1;\n setp.lt.u32 %p1, %r1, 16;\n mov.u32 %r6, 0;\n"
      "ld.global.u32 %r5, [%rd4];\n add.u32 %r6, %r5, 1;\n" +
      between +
      "ld.global.u32 %r7, [%rd4+4096];\n add.u32 %r8, %r7, %r6;\n"
      "st.global.u32 [%rd5], %r8;");
};

TEST(Pace, ABarrierWaitsForNoArithmetic) {
  EXPECT_LT(two_loads_around("bar.sync 0;\n"), 1.5 * model.dram_cycles);
  // The store before the barrier waits for the load's value.
  EXPECT_GT(two_loads_around("st.shared.u32 [tile], %r6;\n bar.sync 0;\n"), 2 * model.dram_cycles);
}

TEST(Pace, ABarrierEndsNoEarlierThanTheLastAccessBegan) {
  const double one = cycles("st.shared.u32 [tile], %r1;\n bar.sync 0;");
  const double waits = cycles(
      "ld.global.u32 %r5, [%rd4];\n st.shared.u32 [tile], %r5;\n bar.sync 0;\n"
      "ld.shared.u32 %r6, [tile];\n st.global.u32 [%rd5], %r6;");
  EXPECT_GT(waits - one, model.dram_cycles);
}

constexpr int first_line = 18;  // first line of the body in kernel()
constexpr int never = 1000;

/// Returns the cycles of two independent loads. The first is at index 0 of the machine code, the
/// second at `place`.
double two_loads(int needed, int place) {
  PaceModel pace = model;
  pace.loads = {{.ptx_line = first_line, .piece = 0, .place = 0, .needed = needed},
                {.ptx_line = first_line + 1, .piece = 0, .place = place, .needed = never}};
  return cycles(
      "ld.global.u32 %r5, [%rd4];\nld.global.u32 %r6, [%rd4+4096];\nadd.u32 %r7, %r5, %r6;\n"
      "st.global.u32 [%rd5], %r7;",
      pace);
}

TEST(Pace, ALoadBehindTheFirstUseOfAnotherOneWaitsForThat) {
  EXPECT_LT(two_loads(2, 1), 1.5 * model.dram_cycles);
  EXPECT_GT(two_loads(1, 2), 2 * model.dram_cycles);
  EXPECT_LT(two_loads(never, 2), 1.5 * model.dram_cycles);
}

/// Returns the cycles of a loop of 16 loads. The machine code has `copies` of them in a row.
double loop_of_16(int copies, int copies_elsewhere = 0) {
  PaceModel pace = model;
  for (int i = 0; i < copies + copies_elsewhere; ++i) {
    pace.loads.push_back(
        {.ptx_line = first_line + 4, .piece = i < copies ? 0 : 1, .place = i, .needed = never});
  }
  return cycles(
      ".reg .pred %p1;\nmov.u32 %r6, 0;\nmov.u32 %r7, 0;\nagain:\n"
      "ld.global.u32 %r5, [%rd4];\nadd.u32 %r6, %r6, %r5;\nadd.s64 %rd4, %rd4, 1024;\n"
      "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 16;\n@%p1 bra again;\n"
      "st.global.u32 [%rd5], %r6;",
      pace);
}

TEST(Pace, ALoopLoadsInAsManyRoundsAsMachineCodeHas) {
  EXPECT_GT(loop_of_16(1), 16 * model.dram_cycles);
  EXPECT_GT(loop_of_16(4), 4 * model.dram_cycles);
  EXPECT_LT(loop_of_16(4), 5 * model.dram_cycles);
  EXPECT_LT(loop_of_16(16), 2 * model.dram_cycles);
  // The machine code has another piece for the remaining rounds.
  EXPECT_EQ(loop_of_16(4, 1), loop_of_16(4));
}

TEST(Pace, ABranchTakesTimeUntilTheWarpGoesOn) {
  PaceModel slow = model;
  slow.branch_cycles = 21;
  const std::string loop =
      ".reg .pred %p1;\nmov.u32 %r7, 0;\nagain:\n.pragma \"nounroll\";\nadd.u32 %r7, %r7, 1;\n"
      "setp.lt.u32 %p1, %r7, 10;\n@%p1 bra again;\n";
  // The branch is taken after nine of the ten rounds.
  EXPECT_EQ(cycles(loop, slow) - cycles(loop), 9 * 20);
}

TEST(Pace, LoadsGoBeforeStoresToOtherMemory) {
  EXPECT_LT(two_loads_around("st.shared.u32 [tile], %r6;\n"), 1.5 * model.dram_cycles);
  EXPECT_GT(two_loads_around("st.global.u32 [%rd5+4096], %r6;\n"), 2 * model.dram_cycles);
  EXPECT_GT(two_loads_around("red.shared.add.u32 [tile], %r6;\n"), 2 * model.dram_cycles);
  EXPECT_GT(two_loads_around("mov.u64 %rd9, tile;\n cvta.shared.u64 %rd9, %rd9;\n"
                             "st.u32 [%rd9], %r6;\n"),
            2 * model.dram_cycles);
}

TEST(Pace, AFewInstructionsUnderAConditionAreNoEndOfThePiece) {
  const auto under = [](int instructions) {
    std::string body = "@%p1 bra over;\n";
    for (int i = 0; i < instructions; ++i) body += "add.u32 %r9, %r9, 1;\n";
    return two_loads_around(body + "over:\n");
  };
  EXPECT_LT(under(6), 1.5 * model.dram_cycles);
  EXPECT_GT(under(7), 2 * model.dram_cycles);
}

TEST(Pace, L1UpdatesTheSectorsThatABlockStores) {
  const auto again = [](const std::string& store) {
    return run({.body = "ld.global.u32 %r5, [%rd4];\n" + store +
                        "ld.global.u32 %r6, [%rd4];\n st.global.u32 [%rd5], %r6;"})
        .pace.l2_read_sectors;
  };
  EXPECT_EQ(again("st.global.u32 [%rd4], %r5;\n"), again(""));
  EXPECT_GT(again("red.global.add.u32 [%rd4], %r5;\n"), again(""));
}

TEST(Pace, TellsTheLengthOfEachBlock) {
  const emulator::PaceCounts pace =
      run({.body = ".reg .pred %p1;\n setp.eq.u32 %p1, %r2, 0;\n @%p1 bra done;\n"
                   "ld.global.u32 %r5, [%rd4];\n st.global.u32 [%rd5], %r5;\ndone:\n",
           .blocks = 3})
          .pace;
  ASSERT_EQ(pace.block_lengths.size(), 3U);
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pace.block_lengths[i].block, i);
    sum += pace.block_lengths[i].cycles;
  }
  EXPECT_EQ(sum, pace.block_cycles);
  EXPECT_GT(pace.block_lengths[1].cycles, pace.block_lengths[0].cycles + model.dram_cycles);
}

TEST(Pace, TellsHowOftenEachLineOfPtxRan) {
  const emulator::PaceCounts pace =
      run({.body = "ld.global.u32 %r5, [%rd4];\n st.global.u32 [%rd5], %r5;",
           .blocks = 2,
           .threads = 64})
          .pace;
  ASSERT_FALSE(pace.ptx_lines.empty());
  int before = 0;
  for (const auto& [line, warps] : pace.ptx_lines) {
    EXPECT_GT(line, before);
    EXPECT_EQ(warps, 4U);
    before = line;
  }
}

}  // namespace pace_tests
}  // namespace warpwise
