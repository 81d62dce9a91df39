// Blocks that wait for others get no turns meanwhile, and still continue in the end.

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"

namespace warpwise {
namespace sleepers_tests {

using emulator::Address;
using emulator::Check;
using emulator::Checks;
using emulator::Dim3;
using emulator::Fault;
using emulator::LaunchResult;
using test::Emulated;
using test::kernel_text;

// Warp instructions of one turn of a polling block.
constexpr std::uint64_t turn = 256 * std::uint64_t{3};

struct Ended {
  std::vector<std::uint32_t> words;
  std::uint64_t executed = 0;
};

Ended run(const std::string& body, Dim3 grid, Dim3 block, int threads, Checks checks = {}) {
  Emulated emulated(kernel_text(body));
  emulated.options.threads = threads;
  emulated.options.checks = checks;
  emulated.options.budget = 1'000'000'000;
  const Address first = emulated.buffer(std::vector<std::uint32_t>(64), "the flags");
  const Address second = emulated.buffer(std::vector<std::uint32_t>(4096), "the words");
  const LaunchResult result = emulated.launch("hand", grid, block, first, second);
  for (const Fault& fault : result.faults) ADD_FAILURE() << body << "\n" << fault.message;
  return {emulated.read<std::uint32_t>(second, 4096), result.executed};
}

// A barrier of 512 blocks: the first thread of each arrives, and waits for %r5 arrivals in all.
const std::string meet =
    "bar.sync 0;\nadd.u32 %r5, %r5, 512;\nsetp.ne.u32 %p, %r1, 0;\n@%p bra MET;\n"
    "membar.gl;\natom.global.add.u32 %r6, [%l1], 1;\n"
    "SPIN:\nld.volatile.global.u32 %r6, [%l1];\nsetp.lt.u32 %p, %r6, %r5;\n@%p bra SPIN;\n"
    "membar.gl;\nMET:\nbar.sync 0;\n";

// Each arrival changes the word that all others poll. If each polling block took a turn after each
// arrival, the barrier would take 512 * 512 / 2 turns.
TEST(Sleepers, AGridsBarrierTakesAFewTurnsOfEachBlock) {
  for (const int threads : {1, 2, 3}) {
    const Ended ended = run("mov.u32 %r5, 0;\n" + meet +
                                "mul.wide.u32 %l4, %r4, 4;\nadd.u64 %l4, %l2, %l4;\n"
                                "st.global.u32 [%l4], %r6;",
                            {512}, {1}, threads);
    for (int block = 0; block < 512; ++block) EXPECT_EQ(ended.words[block], 512U) << block;
    // The limit holds for one worker. Several would poll while others still begin their blocks.
    if (threads == 1) {
      EXPECT_LT(ended.executed, 512 * 8 * turn);
    }
  }
}

TEST(Sleepers, CountsOfOneThreadAreTheSameEachTime) {
  const std::string body = "mov.u32 %r5, 0;\n" + meet;
  const std::uint64_t once = run(body, {512}, {64}, 1).executed;
  EXPECT_EQ(run(body, {512}, {64}, 1).executed, once);
}

// The first block waits for the second one. The second works until the first one answers. It reads
// the answer by ordinary loads, so it does not look like a waiting block.
TEST(Sleepers, WakeWhileOthersWork) {
  for (const int threads : {1, 2}) {
    run("setp.ne.u32 %p, %r4, 0;\n@%p bra WORK;\n"
        "SPIN:\nld.volatile.global.u32 %r5, [%l1];\nsetp.lt.u32 %p, %r5, 700000;\n@%p bra SPIN;\n"
        "st.volatile.global.u32 [%l1+4], 1;\nbra.uni END;\n"
        "WORK:\nmov.u32 %r6, 0;\n"
        "AGAIN:\nadd.u32 %r6, %r6, 1;\nst.global.u32 [%l1], %r6;\nld.global.u32 %r7, [%l1+4];\n"
        "setp.eq.u32 %q, %r7, 0;\n@%q bra AGAIN;\nEND:",
        {2}, {1}, threads);
  }
}

// Each block waits for the next one, so they end in reverse order.
TEST(Sleepers, EndInTheOrderInWhichTheyAreWokenUp) {
  std::vector<std::uint32_t> expected(100);
  std::iota(expected.begin(), expected.end(), 0U);
  for (const int threads : {1, 2}) {
    const Ended ended =
        run("mov.u32 %r5, 99;\nsub.u32 %r5, %r5, %r4;\n"
            "SPIN:\nld.volatile.global.u32 %r6, [%l1];\nsetp.ne.u32 %p, %r6, %r5;\n@%p bra SPIN;\n"
            "mul.wide.u32 %l4, %r4, 4;\nadd.u64 %l4, %l2, %l4;\nmov.u32 %r7, 99;\n"
            "sub.u32 %r7, %r7, %r6;\nst.global.u32 [%l4], %r7;\nmembar.gl;\nadd.u32 %r6, %r6, 1;\n"
            "st.volatile.global.u32 [%l1], %r6;",
            {100}, {1}, threads);
    EXPECT_EQ(std::vector<std::uint32_t>(ended.words.begin(), ended.words.begin() + 100), expected);
  }
}

// A ticket lock: each block sees the sums of the blocks before it.
TEST(Sleepers, TakeALockInTurn) {
  for (const int threads : {1, 2, 3}) {
    const Ended ended = run(
        "atom.global.add.u32 %r5, [%l1], 1;\n"
        "SPIN:\nld.volatile.global.u32 %r6, [%l1+4];\nsetp.ne.u32 %p, %r6, %r5;\n@%p bra SPIN;\n"
        "membar.gl;\nld.volatile.global.u32 %r7, [%l2];\nadd.u32 %r7, %r7, 3;\n"
        "st.volatile.global.u32 [%l2], %r7;\nmembar.gl;\nadd.u32 %r6, %r6, 1;\n"
        "st.volatile.global.u32 [%l1+4], %r6;",
        {500}, {1}, threads);
    EXPECT_EQ(ended.words[0], 1500U);
  }
}

// Returns a kernel whose warps take their block's lock, set its flag and meet at a barrier, until
// the flags of all blocks are set. A block that waits for flags does not look like it: its turns
// write memory, and do not end in a polling loop.
std::string meet_behind_locks(int blocks) {
  const std::string all = std::to_string(blocks);
  return "mul.wide.u32 %l4, %r4, 4;\nadd.u64 %l5, %l2, %l4;\nadd.u64 %l4, %l1, %l4;\n"
         "AGAIN:\nsetp.ne.u32 %p, %r2, 0;\n@%p bra LOOK;\n"
         "TAKE:\natom.global.cas.b32 %r5, [%l4], 0, 1;\nsetp.ne.u32 %q, %r5, 0;\n@%q bra TAKE;\n"
         "membar.gl;\natom.global.exch.b32 %r5, [%l5], 1;\nmembar.gl;\n"
         "atom.global.exch.b32 %r5, [%l4], 0;\n"
         "LOOK:\nmov.u32 %r6, 0;\nmov.u64 %l6, %l2;\n"
         "NEXT:\natom.global.add.u32 %r5, [%l6], 0;\nsetp.eq.u32 %p, %r5, 0;\n@%p bra MEET;\n"
         "add.u32 %r6, %r6, 1;\nadd.u64 %l6, %l6, 4;\nsetp.lt.u32 %q, %r6, " +
         all + ";\n@%q bra NEXT;\nMEET:\nsetp.eq.u32 %p, %r6, " + all +
         ";\nbar.red.and.pred %q, 0, %p;\n@!%q bra AGAIN;";
}

TEST(Sleepers, BlocksThatWaitWithABarrierDoNotStarveOthers) {
  for (const int threads : {1, 2}) {
    const Ended ended = run(meet_behind_locks(16), {16}, {256}, threads);
    EXPECT_EQ(std::vector<std::uint32_t>(ended.words.begin(), ended.words.begin() + 16),
              std::vector<std::uint32_t>(16, 1));
    if (threads == 1) {
      EXPECT_LT(ended.executed, 10'000'000U);
    }
  }
}

// A block that begins late gets a few turns, fewer than 16, before the next block begins. The
// number of turns grows with the square of the number of blocks. A sanitizer makes each turn ten
// times as long.
TEST(Sleepers, ManyBlocksThatWaitWithABarrierAllBegin) {
  for (const unsigned blocks : {30U, 60U}) {
#ifdef __SANITIZE_ADDRESS__
    if (blocks == 60) continue;
#endif
    const Ended ended = run(meet_behind_locks(static_cast<int>(blocks)), {blocks}, {64}, 1,
                            {Check::races, Check::sync});
    EXPECT_EQ(std::vector<std::uint32_t>(ended.words.begin(), ended.words.begin() + blocks),
              std::vector<std::uint32_t>(blocks, 1));
    EXPECT_LT(ended.executed, 1'400U * blocks * blocks);
  }
}

}  // namespace sleepers_tests
}  // namespace warpwise
