// Kernels that would never end, and others that only take their time.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"

namespace warpwise {
namespace livelock_tests {

using emulator::Address;
using emulator::Dim3;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;
using test::kernel_text;

LaunchResult launch(const std::string& body, Dim3 grid, Dim3 block, int threads,
                    std::uint64_t budget = 0) {
  Emulated emulated(kernel_text(body));
  emulated.options.threads = threads;
  emulated.options.budget = budget;
  const Address first = emulated.buffer(std::vector<std::uint32_t>(16), "the flags");
  const Address second = emulated.buffer(std::vector<std::uint32_t>(16));
  return emulated.launch("hand", grid, block, first, second);
}

void expect_livelock(const std::string& body, Dim3 grid, Dim3 block, const std::string& part) {
  for (const int threads : {1, 2, 3}) {
    const LaunchResult result = launch(body, grid, block, threads);
    bool found = false;
    for (const Fault& fault : result.faults) {
      found |= fault.kind == FaultKind::livelock && fault.line == 7 &&
               fault.message.find(part) != std::string::npos;
    }
    EXPECT_TRUE(found) << body << "\n"
                       << (result.faults.empty() ? "no fault" : result.faults.front().message);
  }
}

void expect_end(const std::string& body, Dim3 grid, Dim3 block) {
  for (const int threads : {1, 2, 3}) {
    const LaunchResult result = launch(body, grid, block, threads, 100'000'000);
    for (const Fault& fault : result.faults) ADD_FAILURE() << body << "\n" << fault.message;
  }
}

TEST(Livelock, AFlagThatNobodySets) {
  const std::string body =
      "SPIN:\nld.volatile.global.u32 %r5, [%l1+8];\nsetp.eq.u32 %p, %r5, 0;\n@%p bra SPIN;";
  for (const Dim3 grid : {Dim3{1}, Dim3{7}})
    expect_livelock(body, grid, {64},
                    "polls in a loop: ld.volatile.global.u32 of byte 8 of the flags");
}

TEST(Livelock, ALockThatIsNeverReleased) {
  expect_livelock(
      "SPIN:\natom.global.cas.b32 %r5, [%l1], 0, 1;\nsetp.ne.u32 %p, %r5, 0;\n@%p bra SPIN;", {1},
      {32}, "atom.global.cas.b32 of byte 0 of the flags");
  expect_livelock(
      "SPIN:\natom.global.exch.b32 %r5, [%l1], 1;\nsetp.ne.u32 %p, %r5, 0;\n@%p bra SPIN;", {3},
      {1}, "atom.global.exch.b32");
}

TEST(Livelock, SharedMemoryThatNobodyChanges) {
  expect_livelock(
      "mov.u64 %l4, tile;\nSPIN:\nld.volatile.shared.u32 %r5, [%l4+4];\nnanosleep.u32 20;\n"
      "setp.eq.u32 %p, %r5, 0;\n@%p bra SPIN;",
      {2}, {64}, "byte 4 of shared memory");
}

// The loop reads a clock and ignores its value. The waits of cuda::barrier do the same.
TEST(Livelock, AFlagThatNobodySetsBesideAClock) {
  for (const std::string clock : {"globaltimer", "clock64"}) {
    expect_livelock("mov.u64 %l4, %" + clock +
                        ";\nSPIN:\nld.volatile.global.u32 %r5, [%l1+8];\nmov.u64 %l5, %" + clock +
                        ";\nsub.s64 %l6, %l5, %l4;\nsetp.eq.u32 %p, %r5, 0;\n@%p bra SPIN;",
                    {3}, {64}, "polls in a loop: ld.volatile.global.u32 of byte 8 of the flags");
  }
}

// One warp waits at a barrier and reads no clock.
TEST(Livelock, AFlagBesideAClockAndABarrier) {
  expect_livelock(
      "setp.eq.u32 %q, %r3, 1;\n@%q bra SPIN;\nbar.sync 0;\nbra.uni END;\nSPIN:\n"
      "ld.volatile.global.u32 %r5, [%l1];\nmov.u64 %l5, %clock64;\nsetp.eq.u32 %p, %r5, 0;\n"
      "@%p bra SPIN;\nbar.sync 0;\nEND:",
      {2}, {64}, "waits at barrier 0");
}

// The kernel polls an address outside of any buffer. Each poll is a fault, so faults have no end.
TEST(Livelock, AFlagOutsideOfItsBuffer) {
  const std::string body =
      "SPIN:\nld.volatile.global.u32 %r5, [%l1+64];\nsetp.eq.u32 %p, %r5, 0;\n@%p bra SPIN;";
  expect_livelock(body, {1}, {32}, "0 bytes past the end of the flags");
  EXPECT_EQ(launch(body, {1}, {32}, 1).faults.front().kind, FaultKind::out_of_bounds);
}

TEST(Livelock, ALoopWithoutAnyEnd) {
  expect_livelock("LOOP:\nbra.uni LOOP;", {2}, {64}, "loops for ever");
}

TEST(Livelock, ALoopOfIndexedBranches) {
  const std::string back = "ts: .branchtargets LOOP, END;\nbrx.idx %r7, ts;\nEND:";
  expect_livelock("mov.u32 %r7, 0;\nLOOP:\n" + back, {2}, {64}, "loops for ever");
  expect_livelock("LOOP:\nld.volatile.global.u32 %r7, [%l1+8];\n" + back, {3}, {64},
                  "polls in a loop: ld.volatile.global.u32 of byte 8 of the flags");
  const LaunchResult result =
      launch("mov.u32 %r7, 0;\nLOOP:\nadd.u32 %r6, %r6, 1;\n" + back, {1}, {32}, 1, 1'000'000);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::budget);
  // The last lane of the last warp ends the wait of the others.
  expect_end(
      "setp.eq.u32 %p, %r1, 63;\n@%p st.volatile.global.u32 [%l1+8], 1;\nLOOP:\n"
      "ld.volatile.global.u32 %r7, [%l1+8];\n" +
          back,
      {1}, {64});
  expect_end(
      "mov.u32 %r7, 1;\nsetp.eq.u32 %p, %r1, 31;\n@%p bra SET;\nLOOP:\n"
      "ld.volatile.global.u32 %r7, [%l1+8];\nts: .branchtargets LOOP, END;\n"
      "brx.idx %r7, ts;\nSET:\nst.volatile.global.u32 [%l1+8], 1;\nEND:",
      {1}, {32});
}

TEST(Livelock, NamesThoseThatWaitAtABarrierToo) {
  const std::string body =
      "setp.eq.u32 %q, %r3, 1;\n@%q bra SPIN;\nbar.sync 0;\nbra.uni END;\nSPIN:\n"
      "ld.volatile.global.u32 %r5, [%l1];\nsetp.eq.u32 %p, %r5, 0;\n@%p bra SPIN;\nbar.sync "
      "0;\nEND:";
  expect_livelock(body, {1}, {64}, "waits at barrier 0");
  expect_livelock(body, {1}, {96}, "no thread of the grid makes progress");
}

// Faults also end a kernel whose state changes all the time.
TEST(Livelock, EndsAtTooManyFaults) {
  const LaunchResult result = launch(
      "LOOP:\nld.global.u32 %r5, [%l1+64];\nadd.u32 %r6, %r6, 1;\nbra.uni LOOP;", {1}, {32}, 1);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_GE(result.faults[0].count, std::uint64_t{1} << 20);
  EXPECT_NE(result.faults[0].message.find("stopped after 1048576 faults"), std::string::npos);
}

TEST(Livelock, EndsInAFillAtTooManyFaults) {
  const LaunchResult result =
      launch("mov.u64 %l4, -1;\nst.bulk.weak.shared::cta [tile], %l4, 0;", {1}, {32}, 1);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_LE(result.faults[0].count, (std::uint64_t{1} << 20) + 32);
}

// A kernel runs to its end after any number of faults that LaunchOptions::is_known accepts.
TEST(Livelock, KnownFaultsEndNothing) {
  const std::string body =
      "mov.u32 %r6, 0;\nLOOP:\nld.global.u32 %r5, [%l1+64];\nadd.u32 %r6, %r6, 1;\n"
      "setp.lt.u32 %p, %r6, 40000;\n"
      "@%p bra LOOP;\nst.global.u32 [%l1], %r6;\nld.global.u32 %r5, [%l1+128];";
  Emulated emulated(kernel_text(body));
  const Address flags = emulated.buffer(std::vector<std::uint32_t>(16), "flags");
  emulated.options.is_known = [](const std::string&, const Fault& fault) {
    return fault.kind == FaultKind::out_of_bounds;
  };
  const LaunchResult result = emulated.launch("hand", {1}, {32}, flags, flags);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].count, 32U * 40001);
  EXPECT_EQ(result.faults[0].message.find("stopped"), std::string::npos);
  EXPECT_EQ(emulated.read<std::uint32_t>(flags, 1)[0], 40000U);
}

// ---- no livelock, though it looks like one

TEST(Livelock, IsNoneWhereAThreadCounts) {
  // The thread gives up after it has read the word a million times.
  expect_end(
      "mov.u32 %r6, 0;\nSPIN:\nld.volatile.global.u32 %r5, [%l1];\nadd.u32 %r6, %r6, 1;\n"
      "setp.eq.u32 %p, %r5, 0;\nsetp.lt.and.u32 %p, %r6, 1000000, %p;\n@%p bra SPIN;",
      {1}, {32});
}

TEST(Livelock, IsNoneWhereMemoryCounts) {
  // The registers are the same in each round. Only the counter in memory changes.
  expect_end(
      "SPIN:\natom.global.add.u32 %r5, [%l1], 1;\nsetp.lt.u32 %p, %r5, 300000;\nmov.u32 %r5, 0;\n"
      "@%p bra SPIN;",
      {1}, {1});
}

TEST(Livelock, IsNoneWhereAnotherBlockWorks) {
  // Block 0 works for a long time without a write, and then releases the others.
  expect_end(
      "setp.ne.u32 %p, %r4, 0;\n@%p bra SPIN;\nmov.u32 %r5, 0;\nWORK:\nadd.u32 %r5, %r5, 1;\n"
      "setp.lt.u32 %q, %r5, 2000000;\n@%q bra WORK;\nst.volatile.global.u32 [%l1], 1;\nbra.uni "
      "END;\n"
      "SPIN:\nld.volatile.global.u32 %r6, [%l1];\nsetp.eq.u32 %p, %r6, 0;\n@%p bra SPIN;\nEND:",
      {5}, {32});
}

TEST(Livelock, IsNoneWhereAClockIsWaitedFor) {
  expect_end(
      "mov.u64 %l4, %clock64;\nadd.u64 %l4, %l4, 4000000;\nSPIN:\nmov.u64 %l5, %clock64;\n"
      "setp.lt.u64 %p, %l5, %l4;\nmov.u64 %l5, 0;\n@%p bra SPIN;",
      {2}, {32});
}

// The kernels wait for a second, and for 2^36 instructions. Then they store 7.
TEST(Livelock, IsNoneWhereAWaitHasATimeLimit) {
  for (const std::string wait : {"globaltimer;\nadd.u64 %l4, %l4, 1000000000;",
                                 "clock64;\nadd.u64 %l4, %l4, 68719476736;"}) {
    const std::string clock = wait.substr(0, wait.find(';'));
    const std::string body = "mov.u64 %l4, %" + wait +
                             "\nSPIN:\nld.volatile.global.u32 %r5, [%l1];\nmov.u64 %l5, %" + clock +
                             ";\nsetp.lt.u64 %p, %l5, %l4;\nsetp.eq.and.u32 %p, %r5, 0, %p;\n"
                             "@%p bra SPIN;\nst.global.u32 [%l2+4], 7;";
    Emulated emulated(kernel_text(body));
    const Address flags = emulated.buffer(std::vector<std::uint32_t>(4));
    const LaunchResult result = emulated.launch("hand", {3}, {32}, flags, flags);
    EXPECT_TRUE(result.faults.empty()) << result.faults.front().message;
    EXPECT_EQ(emulated.read<std::uint32_t>(flags, 2)[1], 7U);
  }
}

TEST(Livelock, IsNoneWhereAThreadCountsBesideAClock) {
  expect_end(
      "mov.u32 %r6, 0;\nSPIN:\nld.volatile.global.u32 %r5, [%l1];\nmov.u64 %l5, %clock64;\n"
      "add.u32 %r6, %r6, 1;\nsetp.eq.u32 %p, %r5, 0;\nsetp.lt.and.u32 %p, %r6, 200000, %p;\n"
      "@%p bra SPIN;",
      {2}, {64});
}

// Each thread's clock goes only forwards, also after it was held or set ahead.
TEST(Livelock, ClocksNeverGoBack) {
  const std::string body =
      "mov.u32 %r6, 0;\nmov.u64 %l4, %clock64;\nSPIN:\nld.volatile.global.u32 %r5, [%l1];\n"
      "mov.u64 %l5, %clock64;\nsetp.lt.u64 %q, %l5, %l4;\n@%q st.global.u32 [%l2+4], 1;\n"
      "mov.u64 %l4, %l5;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p, %r6, 300000;\n@%p bra SPIN;";
  Emulated emulated(kernel_text(body));
  const Address flags = emulated.buffer(std::vector<std::uint32_t>(4));
  EXPECT_TRUE(emulated.launch("hand", {3}, {64}, flags, flags).faults.empty());
  EXPECT_EQ(emulated.read<std::uint32_t>(flags, 2)[1], 0U);
}

// Another thread interrupts a kernel without an end. The kernel writes, so the check for livelocks
// does not end it.
TEST(Interrupted, EndsAKernelWithItsFaultsSoFar) {
  const std::string body =
      "ld.global.u32 %r5, [%l1+64];\nLOOP:\nst.volatile.global.u32 [%l1], %r1;\nbra.uni LOOP;";
  Emulated emulated(kernel_text(body));
  const Address flags = emulated.buffer(std::vector<std::uint32_t>(16), "the flags");
  std::atomic<bool> interrupted = false;
  emulated.options.interrupted = &interrupted;
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    interrupted = true;
  });
  const LaunchResult result = emulated.launch("hand", {1}, {32}, flags, flags);
  ASSERT_EQ(result.faults.size(), 2U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_EQ(result.faults[1].kind, FaultKind::interrupted);
}

TEST(Interrupted, ChangesNoKernelThatEnds) {
  Emulated emulated(kernel_text("st.global.u32 [%l1], %r1;"));
  const Address flags = emulated.buffer(std::vector<std::uint32_t>(16));
  const std::atomic<bool> interrupted = false;
  emulated.options.interrupted = &interrupted;
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, flags, flags).faults.empty());
}

}  // namespace livelock_tests
}  // namespace warpwise
