// Check::sync: barriers and member masks with missing threads, and correct code that looks alike.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"

namespace warpwise {
namespace sync_check_tests {

using emulator::Address;
using emulator::Check;
using emulator::Checks;
using emulator::Dim3;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;
using test::kernel_text;

std::vector<Fault> faults(const std::string& body, Dim3 block, Checks checks = {Check::sync}) {
  Emulated emulated(kernel_text(body));
  emulated.options.checks = checks;
  const Address first = emulated.buffer(std::vector<std::uint32_t>(1024));
  return emulated.launch("hand", {1}, block, first, first).faults;
}

void expect_only(FaultKind kind, const std::string& body, Dim3 block, const std::string& part) {
  const std::vector<Fault> found = faults(body, block);
  ASSERT_EQ(found.size(), 1U) << body;
  EXPECT_EQ(found[0].kind, kind);
  EXPECT_NE(found[0].message.find(part), std::string::npos) << found[0].message;
  EXPECT_TRUE(faults(body, block, {}).empty()) << "it is looked for where it is asked for";
}

void expect_none(const std::string& body, Dim3 block) {
  for (const Fault& fault : faults(body, block)) ADD_FAILURE() << body << "\n" << fault.message;
}

// ---- barriers

TEST(SyncBarrier, ThreadsThatExitBeforeIt) {
  expect_only(
      FaultKind::barrier, "setp.ge.u32 %p, %r1, 60;\n@%p ret;\n.loc 1 8 0\nbar.sync 0;", {64},
      "4 threads of 64 never reach barrier 0: thread (60,0,0) and 3 more exited at hand.cu:7");
  expect_only(FaultKind::barrier,
              "setp.eq.u32 %p, %r1, 5;\n@%p bra END;\nbar.red.popc.u32 %r5, 0, %p;\nEND:", {32},
              "1 thread of 32");
}

TEST(SyncBarrier, ThreadsThatExitBehindIt) {
  expect_none("bar.sync 0;\nsetp.ge.u32 %p, %r1, 60;\n@%p ret;\nadd.u32 %r5, %r1, 1;", {64});
  expect_none("bar.sync 0;", {33});
}

TEST(SyncBarrier, ThreadsOfABlockAtDifferentOnes) {
  expect_only(
      FaultKind::barrier,
      "setp.lt.u32 %p, %r1, 32;\n@%p bra LOW;\n.loc 1 8 0\nbar.sync 0;\nbra.uni END;\nLOW:\n"
      ".loc 1 9 0\nbar.sync 0;\nEND:",
      {64}, "32 threads of the block reach barrier 0 here, and 32 threads at hand.cu:8");
  // Lanes of one warp may arrive at one barrier on different paths.
  expect_none(
      "setp.lt.u32 %p, %r2, 7;\n@%p bra LOW;\nadd.u32 %r5, %r5, 1;\nbra.uni MEET;\nLOW:\n"
      "add.u32 %r5, %r5, 2;\nMEET:\nbar.sync 0;",
      {64});
}

TEST(SyncBarrier, SomeWarpsByTheirNumber) {
  // A producer arrives, a consumer waits: the kernel states how many threads arrive.
  expect_none(
      "setp.eq.u32 %p, %r3, 0;\n@%p bra OTHER;\nbar.sync 2, 64;\nbra.uni END;\nOTHER:\n"
      "bar.arrive 2, 64;\nEND:",
      {64});
  expect_none("setp.eq.u32 %p, %r3, 0;\n@%p ret;\nbar.sync 1, 32;", {64});
}

// ---- member masks

TEST(SyncMask, ALaneThatItsMaskDoesNotName) {
  expect_only(FaultKind::member_mask, "shfl.sync.idx.b32 %r5, %r1, 0, 31, 0xffff;", {32},
              "lane 16 executes shfl.sync.idx.b32 with mask 0x0000ffff, which does not name it");
  expect_only(FaultKind::member_mask, "bar.warp.sync 0xfffffffe;", {32},
              "lane 0 executes bar.warp.sync");
}

TEST(SyncMask, LanesThatDoNotCome) {
  expect_only(
      FaultKind::member_mask,
      "setp.ge.u32 %p, %r2, 16;\n@%p bra END;\nvote.sync.ballot.b32 %r5, %p, 0xffffffff;\nEND:\n"
      ".loc 1 9 0\nbar.warp.sync 0xffffffff;",
      {32}, "names 16 lanes that do not execute it: thread (16,0,0)");
  expect_only(FaultKind::member_mask,
              "setp.lt.u32 %p, %r2, 3;\n@%p shfl.sync.idx.b32 %r5, %r1, 0, 31, 0xffffffff;", {32},
              "names 29 lanes");
}

// Lanes that have exited need not arrive. A branch around the vote compiles to the same code.
TEST(SyncMask, LanesThatHaveExitedNeedNotCome) {
  expect_none("setp.ge.u32 %p, %r2, 16;\n@%p ret;\nvote.sync.ballot.b32 %r5, %p, 0xffffffff;",
              {32});
  expect_none("shfl.sync.down.b32 %r5, %r1, 1, 31, 0xffffffff;", {20});
}

TEST(SyncMask, LanesThatNameDifferentMasks) {
  const std::string own = "setp.lt.u32 %p, %r2, 16;\nselp.b32 %r6, ";
  expect_only(FaultKind::member_mask,
              own + "0x0000ffff, 0xffffffff, %p;\nvote.sync.ballot.b32 %r5, %q, %r6;", {32},
              "which executes it with mask 0x0000ffff");
  // Two tiles of a warp, side by side.
  expect_none(own + "0x0000ffff, 0xffff0000, %p;\nvote.sync.ballot.b32 %r5, %q, %r6;", {32});
}

TEST(SyncMask, TilesOfAWarpEachHaveTheirVote) {
  Emulated emulated(kernel_text(
      "setp.lt.u32 %p, %r2, 16;\nselp.b32 %r6, 0x0000ffff, 0xffff0000, %p;\nand.b32 %r7, %r2, 1;\n"
      "setp.eq.u32 %q, %r7, 0;\nvote.sync.ballot.b32 %r5, %q, %r6;\nadd.u64 %l4, %l1, %l3;\n"
      "st.global.u32 [%l4], %r5;"));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(32));
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, to, to).faults.empty());
  const auto found = emulated.read<std::uint32_t>(to, 32);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(found[i], i < 16 ? 0x5555U : 0x55550000U);
}

TEST(SyncMask, LanesThatMeetFromDifferentPlaces) {
  expect_none(
      "setp.ge.u32 %p, %r2, 16;\n@%p bra HIGH;\nbar.warp.sync 0xffffffff;\nbra.uni END;\nHIGH:\n"
      "bar.warp.sync 0xffffffff;\nEND:",
      {32});
}

}  // namespace sync_check_tests
}  // namespace warpwise
