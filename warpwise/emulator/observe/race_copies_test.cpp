// The race check of bulk copies and of products by warpgroups, which end some time after their
// start. tests/emulator/faults/copies.cu tests copies by cp.async.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"

namespace warpwise {
namespace race_copies_tests {

using emulator::Address;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Runs a body with an mbarrier at %r6, 4 KiB of shared memory at %r5, the thread's word of it at
/// %r7, and %p true only in thread 0.
LaunchResult run(const std::string& body, std::uint32_t threads = 128) {
  Emulated emulated(
      test::kernel_text("mov.u32 %r5, space;\nmov.u32 %r6, object;\nsetp.eq.u32 %p, %r1, 0;\n"
                        "shl.b32 %r7, %r1, 2;\nadd.u32 %r7, %r7, %r5;\n"
                        "@%p mbarrier.init.shared::cta.b64 [%r6], 1;\nbar.sync 0;\n" +
                            body,
                        ".shared .align 1024 .b8 space[4096];\n.shared .align 8 .b64 object;"));
  emulated.options.checks = {emulator::Check::races};
  const Address words = emulated.buffer(std::vector<std::uint32_t>(1024, 7), "words");
  const Address out = emulated.buffer(std::vector<std::uint32_t>(1024), "out");
  return emulated.launch("hand", {1}, {threads}, words, out);
}

void expect_clean(const std::string& body) {
  for (const Fault& fault : run(body).faults) ADD_FAILURE() << body << "\n" << fault.message;
}

void expect_race(const std::string& body, const std::string& message) {
  const LaunchResult result = run(body);
  ASSERT_FALSE(result.faults.empty()) << body;
  for (const Fault& fault : result.faults) {
    EXPECT_EQ(fault.kind, FaultKind::race);
    EXPECT_NE(fault.message.find(message), std::string::npos) << body << "\n" << fault.message;
  }
}

// Thread 0 copies 512 bytes to shared memory.
const std::string bring =
    "@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 512;\n"
    "@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%l1], 512, "
    "[%r6];\n";
// Thread 0 copies 512 bytes to global memory.
const std::string store =
    "@%p cp.async.bulk.global.shared::cta.bulk_group [%l2], [%r5], 512;\n"
    "@%p cp.async.bulk.commit_group;\n";
const std::string stored_read = "@%p cp.async.bulk.wait_group.read 0;\n";
const std::string stored = "@%p cp.async.bulk.wait_group 0;\n";
const std::string read_own = "ld.shared.u32 %r8, [%r7];\n";
const std::string others_write = "@!%p st.shared.u32 [%r7], %r1;\n";
const std::string meet = "bar.sync 0;\n";

const std::string wait =
    "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %q, [%r6], 0;\n@!%q bra AGAIN;\n";

TEST(RacesOfCopies, TheThreadThatStartsOneReadsIt) {
  const std::string read = "@%p ld.shared.u32 %r8, [%r5+500];\n";
  expect_race(bring + read,
              "read of byte 1524 of shared memory, which a copy of the thread itself writes at "
              "hand.cu:7, and nothing has waited for its end");
  expect_clean(bring + wait + read);
}

TEST(RacesOfCopies, OtherThreadsReadIt) {
  expect_race(bring + meet + read_own, "which a copy of the thread itself writes");
  expect_clean(bring + wait + read_own);
}

// Only one warp waits at the mbarrier. The other warps then meet it at a barrier.
TEST(RacesOfCopies, OneWarpWaitsForAll) {
  const std::string last = "setp.ne.u32 %q, %r3, 3;\n@%q bra ON;\n" + wait + "ON:\n";
  expect_race(bring + last + read_own, "which a copy of the thread itself writes");
  expect_clean(bring + last + meet + read_own);
}

TEST(RacesOfCopies, WhatACopyReadsIsWrittenOver) {
  const std::string write = "@%p st.shared.u32 [%r5+256], %r1;\n";
  expect_race(store + write, "which a copy of the thread itself reads at");
  expect_clean(store + stored_read + write);
  expect_race(store + meet + others_write, "which a copy of thread (0,0,0) reads at");
  expect_clean(store + stored_read + meet + others_write);
}

// A copy belongs to a group of the thread that starts it.
TEST(RacesOfCopies, AnotherThreadWaits) {
  expect_race(store + "@!%p cp.async.bulk.wait_group.read 0;\n" + meet + others_write,
              "which a copy of thread (0,0,0) reads at");
}

TEST(RacesOfCopies, WhatACopyWritesIsRead) {
  const std::string read = "@%p ld.global.u32 %r8, [%l2+8];\n";
  expect_race(store + stored_read + read, "which a copy of the thread itself writes at");
  expect_clean(store + stored + read);
}

TEST(RacesOfCopies, TwoWriteThePlace) {
  const std::string second =
      "@%p cp.async.bulk.global.shared::cta.bulk_group [%l2+496], [%r5+512], 16;\n";
  const std::string differ = "st.shared.u32 [%r7], %r1;\nst.shared.u32 [%r7+512], %r7;\n" + meet;
  expect_race(differ + store + second, "write of byte 496 of out");
  expect_clean(differ + store + stored + second);
}

const std::string product =
    "mov.b64 %l5, 0;\nwgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %l5, %l5, 0, 1, 1, 0, "
    "0;\nwgmma.commit_group.sync.aligned;\n";

TEST(RacesOfProducts, WhatOneReadsIsWrittenOver) {
  const std::string write = "mov.u32 %r5, 0;\n@%p st.shared.u32 [%r5], %r1;\n";
  expect_race(product + write, "which a product of warp 0 reads at");
  expect_race(product + "wgmma.wait_group.sync.aligned 1;\n" + write, "a product of warp 0");
  expect_clean(product + "wgmma.wait_group.sync.aligned 0;\n" + write);
  expect_clean(product + product + "wgmma.wait_group.sync.aligned 0;\n" + write);
}

// All four warps have waited. A thread of the last one writes.
TEST(RacesOfProducts, AnyOfItsWarpsKnowsThatItHasEnded) {
  const std::string write = "mov.u32 %r5, 0;\n@%q st.shared.u32 [%r5], %r1;\n";
  expect_clean(product + "wgmma.wait_group.sync.aligned 0;\nsetp.eq.u32 %q, %r1, 96;\n" + write);
}

}  // namespace race_copies_tests
}  // namespace warpwise
