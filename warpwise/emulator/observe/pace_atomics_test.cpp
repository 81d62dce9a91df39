// The pace of atomic operations, in shared memory and in L2.

#include "warpwise/emulator/observe/pace_testing.hpp"

namespace warpwise {
namespace pace_tests {

TEST(Pace, ASharedAtomicTakesOneLaneOfEachBankAtATime) {
  const auto passes = [](const std::string& operation, int bytes_apart) {
    return run({.body = "mov.u32 %r8, tile;\n mad.lo.s32 %r9, %r1, " + std::to_string(bytes_apart) +
                        ", %r8;\n" + operation})
        .pace.shared_atomic_passes;
  };
  EXPECT_EQ(passes("red.shared.add.u32 [%r9], %r1;", 4), 1U);
  EXPECT_EQ(passes("red.shared.add.u32 [%r9], %r1;", 0), 32U);
  EXPECT_EQ(passes("red.shared.max.u32 [%r9], %r1;", 128), 32U);
  // An addition of 1 is one instruction, which adds the number of lanes at each address.
  EXPECT_EQ(passes("red.shared.add.u32 [%r9], 1;", 0), 1U);
  EXPECT_EQ(passes("red.shared.add.u32 [%r9], 1;", 128), 32U);
  EXPECT_EQ(passes("atom.shared.cas.b32 %r5, [%r9], 0, 1;", 4), 2U);
  EXPECT_EQ(passes("red.shared.add.f32 [%r9], 0f3f800000;", 4), 4U);
}

TEST(Pace, FloatsAddedToOneWordOfSharedMemoryTakeTurns) {
  const auto block = [](std::uint32_t threads) {
    return run({.body = "mov.u32 %r8, tile;\n red.shared.add.f32 [%r8], 0f3f800000;",
                .threads = threads})
        .pace.block_cycles;
  };
  EXPECT_GE(block(32), 32 * model.shared_loop_cycles);
  EXPECT_GE(block(256), 256 * model.shared_loop_cycles);
}

/// Returns L2's cycles for three blocks' atomic operations.
std::uint64_t busiest(const std::string& operation, const PaceModel& pace = model) {
  return run({.body = operation, .blocks = 3, .pace = pace}).pace.atomic_cycles_of_busiest_place;
}

TEST(Pace, IntegerAtomicsHaveACostOfTheirOwn) {
  PaceModel pace = model;
  pace.atomic_cycles = 4;
  pace.integer_atomic_cycles = 1.5;
  EXPECT_EQ(busiest("red.global.add.f32 [%rd6], 0f3f800000;", pace), 3U * 32 * 4);
  EXPECT_EQ(busiest("atom.global.exch.b32 %r5, [%rd6], 1;", pace), 3U * 32 * 3 / 2);
}

TEST(Pace, L2TakesTheWordsOfASectorAtOnce) {
  const auto on_words = [](int lanes_of_a_word, int bytes_apart) {
    return busiest("div.u32 %r9, %r1, " + std::to_string(lanes_of_a_word) +
                   ";\n mul.wide.u32 %rd7, %r9, " + std::to_string(bytes_apart) +
                   ";\n add.s64 %rd8, %rd6, %rd7;\n red.global.add.u32 [%rd8], 1;");
  };
  EXPECT_EQ(on_words(1, 4), 3U * 4);      // 32 words of four sectors
  EXPECT_EQ(on_words(2, 4), 3U * 2 * 2);  // two operations on each of 16 words of two sectors
  EXPECT_EQ(on_words(8, 32), 3U * 4 * 8);
  EXPECT_EQ(on_words(8, 512), 3U * 8);  // a part of L2 for each word
}

TEST(Pace, AtomicsOfBlocksMeetInAPartOfL2) {
  EXPECT_EQ(busiest("red.global.add.f32 [%rd6], 0f3f800000;"), 3U * 32);
  // The compiler adds a warp's integers first, if it knows that the address is the same.
  EXPECT_EQ(busiest("red.global.add.u32 [%rd6], 1;"), 3U);
  EXPECT_EQ(busiest("div.u32 %r9, %r1, 32;\n mul.wide.u32 %rd7, %r9, 4;\n"
                    "add.s64 %rd8, %rd6, %rd7;\n red.global.add.u32 [%rd8], %r1;"),
            3U * 32);
  EXPECT_EQ(busiest("atom.global.cas.b32 %r5, [%rd6], 0, 1;"), 3U * 32 * 2);
  // Each block has a part of L2 of its own.
  const LaunchResult apart =
      run({.body = "red.global.add.f32 [%rd4], 0f3f800000;", .blocks = 3, .threads = 128});
  EXPECT_EQ(apart.pace.atomic_cycles_of_busiest_place, 0U);
}

TEST(Pace, SwapsThatMeetOnAWordAreCountedInPairs) {
  const emulator::PaceCounts pace =
      run({.body = "red.global.cas.b32 [%rd6], 0, 1;", .blocks = 2}).pace;
  EXPECT_EQ(pace.swaps, 64U);
  EXPECT_EQ(pace.made_swaps, 64U);
  EXPECT_EQ(pace.made_swap_pairs, 64U * 63);
  // A swap that changes nothing makes no other swap fail.
  EXPECT_EQ(run({.body = "atom.global.cas.b32 %r5, [%rd6], 0, 0;\n st.global.u32 [%rd5+4], %r5;"})
                .pace.made_swaps,
            0U);
}

TEST(Pace, SwapsThatALoopRepeatsAreMadeOnce) {
  const auto adds = [](const std::string& type, const std::string& old, const std::string& next) {
    const std::string found = type == "32" ? "%r7" : "%rd9";
    return run({.body = ".reg .pred %p1;\n ld.global.u" + type + " " + found +
                        ", [%rd6];\nagain:\n mov.u" + type + " " + old + ", " + found +
                        ";\n add.u" + type + " " + next + ", " + old + ", 1;\n atom.global.cas.b" +
                        type + " " + found + ", [%rd6], " + old + ", " + next + ";\n setp.ne.u" +
                        type + " %p1, " + found + ", " + old + ";\n @%p1 bra again;\n",
                .blocks = 2})
        .pace;
  };
  for (const emulator::PaceCounts& pace :
       {adds("32", "%r8", "%r9"), adds("64", "%rd10", "%rd11")}) {
    EXPECT_GE(pace.swaps, 2U * 32 * 33 / 2);  // 32 lanes try, then 31, …
    EXPECT_EQ(pace.made_swaps, 64U);
    EXPECT_EQ(pace.made_swap_pairs, 64U * 63);
  }
}

TEST(Pace, AWordForEachBlockMeetsOnlyThoseOfNeighbours) {
  const std::string own_word =
      "mov.u32 %r9, %ctaid.x;\n mul.wide.u32 %rd9, %r9, 4;\n add.s64 %rd9, %rd6, %rd9;\n"
      "red.global.add.f32 [%rd9], 0f3f800000;";
  const emulator::PaceCounts pace = run({.body = own_word, .blocks = 256}).pace;
  EXPECT_EQ(pace.atomic_cycles_of_neighbours, 128U * 32);
  EXPECT_EQ(pace.atomic_cycles_of_busiest_place, 0U);
}

}  // namespace pace_tests
}  // namespace warpwise
