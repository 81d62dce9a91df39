// Kernels with errors, and the faults' texts; and correct kernels that only look wrong.

#include <gtest/gtest.h>

#include <ctime>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "support/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise {
namespace faults_tests {

using emulator::Address;
using emulator::Checks;
using emulator::Dim3;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;
using test::kernel_text;

/// Returns the only fault of a launch.
Fault only_fault(const LaunchResult& result) {
  EXPECT_EQ(result.faults.size(), 1U);
  for (const Fault& fault : result.faults) {
    EXPECT_EQ(fault.file, "hand.cu");
    EXPECT_EQ(fault.line, 7) << fault.message;
  }
  return result.faults.empty() ? Fault{} : result.faults.front();
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(Faults, HaveNames) {
  EXPECT_TRUE(test::names_each_enumerator<FaultKind>());
  EXPECT_TRUE(test::names_each_enumerator<emulator::AccessKind>());
  EXPECT_TRUE(test::names_each_enumerator<emulator::Space>());
}

TEST(Faults, GlobalOutOfBounds) {
  for (const bool is_load : {true, false}) {
    Emulated emulated(
        kernel_text(std::string("mov.u32 %r5, 0;\nadd.u64 %l4, %l1, %l3;\n") +
                    (is_load ? "ld.global.u32 %r5, [%l4];\n" : "st.global.u32 [%l4], 5;\n") +
                    ".loc 1 8 0\nadd.u64 %l5, %l2, %l3;\nst.global.u32 [%l5], %r5;"));
    const Address first = emulated.buffer(std::vector<std::uint32_t>(40, 6), "argument 0");
    const Address second = emulated.buffer(std::vector<std::uint32_t>(64, 9));
    const Fault fault = only_fault(emulated.launch("hand", {2}, {64}, first, second));
    EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
    EXPECT_EQ(fault.count, 2U * 24);
    EXPECT_EQ(fault.thread, (Dim3{40, 0, 0}));
    EXPECT_EQ(fault.block, (Dim3{0, 0, 0}));
    expect_contains(fault.message, is_load ? "global read of 4 bytes" : "global write of 4 bytes");
    expect_contains(fault.message, "0 bytes past the end of argument 0 of 160 bytes");
    // The kernel went on; a faulting load gives 0.
    std::vector<std::uint32_t> expected(64, 0);
    if (is_load) std::fill_n(expected.begin(), 40, 6);
    EXPECT_EQ(emulated.read<std::uint32_t>(second, 64), expected);
    if (!is_load) {
      EXPECT_EQ(emulated.read<std::uint32_t>(first, 40), std::vector<std::uint32_t>(40, 5));
    }
  }
}

// One buffer of the host may lie directly beside another.
TEST(Faults, NamesTheMemoryThatHoldsAnAddress) {
  alignas(64) static std::byte host[192];
  emulator::Device device;
  device.show(host, 64, "the first");
  device.show(host + 64, 64, "the second");
  const auto at = [&](std::uint64_t offset) {
    return device.describe(reinterpret_cast<Address>(host) + offset);
  };
  EXPECT_EQ(at(20), "byte 20 of the first of 64 bytes");
  EXPECT_EQ(at(64), "byte 0 of the second of 64 bytes");
  EXPECT_EQ(at(130), "2 bytes past the end of the second of 64 bytes");
  EXPECT_EQ(device.describe(reinterpret_cast<Address>(host) - 2),
            "2 bytes before the first of 64 bytes");
  device.hide(host, 64);
  EXPECT_EQ(at(20), "44 bytes before the second of 64 bytes");
}

TEST(Faults, VectorAcrossTheEnd) {
  Emulated emulated(kernel_text("ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%l1+16];"));
  const Fault fault = only_fault(
      emulated.launch("hand", {1}, {1}, emulated.buffer(std::vector<int>(7)), Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  expect_contains(fault.message, "16 bytes");
}

TEST(Faults, NullPointer) {
  Emulated emulated(kernel_text("ld.global.u32 %r5, [%l1];"));
  const Fault fault = only_fault(emulated.launch("hand", {1}, {32}, Address{0}, Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.count, 32U);
  expect_contains(fault.message, "a null pointer");
  Emulated generic(kernel_text("st.u32 [%l1+8], 3;"));
  expect_contains(only_fault(generic.launch("hand", {1}, {32}, Address{0}, Address{0})).message,
                  "a null pointer");
}

TEST(Faults, FreedMemory) {
  Emulated emulated(kernel_text("ld.global.u32 %r5, [%l1];"));
  const Address freed = emulated.buffer(std::vector<int>(4));
  emulated.device.free(freed, "its owner");
  const Fault fault = only_fault(emulated.launch("hand", {1}, {1}, freed, Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::use_after_free);
  expect_contains(fault.message, "byte 0 of a buffer of 16 bytes, which was freed by its owner");
  EXPECT_THROW(emulated.device.free(freed), InvalidArgument);
  // An access past the end of the freed buffer is out of bounds.
  Emulated behind(kernel_text("ld.global.u32 %r5, [%l1+16];"));
  const Address other = behind.buffer(std::vector<int>(4));
  behind.device.free(other);
  EXPECT_EQ(only_fault(behind.launch("hand", {1}, {1}, other, Address{0})).kind,
            FaultKind::out_of_bounds);
}

TEST(Faults, Misaligned) {
  Emulated emulated(kernel_text("add.u64 %l4, %l1, %l3;\nld.global.u64 %l5, [%l4];\n"));
  const Fault fault = only_fault(
      emulated.launch("hand", {1}, {4}, emulated.buffer(std::vector<int>(64)), Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::misaligned);
  EXPECT_EQ(fault.count, 2U);
  EXPECT_EQ(fault.thread.x, 1U);
  expect_contains(fault.message, "4 past a multiple of 8");
}

TEST(Faults, SharedAndLocalOutOfBounds) {
  Emulated shared(
      kernel_text("mov.u64 %l4, tile;\nadd.u64 %l4, %l4, %l3;\nst.shared.u32 [%l4+4], %r1;"));
  Fault fault = only_fault(shared.launch("hand", {1}, {32}, Address{0}, Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.thread.x, 31U);
  expect_contains(fault.message,
                  "shared write of 4 bytes at 0 bytes past the end of the block's 128 bytes");
  Emulated local(
      kernel_text("mov.u64 %l4, own;\nadd.u64 %l4, %l4, %l3;\nld.local.u32 %r5, [%l4];"));
  fault = only_fault(local.launch("hand", {1}, {32}, Address{0}, Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(fault.thread.x, 4U);
  EXPECT_EQ(fault.count, 28U);
  expect_contains(fault.message,
                  "local read of 4 bytes at 0 bytes past the end of the thread's 16 bytes");
}

TEST(Faults, BetweenSharedVariables) {
  const std::string before =
      ".shared .align 4 .b8 other[64];\n.extern .shared .align 16 .b8 memory[];";
  const auto run = [&](const std::string& access, Checks checks) {
    Emulated emulated(
        kernel_text("mov.u64 %l4, tile;\nmov.u64 %l5, other;\nmov.u64 %l6, memory;\n"
                    "add.u64 %l7, %l4, %l3;\n" +
                        access,
                    before));
    emulated.options.checks = checks;
    emulated.dynamic_shared_bytes = 16;
    EXPECT_EQ(emulated.program.kernel("hand").static_shared_bytes, 192U);
    return emulated.launch("hand", {1}, {32}, Address{0}, Address{0});
  };
  // Each access lands in the next or the previous variable, if nothing is checked.
  const std::pair<const char*, const char*> outside[] = {
      {"st.shared.u32 [%l7+4], %r1;",
       "shared write of 4 bytes between two variables, behind 'tile'"},
      {"ld.shared.u32 %r5, [%l5+-4];",
       "shared read of 4 bytes between two variables, behind 'tile'"},
      {"ld.shared.u32 %r5, [%l5+64];", "behind 'other'"},
      {"ld.shared.u32 %r5, [%l6+-4];", "behind 'other'"}};
  for (const auto& [access, message] : outside) {
    expect_contains(only_fault(run(access, {emulator::Check::races})).message, message);
    EXPECT_TRUE(run(access, Checks()).faults.empty()) << access;
  }
  for (const std::string inside :
       {"st.shared.u32 [%l7], %r1;", "ld.shared.u32 %r5, [%l5];", "ld.shared.u32 %r5, [%l5+60];",
        "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%l6];"})
    EXPECT_TRUE(run(inside, {emulator::Check::races}).faults.empty()) << inside;
}

// A block reaches the variables of each block of its cluster, including its own, by a rank.
TEST(Faults, BetweenSharedVariablesOfTheCluster) {
  const std::string before = ".shared .align 4 .b8 other[64];\n";
  const auto run = [&](const std::string& rank, const std::string& access, Checks checks) {
    const std::string sync = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    Emulated emulated(kernel_text(
        "mov.u32 %r5, %cluster_ctarank;\nxor.b32 %r5, %r5, " + rank +
            ";\nmov.u64 %l4, tile;\nmov.u64 %l5, other;\n"
            "mapa.shared::cluster.u64 %l6, %l4, %r5;\nmapa.shared::cluster.u64 %l7, %l5, %r5;\n"
            "add.u64 %l6, %l6, %l3;\n" +
            sync + access + "\n" + sync,
        before));
    emulated.options.checks = checks;
    emulated.options.cluster = Dim3{2};
    return emulated.launch("hand", {2}, {32}, Address{0}, Address{0});
  };
  for (const std::string rank : {"0", "1"}) {
    for (const emulator::Check check : {emulator::Check::races, emulator::Check::strict}) {
      const Fault fault = only_fault(run(rank, "st.shared::cluster.u32 [%l6+4], %r1;", {check}));
      EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
      EXPECT_EQ(fault.thread.x, 31U);
      EXPECT_EQ(fault.count, 2U);
      expect_contains(fault.message,
                      "shared write of 4 bytes between two variables, behind 'tile'");
      expect_contains(
          only_fault(run(rank, "ld.shared::cluster.u32 %r6, [%l7+-4];", {check})).message,
          "shared read of 4 bytes between two variables, behind 'tile'");
      for (const std::string inside :
           {"st.shared::cluster.u32 [%l6], %r1;", "ld.shared::cluster.u32 %r6, [%l7+60];"})
        EXPECT_TRUE(run(rank, inside, {check}).faults.empty()) << inside;
    }
    EXPECT_TRUE(run(rank, "st.shared::cluster.u32 [%l6+4], %r1;", Checks()).faults.empty());
  }
}

// Gaps that the emulator leaves between shared variables change no message and no alignment.
TEST(Faults, GapsKeepAlignmentAndBytes) {
  Emulated emulated(
      kernel_text("mov.u64 %l4, tile;\nmov.u64 %l5, odd;\nmov.u64 %l6, swizzled;\n"
                  "st.global.u64 [%l1], %l5;\nst.global.u64 [%l1+8], %l6;\n"
                  ".loc 1 7 0\nadd.u64 %l7, %l5, %l3;\nand.b32 %r5, %r1, 32;\n"
                  "setp.ne.u32 %p, %r5, 0;\n@%p sub.u64 %l7, %l7, 128;\n"
                  "st.shared.u32 [%l7+8], %r1;",
                  ".shared .align 4 .b8 odd[140];\n"
                  ".shared .align 1024 .b8 swizzled[64];"));
  emulated.options.checks = {emulator::Check::races};
  const Address to = emulated.buffer(std::vector<std::uint64_t>(2));
  const Fault fault = only_fault(emulated.launch("hand", {1}, {64}, to, Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::race);
  expect_contains(fault.message, "byte 136 of shared memory");
  const auto places = emulated.read<std::uint64_t>(to, 2);
  EXPECT_EQ(places[0] % 128, 0U);
  EXPECT_GT(places[0], 128U);
  EXPECT_EQ(places[1] % 1024, 0U);
  EXPECT_EQ(emulated.program.kernel("hand").static_shared_bytes, 1088U);
}

// NVVM may load a whole vector even if the kernel needs only some of its elements.
TEST(Faults, VectorPastTheEndOfSharedMemory) {
  const std::string before = ".extern .shared .align 16 .b8 memory[];";
  const auto text = [](const std::string& load, const std::string& read) {
    return "mov.u64 %l4, memory;\nst.shared.v2.u32 [%l4+16], {%r1, %r1};\n"
           "st.shared.u32 [%l4+24], %r1;\n" +
           load + " {%r5, %r6, %r7, %r8}, [%l4+16];\nst.global.v2.u32 [%l1], {%r7, " + read + "};";
  };
  for (const Checks checks : {Checks(), Checks::all()}) {
    for (const std::string load : {"ld.shared.v4.u32", "ld.volatile.shared.v4.u32", "ld.v4.u32"}) {
      const std::string cast = load == "ld.v4.u32" ? "cvta.shared.u64 %l4, %l4;\n" : "";
      const auto run = [&](const std::string& read) {
        Emulated emulated(kernel_text(text(cast + load, read), before));
        emulated.options.checks = checks;
        emulated.dynamic_shared_bytes = 28;
        return emulated.launch("hand", {1}, {1}, emulated.buffer(std::vector<int>(2)), Address{0});
      };
      EXPECT_TRUE(run("%r6").faults.empty()) << load;
      const Fault fault = only_fault(run("%r8"));
      EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
      expect_contains(fault.message,
                      "shared read of 16 bytes at byte 144 of the block's 156 bytes");
    }
  }
}

// All blocks share one copy of the parameters, so a write to them is a fault and changes nothing.
TEST(Faults, WritesToTheParameters) {
  const std::string address = "mov.u64 %l4, first;\n";
  const std::string generic = address + "cvta.param.u64 %l4, %l4;\n";
  for (const auto& [body, what] : {std::pair{address + "st.param.u64 [%l4], 5;", "write"},
                                   std::pair{generic + "st.u64 [%l4], 5;", "write"},
                                   std::pair{generic + "atom.add.u64 %l5, [%l4], 5;", "atomic"}}) {
    Emulated emulated(kernel_text(body + "\n.loc 1 8 0\nld.param.u64 %l5, [first];\n"
                                         "setp.ne.u64 %p, %l5, 77;\n@%p trap;"));
    emulated.options.threads = 2;
    const Fault fault = only_fault(emulated.launch("hand", {4}, {64}, Address{77}, Address{0}));
    EXPECT_EQ(fault.kind, FaultKind::out_of_bounds);
    EXPECT_EQ(fault.count, 4U * 64);
    expect_contains(fault.message, std::string("parameter ") + what);
    expect_contains(fault.message, "of 8 bytes: a kernel's parameters are only read");
  }
  // A read of parameters through an address is no fault.
  Emulated reads(kernel_text(generic + "ld.u64 %l5, [%l4];\nst.global.u64 [%l1], %l5;"));
  const Address to = reads.buffer(std::vector<Address>(1));
  EXPECT_TRUE(reads.launch("hand", {1}, {1}, to, Address{0}).faults.empty());
  EXPECT_EQ(reads.read<Address>(to, 1)[0], to);
}

TEST(Faults, DynamicSharedOutOfBounds) {
  const std::string before = ".extern .shared .align 16 .b8 memory[];";
  Emulated emulated(kernel_text(
      "mov.u64 %l4, memory;\nadd.u64 %l4, %l4, %l3;\nst.shared.u32 [%l4], %r1;", before));
  emulated.dynamic_shared_bytes = 96;
  const Fault fault = only_fault(emulated.launch("hand", {1}, {32}, Address{0}, Address{0}));
  EXPECT_EQ(fault.thread.x, 24U);
  emulated.dynamic_shared_bytes = 128;
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, Address{0}, Address{0}).faults.empty());
}

TEST(Faults, Trap) {
  Emulated emulated(
      kernel_text("setp.eq.u32 %p, %r1, 33;\n@%p trap;\n.loc 1 8 0\nst.global.u32 [%l1], 5;"));
  const Fault fault = only_fault(
      emulated.launch("hand", {1}, {64}, emulated.buffer(std::vector<int>(1)), Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::trap);
  EXPECT_EQ(fault.thread.x, 33U);
}

TEST(Faults, Assertion) {
  const std::string before =
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
      ".param .b64 e);\n"
      ".global .align 1 .b8 text[9] = {120, 32, 60, 32, 49, 48, 48, 48, 0};\n";
  // Compilers put a trap behind the call, which never returns.
  for (const std::string behind : {"", "trap;\n"}) {
    Emulated emulated(
        kernel_text("setp.lt.u32 %p, %r1, 50;\n@%p bra FINE;\n{\n.param .b64 p0;\n.param .b64 "
                    "p1;\n.param .b32 p2;\n.param .b64 p3;\n"
                    ".param .b64 p4;\nmov.u64 %l5, text;\ncvta.global.u64 %l6, %l5;\nst.param.b64 "
                    "[p0], %l6;\nst.param.b64 [p1], %l6;\n"
                    "st.param.b32 [p2], 3;\nst.param.b64 [p3], %l6;\nst.param.b64 [p4], 1;\n"
                    "call.uni __assertfail, (p0, p1, p2, p3, p4);\n}\n" +
                        behind + "FINE:",
                    before));
    const Fault fault = only_fault(emulated.launch("hand", {1}, {64}, Address{0}, Address{0}));
    EXPECT_EQ(fault.kind, FaultKind::assertion);
    EXPECT_EQ(fault.thread.x, 50U);
    expect_contains(fault.message, "x < 1000");
  }
}

TEST(Faults, OneForEachLineAndKind) {
  Emulated emulated(kernel_text(
      "ld.global.u32 %r5, [%l1];\nld.global.u32 %r6, [%l1+4];\nld.global.u32 %r7, [%l1+2];"));
  emulated.options.threads = 2;
  const LaunchResult result = emulated.launch("hand", {3}, {64}, Address{0}, Address{0});
  ASSERT_EQ(result.faults.size(), 2U);
  EXPECT_EQ(result.faults[0].count, 2U * 3 * 64);
  EXPECT_EQ(result.faults[0].block, (Dim3{0, 0, 0}));
  EXPECT_EQ(result.faults[1].kind, FaultKind::misaligned);
  EXPECT_EQ(result.faults[1].count, 3U * 64);
}

TEST(Faults, IndicesOfThreeDimensions) {
  Emulated emulated(
      kernel_text("mov.u32 %r5, %tid.z;\nmov.u32 %r6, %ctaid.y;\nsetp.eq.u32 %p, %r5, 2;\n"
                  "setp.eq.u32 %q, %r6, 1;\nand.pred %p, %p, %q;\n@%p ld.global.u32 %r7, [%l1];"));
  const Fault fault =
      only_fault(emulated.launch("hand", {2, 3, 2}, {3, 5, 4}, Address{0}, Address{0}));
  EXPECT_EQ(fault.thread, (Dim3{0, 0, 2}));
  EXPECT_EQ(fault.block, (Dim3{0, 1, 0}));
  EXPECT_EQ(fault.count, 15U * 2 * 2);
}

// ---- barriers

TEST(Barriers, WarpsThatNeverComeAreADeadlock) {
  // The second warp waits at a barrier of 64 threads. No other thread arrives there.
  Emulated emulated(kernel_text("setp.eq.u32 %p, %r3, 1;\n@%p bar.sync 1, 64;"));
  const Fault fault = only_fault(emulated.launch("hand", {1}, {64}, Address{0}, Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::deadlock);
  expect_contains(fault.message, "32 threads wait at barrier 1, which needs 64;");
}

TEST(Barriers, TwoBarriersThatWaitForEachOther) {
  Emulated emulated(
      kernel_text("setp.eq.u32 %p, %r3, 0;\n@%p bra OTHER;\nbar.sync 0;\nbra.uni END;\nOTHER:\n"
                  "bar.sync 1;\nEND:"));
  const Fault fault = only_fault(emulated.launch("hand", {1}, {64}, Address{0}, Address{0}));
  EXPECT_EQ(fault.kind, FaultKind::deadlock);
  EXPECT_EQ(fault.count, 2U);
}

TEST(Barriers, ThreadsThatHaveReturnedAreNotWaitedFor) {
  for (const std::uint32_t threads : {1U, 31U, 33U, 64U, 1024U}) {
    // Odd lanes and all of warp 1 return before the barrier.
    Emulated emulated(
        kernel_text("and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p, %r5, 1;\nsetp.eq.u32 %q, %r3, "
                    "1;\nor.pred %p, %p, %q;\n"
                    "@%p ret;\nbar.sync 0;\natom.global.add.u32 %r6, [%l1], 1;"));
    const Address counter = emulated.buffer(std::vector<std::uint32_t>(1));
    const LaunchResult result = emulated.launch("hand", {2}, {threads}, counter, Address{0});
    EXPECT_TRUE(result.faults.empty()) << threads;
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < threads; ++i) expected += i % 2 == 0 && i / 32 != 1 ? 2 : 0;
    EXPECT_EQ(emulated.read<std::uint32_t>(counter, 1)[0], expected);
  }
}

TEST(Barriers, Reductions) {
  Emulated emulated(kernel_text(
      "rem.u32 %r5, %r1, 3;\nsetp.eq.u32 %p, %r5, 0;\nbar.red.popc.u32 %r6, 0, %p;\n"
      "bar.red.and.pred %q, 0, %p;\nselp.b32 %r7, 1000, 0, %q;\nbar.red.or.pred %q, 0, %p;\n"
      "selp.b32 %r8, 2000, 0, %q;\nadd.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r6, %r8;\nadd.u64 %l4, "
      "%l1, %l3;\n"
      "st.global.u32 [%l4], %r6;"));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(100));
  EXPECT_TRUE(emulated.launch("hand", {1}, {100}, to, Address{0}).faults.empty());
  EXPECT_EQ(emulated.read<std::uint32_t>(to, 100), std::vector<std::uint32_t>(100, 2034));
}

/// One warp writes, and arrives at a barrier without waiting. The other warp waits there and reads.
TEST(Barriers, ArriveAndSync) {
  Emulated emulated(kernel_text(
      "setp.eq.u32 %p, %r3, 0;\n@%p bra PRODUCE;\nbar.sync 2, 64;\nmov.u64 %l4, tile;\n"
      "mul.wide.u32 %l5, %r2, 4;\nadd.u64 %l4, %l4, %l5;\nld.shared.u32 %r5, [%l4];\nadd.u64 %l6, "
      "%l1, %l5;\n"
      "st.global.u32 [%l6], %r5;\nret;\nPRODUCE:\nmov.u64 %l4, tile;\nadd.u64 %l4, %l4, %l3;\n"
      "add.u32 %r5, %r1, 7;\nst.shared.u32 [%l4], %r5;\nbar.arrive 2, 64;"));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(32));
  EXPECT_TRUE(emulated.launch("hand", {1}, {64}, to, Address{0}).faults.empty());
  const auto found = emulated.read<std::uint32_t>(to, 32);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(found[i], i + 7);
}

// ---- loops and spins

TEST(Progress, BudgetEndsAnEndlessLoop) {
  for (const char* loop : {"LOOP:\nadd.u32 %r5, %r5, 1;\nbra.uni LOOP;",
                           "LOOP:\nld.volatile.global.u32 %r5, [%l1];\nadd.u32 %r6, %r6, 1;\n"
                           "setp.eq.u32 %p, %r5, 0;\n@%p bra LOOP;"}) {
    for (const int threads : {1, 2}) {
      Emulated emulated(kernel_text(loop));
      emulated.options.budget = 5'000'000;
      emulated.options.threads = threads;
      const std::clock_t begin = std::clock();  // CPU time: other programs may run too
      const Fault fault = only_fault(
          emulated.launch("hand", {4}, {64}, emulated.buffer(std::vector<int>(1)), Address{0}));
      EXPECT_EQ(fault.kind, FaultKind::budget);
      expect_contains(fault.message, "5000000");
      EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC);
    }
  }
}

TEST(Progress, BudgetThatSuffices) {
  Emulated emulated(kernel_text("st.global.u32 [%l1], 5;"));
  emulated.options.budget = 1000;
  EXPECT_TRUE(emulated.launch("hand", {4}, {64}, emulated.buffer(std::vector<int>(1)), Address{0})
                  .faults.empty());
}

/// Spins until a word is not 0 any more.
const char* const spin =
    "SPIN:\nld.volatile.global.u32 %r5, [%l1];\nsetp.eq.u32 %p, %r5, 0;\n@%p bra SPIN;\nbra.uni "
    "END;\n"
    "SET:\nst.volatile.global.u32 [%l1], 1;\nEND:\natom.global.add.u32 %r6, [%l2], 1;";

void expect_all_end(const std::string& condition, Dim3 grid, Dim3 block) {
  for (const int threads : {1, 2}) {
    Emulated emulated(kernel_text(condition + spin));
    emulated.options.threads = threads;
    emulated.options.budget = 50'000'000;
    const Address flag = emulated.buffer(std::vector<std::uint32_t>(1));
    const Address ended = emulated.buffer(std::vector<std::uint32_t>(1));
    const LaunchResult result = emulated.launch("hand", grid, block, flag, ended);
    for (const Fault& fault : result.faults) ADD_FAILURE() << condition << fault.message;
    EXPECT_EQ(emulated.read<std::uint32_t>(ended, 1)[0], grid.count() * block.count());
  }
}

TEST(Progress, SpinWithinAWarp) {
  expect_all_end("setp.eq.u32 %p, %r2, 31;\n@%p bra SET;\n", {1}, {32});
  expect_all_end("setp.eq.u32 %p, %r2, 0;\n@%p bra SET;\n", {1}, {32});
}
TEST(Progress, SpinBetweenWarps) {
  expect_all_end("setp.eq.u32 %p, %r1, 1023;\n@%p bra SET;\n", {1}, {1024});
  expect_all_end("setp.eq.u32 %p, %r1, 0;\n@%p bra SET;\n", {1}, {1024});
}
TEST(Progress, SpinBetweenBlocks) {
  for (const std::string block : {"0", "1", "39"}) {
    expect_all_end("setp.eq.u32 %p, %r4, " + block +
                       ";\nsetp.eq.u32 %q, %r1, 33;\nand.pred %p, %p, %q;\n@%p bra SET;\n",
                   {40}, {64});
  }
}

// ---- shapes

TEST(Shapes, EveryThreadOnceWithItsIndex) {
  for (const Dim3 block : {Dim3{1, 1, 1}, Dim3{31, 1, 1}, Dim3{33, 1, 1}, Dim3{1024, 1, 1},
                           Dim3{1, 1, 64}, Dim3{5, 7, 3}}) {
    for (const Dim3 grid : {Dim3{1, 1, 1}, Dim3{3, 2, 5}}) {
      Emulated emulated(kernel_text(
          "mov.u32 %r5, %tid.y;\nmov.u32 %r6, %tid.z;\nmov.u32 %r7, %ntid.x;\nmov.u32 %r8, "
          "%ntid.y;\n"
          "mad.lo.u32 %r5, %r6, %r8, %r5;\nmad.lo.u32 %r5, %r5, %r7, %r1;\nmov.u32 %r6, %ntid.z;\n"
          "mul.lo.u32 %r7, %r7, %r8;\nmul.lo.u32 %r7, %r7, %r6;\nmov.u32 %r8, %ctaid.y;\nmov.u32 "
          "%r9, %ctaid.z;\n"
          "mov.u32 %r10, %nctaid.x;\nmov.u32 %r11, %nctaid.y;\nmad.lo.u32 %r8, %r9, %r11, %r8;\n"
          "mad.lo.u32 %r8, %r8, %r10, %r4;\nmad.lo.u32 %r5, %r8, %r7, %r5;\nmul.wide.u32 %l4, %r5, "
          "4;\n"
          "add.u64 %l4, %l1, %l4;\nadd.u32 %r5, %r5, 1;\nred.global.add.u32 [%l4], %r5;"));
      const std::size_t count = grid.count() * block.count();
      const Address to = emulated.buffer(std::vector<std::uint32_t>(count));
      EXPECT_TRUE(emulated.launch("hand", grid, block, to, Address{0}).faults.empty());
      const auto found = emulated.read<std::uint32_t>(to, count);
      for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(found[i], i + 1);
    }
  }
}

// ---- refused

template <class Error, class F>
void expect_refused(const F& f, const std::vector<std::string>& parts) {
  try {
    f();
    ADD_FAILURE() << "not refused: " << parts.front();
  } catch (const Error& error) {
    for (const std::string& part : parts) expect_contains(error.what(), part);
  }
}

TEST(Refused, Launches) {
  Emulated emulated(kernel_text(""));
  const auto launch = [&](Dim3 grid, Dim3 block) {
    emulated.launch("hand", grid, block, Address{0}, Address{0});
  };
  expect_refused<InvalidArgument>([&] { launch({1}, {2000}); }, {"2000x1x1", "1024"});
  expect_refused<InvalidArgument>([&] { launch({1}, {32, 33}); }, {"32x33x1"});
  expect_refused<InvalidArgument>([&] { launch({1}, {1, 1, 65}); }, {"1x1x65"});
  expect_refused<InvalidArgument>([&] { launch({1}, {0}); }, {"0x1x1"});
  expect_refused<InvalidArgument>([&] { launch({0}, {1}); }, {"0x1x1"});
  expect_refused<InvalidArgument>([&] { launch({1, 65536}, {1}); }, {"1x65536x1"});
  expect_refused<InvalidArgument>(
      [&] {
        emulated.program.launch(emulated.device, "hand", {1}, {1}, 0, std::vector<std::byte>(8));
      },
      {"16 bytes", "8"});
  expect_refused<InvalidArgument>([&] { emulated.launch("foot", {1}, {1}); }, {"'foot'", "hand"});
  emulated.dynamic_shared_bytes = 300'000;
  expect_refused<InvalidArgument>([&] { launch({1}, {1}); }, {"232448"});
  emulated.dynamic_shared_bytes = ~std::uint64_t{0};
  expect_refused<InvalidArgument>([&] { launch({1}, {1}); }, {"shared memory"});
}

TEST(Refused, Names) {
  const std::string entry = "{\nret;\n}\n";
  Emulated emulated(
      ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry _Z4sameIiEvv()\n" + entry +
      ".visible .entry _Z4sameIfEvv()\n" + entry + ".visible .entry _Z5otherv()\n" + entry);
  EXPECT_EQ(emulated.program.kernel("other").name, "_Z5otherv");
  EXPECT_EQ(emulated.program.kernel("_Z4sameIfEvv").name, "_Z4sameIfEvv");
  expect_refused<InvalidArgument>([&] { emulated.program.kernel("same"); },
                                  {"_Z4sameIiEvv", "_Z4sameIfEvv"});
  expect_refused<InvalidArgument>([&] { emulated.program.kernel(""); }, {"_Z5otherv"});
}

TEST(Refused, Instructions) {
  const auto expect = [&](const std::string& body, const std::vector<std::string>& parts) {
    expect_refused<Unsupported>([&] { Emulated(kernel_text(body)).program.kernel("hand"); }, parts);
  };
  expect(
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, %l1, %l2, "
      "%r5, 0, %p, 1, 1, 0, 0;",
      {"hand.cu:7", "wgmma.mma_async.sp"});
  expect(
      "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r5], "
      "[%l1, {%r6, %r6, %r6}], [%r7], {%h1};",
      {"hand.cu:7", "cp.async.bulk.tensor", "tiles"});
  expect("frobnicate.u32 %r5, %r6;", {"hand.cu:7", "frobnicate.u32"});
  expect("add.frob.u32 %r5, %r6, %r7;", {"hand.cu:7", "add.frob.u32"});
}

TEST(Refused, MalformedPtx) {
  const auto expect = [](const std::string& body, const std::string& part) {
    expect_refused<InvalidArgument>([&] { Emulated(kernel_text(body)).program.kernel("hand"); },
                                    {part});
  };
  expect("add.u32 %r5, %r6;", "operands");
  expect("add.u32 %r5, %r6, %nothing;", "%nothing");
  expect("add.u32 %r5, %r6, %l1;", "%l1");
  expect("bra NOWHERE;", "NOWHERE");
  expect("@%r1 add.u32 %r5, %r6, %r7;", "predicate");
  expect("ld.global.u32 %l1, %r5;", "address");
}

TEST(Refused, MemoryBeyondTheDevice) {
  emulator::Device device(1000);
  const Address address = device.allocate(900);
  expect_refused<OutOfMemory>([&] { device.allocate(200); }, {"100", "1000", "200"});
  expect_refused<OutOfMemory>([&] { device.allocate(~std::uint64_t{0}); },
                              {"18446744073709551615"});
  device.free(address);
  EXPECT_NE(device.allocate(1000), 0U);
  std::vector<std::byte> bytes(2);
  EXPECT_THROW(device.read(address, bytes), InvalidArgument);
}

}  // namespace faults_tests
}  // namespace warpwise
