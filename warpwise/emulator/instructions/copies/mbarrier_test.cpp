// mbarriers, and bulk copies that report their bytes to them.

#include <gtest/gtest.h>

#include <numeric>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace mbarrier_tests {

using emulator::Address;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Returns a kernel `hand` with two pointers: %l1 to its input, %l2 to a word of the thread. %r1 is
/// the thread's number. Shared memory has an mbarrier at byte 0 and 1024 bytes at 16.
std::string kernel_text(const std::string& body) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"hand.cu\"\n"
         ".visible .entry hand(.param .u64 in, .param .u64 out)\n{\n.reg .pred %p<4>;\n"
         ".reg .b32 %r<19>;\n.reg .b64 %l<19>;\n.shared .align 16 .b8 tile[1040];\n"
         "mov.u32 %r1, %tid.x;\nld.param.u64 %l1, [in];\nld.param.u64 %l2, [out];\n"
         "mul.wide.u32 %l3, %r1, 4;\nadd.u64 %l2, %l2, %l3;\nshl.b32 %r2, %r1, 2;\n"
         "mov.u32 %r3, 0;\nsetp.eq.u32 %p1, %r1, 0;\n.loc 1 7 0\n" +
         body + "\nret;\n}\n";
}

constexpr std::size_t threads = 96;

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> content(256);
  std::iota(content.begin(), content.end(), 1000U);
  return content;
}

std::vector<std::uint32_t> run(const std::string& body, LaunchResult* result = nullptr,
                               std::uint64_t budget = 100000) {
  Emulated emulated(kernel_text(body));
  emulated.options.budget = budget;
  const Address in = emulated.buffer(numbers(), "input");
  const Address out = emulated.buffer(std::vector<std::uint32_t>(threads));
  LaunchResult launched = emulated.launch("hand", {1}, {threads}, in, out);
  if (result == nullptr) {
    EXPECT_TRUE(launched.faults.empty()) << launched.faults.front().message;
  } else {
    *result = std::move(launched);
  }
  return emulated.read<std::uint32_t>(out, threads);
}

std::string init(int count) {
  return "@%p1 mbarrier.init.shared::cta.b64 [%r3], " + std::to_string(count) + ";\nbar.sync 0;\n";
}

// Returns code in which each thread reads a word that another thread has written.
std::string turned(const std::string& synchronise) {
  return init(threads) + "st.shared.u32 [%r2+16], %r1;\n" + synchronise +
         "sub.u32 %r4, 380, %r2;\nld.shared.u32 %r5, [%r4+16];\nst.global.u32 [%l2], %r5;";
}

TEST(Mbarrier, WaitsForAState) {
  std::vector<std::uint32_t> expected(threads);
  for (std::uint32_t i = 0; i < threads; ++i) expected[i] = threads - 1 - i;
  EXPECT_EQ(run(turned("mbarrier.arrive.shared.b64 %l4, [%r3];\nWAIT:\n"
                       "mbarrier.test_wait.shared.b64 %p2, [%r3], %l4;\n@!%p2 bra WAIT;\n")),
            expected);
  EXPECT_EQ(run(turned("mbarrier.arrive.release.cta.shared::cta.b64 _, [%r3];\nWAIT:\n"
                       "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0, 1000;\n"
                       "@!%p2 bra WAIT;\n")),
            expected);
}

TEST(Mbarrier, PhasesAlternateAndForgetWhoDropped) {
  // All threads take part in two phases. The first warp drops out before the third phase.
  EXPECT_EQ(
      run(init(threads) + "mbarrier.arrive.shared.b64 _, [%r3];\nA:\n"
                          "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra A;\n"
                          "setp.lt.u32 %p3, %r1, 32;\nmov.u32 %r6, 1;\n"
                          "@%p3 mbarrier.arrive_drop.shared.b64 %l5, [%r3];\n"
                          "@!%p3 mbarrier.arrive.shared.b64 %l5, [%r3];\nB:\n"
                          "mbarrier.test_wait.shared.b64 %p2, [%r3], %l5;\n@!%p2 bra B;\n"
                          "@%p3 bra END;\nmbarrier.arrive.shared.b64 %l6, [%r3];\nC:\n"
                          "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra C;\n"
                          "mov.u32 %r6, 2;\nEND:\nst.global.u32 [%l2], %r6;"),
      [] {
        std::vector<std::uint32_t> expected(threads, 2);
        std::fill_n(expected.begin(), 32, 1U);
        return expected;
      }());
}

TEST(Mbarrier, CountsArrivals) {
  const auto counts = run(init(10) +
                          "@!%p1 bra END;\nmbarrier.arrive.shared.b64 %l4, [%r3], 3;\n"
                          "mbarrier.arrive.noComplete.shared.b64 %l5, [%r3], 2;\n"
                          "mbarrier.pending_count.b64 %r6, %l4;\n"
                          "mbarrier.pending_count.b64 %r7, %l5;\nmul.lo.u32 %r6, %r6, 100;\n"
                          "add.u32 %r6, %r6, %r7;\nst.global.u32 [%l2], %r6;\nEND:");
  EXPECT_EQ(counts.front(), 1007U);
}

TEST(Mbarrier, MisuseIsAFault) {
  LaunchResult result;
  run(init(2) + "@%p1 mbarrier.arrive.shared.b64 _, [%r3], 3;", &result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().kind, FaultKind::barrier);
  EXPECT_EQ(result.faults.front().message, "3 arrivals at an mbarrier that waits for 2");
  run("@%p1 mbarrier.init.b64 [%l1], 1;", &result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().message, "an mbarrier that does not lie in shared memory");
  // One arrival is missing, because no thread arrives a second time.
  run(init(threads + 1) +
          "mbarrier.arrive.shared.b64 %l4, [%r3];\nWAIT:\n"
          "mbarrier.test_wait.shared.b64 %p2, [%r3], %l4;\n@!%p2 bra WAIT;",
      &result);
  EXPECT_FALSE(result.faults.empty());
}

// PTX allows fewer than 2^20 arrivals, and fewer than 2^20 bytes.
TEST(Mbarrier, MoreThanPtxAllowsIsAFault) {
  const auto fault_of = [](const std::string& body) {
    LaunchResult result;
    run(body, &result);
    EXPECT_EQ(result.faults.size(), 1U) << body;
    if (result.faults.empty()) return std::string();
    EXPECT_EQ(result.faults.front().kind, FaultKind::barrier);
    return result.faults.front().message;
  };
  EXPECT_EQ(fault_of(init(0)),
            "mbarrier.init with a count of 0 arrivals: the count must be 1 to 1048575");
  EXPECT_EQ(fault_of(init(1 << 20)),
            "mbarrier.init with a count of 1048576 arrivals: the count must be 1 to 1048575");
  const std::string at = " at an mbarrier that already expects ";
  const std::string allowed = " bytes: PTX allows at most 1048575 in all";
  for (const char* expect :
       {"arrive.expect_tx.shared.b64 _,", "expect_tx.relaxed.cta.shared::cta.b64"}) {
    const std::string more = "@%p1 mbarrier." + std::string(expect) + " [%r3], ";
    EXPECT_EQ(fault_of(init(2) + more + "2097152;"),
              "expect-tx of 2097152 bytes" + at + "0" + allowed);
    EXPECT_EQ(fault_of(init(2) + more + "1048575;\n" + more + "1;"),
              "expect-tx of 1 byte" + at + "1048575" + allowed);
  }
  EXPECT_EQ(
      fault_of(init(2) + "@%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 1;\n"
                         "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 2097152;"),
      "expect-tx of 2097152 bytes at an mbarrier that already has received 1 byte more than "
      "expected: PTX allows at most 1048575 in all");
  EXPECT_EQ(fault_of(init(1) + "@%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], "
                               "1048576;"),
            "complete-tx of 1048576 bytes at an mbarrier that expects 0 bytes: PTX allows at most "
            "1048575 more than expected");
  // The largest numbers that PTX allows are valid in any order of the operations.
  run(init(1) +
      "@%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 1048575;\n"
      "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 1048575;\n"
      "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 1048575;\n"
      "@%p1 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r3], 1048575;\n" +
      init(0xfffff));
}

// Copies deliver bytes without an expect_tx, and more of them than PTX allows.
TEST(BulkCopy, TellsAnMbarrierOfTooMany) {
  LaunchResult result;
  run(init(2) +
          "@!%p1 bra END;\nadd.u32 %r4, %r3, 16;\nmov.u32 %r5, 0;\nLOOP:\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%l1], 1024, "
          "[%r3];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 1024;\n@%p2 bra LOOP;\nEND:",
      &result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults.front().kind, FaultKind::barrier);
  EXPECT_EQ(result.faults.front().count, 1U);
  EXPECT_EQ(result.faults.front().message,
            "complete-tx of 1024 bytes at an mbarrier that has received 1047552 bytes more than "
            "expected: PTX allows at most 1048575 more than expected");
}

std::string bulk_load(const std::string& bytes, const std::string& expected) {
  return init(1) +
         "@!%p1 bra WAIT;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " +
         expected +
         ";\nadd.u32 %r4, %r3, 16;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%l1+16], " +
         bytes +
         ", [%r3];\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra WAIT;\n"
         "ld.shared.u32 %r5, [%r2+16];\nst.global.u32 [%l2], %r5;";
}

TEST(BulkCopy, TellsItsMbarrier) {
  const auto loaded = run(bulk_load("992", "992"));
  for (std::uint32_t i = 0; i < threads; ++i) EXPECT_EQ(loaded[i], 1004 + i);
  // The phase waits for one byte more than the copies bring.
  LaunchResult result;
  run(bulk_load("992", "993"), &result);
  EXPECT_FALSE(result.faults.empty());
}

TEST(BulkCopy, FromSharedMemory) {
  const std::string body =
      "st.shared.u32 [%r2+16], %r1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "@!%p1 bra END;\nadd.u32 %r4, %r3, 16;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%l2], [%r4], 384;\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nEND:";
  std::vector<std::uint32_t> expected(threads);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(run(body), expected);
}

TEST(BulkCopy, OutOfBoundsAndMisaligned) {
  const auto fault_of = [](const std::string& bytes) {
    LaunchResult result;
    run(bulk_load(bytes, "0"), &result);
    return result.faults.empty() ? Fault{} : result.faults.front();
  };
  const Fault beyond = fault_of("1024");
  EXPECT_EQ(beyond.kind, FaultKind::out_of_bounds);
  EXPECT_EQ(beyond.count, 1U);
  EXPECT_EQ(beyond.thread, (emulator::Dim3{0, 0, 0}));
  EXPECT_NE(beyond.message.find("input of 1024 bytes"), std::string::npos) << beyond.message;
  EXPECT_EQ(fault_of("1000").kind, FaultKind::misaligned);
}

// 22 threads copy up to 16 bytes each near the end of 1024 bytes. The last may have no bytes left.
TEST(CopyAsync, ReadsAsManyBytesAsItSays) {
  const auto copy = [](int begin, const std::string& bytes) {
    return "mul.lo.u32 %r4, %r1, 16;\ncvt.u64.u32 %l4, %r4;\nadd.u64 %l4, %l1, %l4;\n"
           "add.u64 %l4, %l4, " +
           std::to_string(begin) +
           ";\nsetp.ge.u32 %p2, %r1, 22;\nadd.u32 %r5, %r4, 16;\nsub.u32 %r6, " +
           std::to_string(1024 - begin) +
           ", %r4;\nmin.u32 %r6, %r6, 16;\nmov.u32 %r7, 16;\n"
           "@%p2 bra END;\ncp.async.cg.shared.global [%r5], [%l4], 16, " +
           bytes +
           ";\ncp.async.wait_all;\nEND:\nbar.sync 0;\n"
           "ld.shared.u32 %r8, [%r2+16];\nst.global.u32 [%l2], %r8;";
  };
  LaunchResult result;
  for (const int begin : {672, 688}) {
    const auto copied = run(copy(begin, "%r6"), &result);
    EXPECT_TRUE(result.faults.empty()) << result.faults.front().message;
    const auto first = static_cast<std::uint32_t>(begin / 4);
    for (std::uint32_t i = 0; i < 88; ++i)
      EXPECT_EQ(copied[i], first + i < 256 ? 1000 + first + i : 0) << begin << " " << i;
  }
  run(copy(688, "%r7"), &result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::out_of_bounds);
  EXPECT_EQ(result.faults[0].thread.x, 21U);
  // An address must be a multiple of 16, even if fewer bytes are read there.
  run(copy(676, "4"), &result);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::misaligned);
}

TEST(CopyAsync, ArrivesAtAnMbarrier) {
  const std::string body =
      init(threads) +
      "add.u64 %l4, %l1, %l3;\nadd.u32 %r4, %r2, 16;\n"
      "cp.async.ca.shared.global [%r4], [%l4], 4;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];\nWAIT:\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra WAIT;\n"
      "sub.u32 %r4, 380, %r2;\nld.shared.u32 %r5, [%r4+16];\nst.global.u32 [%l2], %r5;";
  const auto copied = run(body);
  for (std::uint32_t i = 0; i < threads; ++i) EXPECT_EQ(copied[i], 1000 + threads - 1 - i);
}

}  // namespace mbarrier_tests
}  // namespace warpwise
