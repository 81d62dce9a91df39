// Clusters of blocks: their barrier, their shared memory, and errors in the use of them.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace cluster_tests {

using emulator::Address;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;
using test::kernel_text;

constexpr std::uint32_t blocks = 4;
constexpr std::uint32_t threads = 64;

struct Ran {
  std::vector<std::uint32_t> words;
  LaunchResult result;
};

// Runs two clusters of four blocks with all checks.
Ran run(const std::string& body, emulator::Checks checks = emulator::Checks::all()) {
  Emulated emulated(kernel_text(body));
  emulated.options.checks = checks;
  emulated.options.cluster = emulator::Dim3{blocks};
  const Address words = emulated.buffer(std::vector<std::uint32_t>(2 * blocks * threads), "words");
  LaunchResult result = emulated.launch("hand", {2 * blocks}, {threads}, words, words);
  return {emulated.read<std::uint32_t>(words, 2 * blocks * threads), std::move(result)};
}

std::vector<FaultKind> kinds(const Ran& ran) {
  std::vector<FaultKind> kinds;
  for (const Fault& fault : ran.result.faults) kinds.push_back(fault.kind);
  return kinds;
}

std::string message(const Ran& ran) {
  return ran.result.faults.empty() ? "" : ran.result.faults.front().message;
}

const std::string sync = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

// Loads the rank into %r5, the address of the thread's word into %l4, the next rank into %r6.
const std::string begin =
    "mov.u32 %r5, %cluster_ctarank;\nadd.u32 %r6, %r5, 1;\nand.b32 %r6, %r6, 3;\n"
    "mad.lo.u32 %r7, %r4, 64, %r1;\nmul.wide.u32 %l4, %r7, 4;\nadd.u64 %l4, %l1, %l4;\n"
    "mov.u32 %r8, tile;\nmapa.shared::cluster.u32 %r9, %r8, %r6;\n";

// One thread writes its block's number. The block with the rank before reads the number.
std::string passed_on(const std::string& between, const std::string& end = sync) {
  return begin + "setp.eq.u32 %p, %r1, 0;\n@%p st.shared.u32 [%r8], %r4;\n" + between +
         "ld.shared::cluster.u32 %r10, [%r9];\nst.global.u32 [%l4], %r10;\n" + end;
}

TEST(Clusters, BarriersOrderSharedMemory) {
  const Ran ran = run(passed_on(sync));
  EXPECT_EQ(message(ran), "");
  for (std::uint32_t i = 0; i < ran.words.size(); ++i) {
    const std::uint32_t block = i / threads;
    EXPECT_EQ(ran.words[i], block / blocks * blocks + (block + 1) % blocks);
  }
}

// Each bit is the result of an isspacep. Bits 0 and 1 ask whether the next block's memory is
// .shared or .shared::cluster. Bits 2 and 3 ask this of the own block's address in the cluster.
TEST(Clusters, OnlyTheOwnMemoryIsInABlocksSpace) {
  const auto test = [](const std::string& space, const std::string& address, int bit) {
    return "isspacep." + space + " %p, " + address + ";\nselp.u32 %r11, " +
           std::to_string(1 << bit) + ", 0, %p;\nor.b32 %r12, %r12, %r11;\n";
  };
  const Ran ran = run(begin +
                      "cvta.shared.u64 %l5, tile;\nmapa.u64 %l6, %l5, %r6;\n"
                      "mapa.u64 %l7, %l5, %r5;\nmov.u32 %r12, 0;\n" +
                      test("shared", "%l6", 0) + test("shared::cluster", "%l6", 1) +
                      test("shared::cta", "%l7", 2) + test("shared::cluster", "%l7", 3) +
                      "st.global.u32 [%l4], %r12;\n");
  EXPECT_EQ(message(ran), "");
  for (const std::uint32_t word : ran.words) EXPECT_EQ(word, 0b1110U);
}

TEST(Clusters, AMissingBarrierIsARace) {
  const Ran ran = run(passed_on("bar.sync 0;\n"));
  ASSERT_EQ(kinds(ran), std::vector{FaultKind::race});
  EXPECT_NE(message(ran).find("of shared memory of block"), std::string::npos) << message(ran);
}

TEST(Clusters, ARelaxedArrivalOrdersNothing) {
  const Ran ran = run(passed_on("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n"));
  EXPECT_EQ(kinds(ran), std::vector{FaultKind::race});
}

TEST(Clusters, BarriersOrderGlobalMemory) {
  const std::string body =
      begin +
      "st.global.u32 [%l4], %r4;\n%SYNC%"
      "sub.u32 %r11, %r4, %r5;\nadd.u32 %r11, %r11, %r6;\nmad.lo.u32 %r7, %r11, 64, %r1;\n"
      "mul.wide.u32 %l5, %r7, 4;\nadd.u64 %l5, %l1, %l5;\nld.global.u32 %r12, [%l5];\n";
  const auto with = [&](const std::string& between) {
    std::string text = body;
    return text.replace(text.find("%SYNC%"), 6, between);
  };
  EXPECT_EQ(message(run(with(sync))), "");
  EXPECT_EQ(kinds(run(with("bar.sync 0;\n"))), std::vector{FaultKind::race});
}

// One thread of block 1 and then one of block 0 take a lock, without a fence after taking it.
TEST(Clusters, BarriersSeparateTheSectionsOfALock) {
  const auto section = [](const std::string& block) {
    const std::string taken = "TAKE" + block;
    return "setp.ne.u32 %p, %r7, " + block + "*64;\n@%p bra LEFT" + block + ";\n" + taken +
           ":\natom.relaxed.gpu.global.cas.b32 %r11, [%l1+4], 0, 1;\n"
           "setp.ne.u32 %q, %r11, 0;\n@%q bra " +
           taken +
           ";\nst.global.u32 [%l1], %r4;\nmembar.gl;\n"
           "atom.relaxed.gpu.global.exch.b32 %r11, [%l1+4], 0;\nLEFT" +
           block + ":\n";
  };
  const emulator::Checks strict{emulator::Check::strict};
  EXPECT_EQ(kinds(run(begin + section("1") + section("0"), strict)), std::vector{FaultKind::race});
  EXPECT_EQ(message(run(begin + section("1") + sync + section("0"), strict)), "");
}

// A remote arrival at the next block's mbarrier orders the earlier store there.
TEST(Clusters, RemoteMbarriersOrder) {
  const std::string body = begin +
                           "setp.eq.u32 %p, %r1, 0;\n"
                           "@%p mbarrier.init.shared::cta.b64 [%r8+64], 1;\n" +
                           sync +
                           "@%p st.shared::cluster.u32 [%r9], %r4;\n"
                           "@%p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9+64];\n"
                           "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %q, [%r8+64], 0;\n"
                           "@!%q bra AGAIN;\nld.shared.u32 %r10, [%r8];\n"
                           "st.global.u32 [%l4], %r10;\n" +
                           sync;
  const Ran ran = run(body);
  EXPECT_EQ(message(ran), "");
  for (std::uint32_t i = 0; i < ran.words.size(); ++i) {
    const std::uint32_t block = i / threads;
    EXPECT_EQ(ran.words[i], block / blocks * blocks + (block + blocks - 1) % blocks);
  }
}

TEST(Clusters, ABlockThatHasExited) {
  // Block 0 exits after one barrier. The others read its memory later.
  const std::string body = begin + sync +
                           "setp.eq.u32 %p, %r5, 0;\n@%p exit;\n"
                           "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                           "mov.u32 %r11, 0;\nmapa.shared::cluster.u32 %r9, %r8, %r11;\n"
                           "ld.shared::cluster.u32 %r10, [%r9];\n";
  const Ran ran = run(body);
  ASSERT_EQ(kinds(ran), std::vector{FaultKind::out_of_bounds});
  EXPECT_NE(message(ran).find("which has exited"), std::string::npos) << message(ran);
}

TEST(Clusters, ARankBeyondTheCluster) {
  const Ran ran = run(begin +
                      "mov.u32 %r11, 4;\nmapa.shared::cluster.u32 %r9, %r8, %r11;\n"
                      "st.shared::cluster.u32 [%r9], %r10;\n" +
                      sync);
  ASSERT_EQ(kinds(ran), std::vector{FaultKind::out_of_bounds});
  EXPECT_NE(message(ran).find("block 4 of a cluster of 4"), std::string::npos) << message(ran);
}

TEST(Clusters, BarriersThatDoNotPair) {
  EXPECT_EQ(kinds(run("barrier.cluster.wait;\n" + sync)), std::vector{FaultKind::barrier});
  // A thread's second arrival does not count, so the phase still waits for every thread.
  EXPECT_EQ(kinds(run("barrier.cluster.arrive;\n" + sync)), std::vector{FaultKind::barrier});
}

TEST(Clusters, Deadlock) {
  // A block of 64 threads waits at its own barrier for 96 threads. The other blocks wait at the
  // cluster's barrier.
  const Ran ran = run(begin + "setp.eq.u32 %p, %r5, 2;\n@%p bar.sync 1, 96;\n" + sync);
  ASSERT_FALSE(ran.result.faults.empty());
  for (const FaultKind kind : kinds(ran)) EXPECT_EQ(kind, FaultKind::deadlock);
  EXPECT_NE(message(ran).find("the cluster's barrier, which needs 256"), std::string::npos)
      << message(ran);
}

TEST(Clusters, Livelock) {
  // One block polls a word that is never written, and the others wait for it.
  const Ran ran = run(begin +
                      "setp.eq.u32 %p, %r5, 2;\n@!%p bra DONE;\nAGAIN:\n"
                      "ld.volatile.global.u32 %r10, [%l1];\nsetp.eq.u32 %q, %r10, 0;\n"
                      "@%q bra AGAIN;\nDONE:\n" +
                      sync);
  ASSERT_FALSE(ran.result.faults.empty());
  for (const FaultKind kind : kinds(ran)) EXPECT_EQ(kind, FaultKind::livelock);
}

TEST(Clusters, ALaunchOfTheWrongSize) {
  Emulated emulated(kernel_text(""));
  const auto launch = [&](emulator::Dim3 grid, emulator::Dim3 cluster) {
    emulated.options.cluster = cluster;
    emulated.launch("hand", grid, {1}, Address{0}, Address{0});
  };
  EXPECT_THROW(launch({6}, {4}), InvalidArgument);
  EXPECT_THROW(launch({17}, {17}), InvalidArgument);
  EXPECT_THROW(launch({4}, {0}), InvalidArgument);
  EXPECT_NO_THROW(launch({16, 2}, {8, 2}));
}

TEST(Clusters, WhatAKernelWasCompiledFor) {
  Emulated emulated(
      ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry hand() .explicitcluster "
      ".reqnctapercluster 2, 2\n{\nret;\n}\n.visible .entry open() .explicitcluster\n{\nret;\n}\n");
  EXPECT_EQ(emulated.program.kernel("hand").required_cluster, (std::vector{2, 2}));
  EXPECT_TRUE(emulated.program.kernel("hand").needs_cluster);
  EXPECT_NO_THROW(emulated.launch("hand", {2, 2}, {1}));
  EXPECT_THROW(emulated.launch("hand", {2, 1}, {1}), InvalidArgument);
  EXPECT_THROW(emulated.launch("open", {2, 2}, {1}), InvalidArgument);
  emulated.options.cluster = emulator::Dim3{2};
  EXPECT_THROW(emulated.launch("hand", {2, 2}, {1}), InvalidArgument);
  EXPECT_NO_THROW(emulated.launch("open", {2, 2}, {1}));
}

}  // namespace cluster_tests
}  // namespace warpwise
