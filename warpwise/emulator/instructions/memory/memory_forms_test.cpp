// Vectors of 32 bytes, atomics of vectors and of 16 bytes, copies that ignore their source, and
// cache policies.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "warpwise/base/float16.hpp"

namespace warpwise {
namespace memory_forms_tests {

using namespace emulator;
using namespace test;

std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<std::uint32_t>(i + 1);
  return words;
}

constexpr const char* eight = "{%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}";

TEST(WideVectors, MoveThirtyTwoBytes) {
  const std::string at = "mad.wide.u32 %l4, %r1, 32, %l1;\nmad.wide.u32 %l5, %r1, 32, %l2;\n";
  const std::string words = std::string("ld.global.v8.b32 ") + eight +
                            ", [%l4];\nst.global.L2::cache_hint.v8.b32 [%l5], " + eight + ", %l9;";
  // The address register is among the results.
  const std::string longs =
      "ld.global.nc.v4.b64 {%l4, %l6, %l7, %l8}, [%l4];\nst.global.v4.b64 [%l5], {%l4, %l6, %l7, "
      "%l8};";
  for (const std::string& body : {words, longs}) {
    for (const Checks checks : {Checks{}, Checks{Check::races, Check::init}}) {
      Emulated emulated(kernel_text(at + body));
      emulated.options.checks = checks;
      emulated.options.compute_capabilities = {{9, 0}};
      const Address from = emulated.buffer(counted(512));
      const Address to = emulated.buffer(std::vector<std::uint32_t>(512));
      const LaunchResult result = emulated.launch("hand", {1}, {64}, from, to);
      EXPECT_TRUE(result.faults.empty());
      EXPECT_EQ(emulated.read<std::uint32_t>(to, 512), counted(512));
      EXPECT_EQ(emulated.read<std::uint32_t>(from, 512), counted(512));
      // A vector counts as two accesses of 16 bytes.
      EXPECT_EQ(result.memory.at(0).global_load.bytes_requested, 512U * 4);
      EXPECT_EQ(result.memory.at(0).global_load.requests, 2U * 2);
    }
  }
}

TEST(WideVectors, BeginAtMultiplesOfTheirSize) {
  Emulated emulated(kernel_text(std::string("ld.global.v8.b32 ") + eight + ", [%l1+16];"));
  const LaunchResult result =
      emulated.launch("hand", {1}, {32}, emulated.buffer(counted(64)), Address{0});
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::misaligned);
}

TEST(WideVectors, ShowTheirRaces) {
  // The first lane of a warp also writes the last word of the next warp's vector.
  Emulated emulated(
      kernel_text(std::string("mad.wide.u32 %l4, %r3, 32, %l1;\nsetp.eq.u32 %p, %r2, 0;\n"
                              "mov.u32 %r12, 5;\n@%p st.global.v8.b32 [%l4], ") +
                  eight + ";\n@%p st.global.b32 [%l4+60], %r3;"));
  emulated.options.checks = {Check::races};
  const LaunchResult result =
      emulated.launch("hand", {1}, {64}, emulated.buffer(counted(64)), Address{0});
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::race);
}

// %r12 is never written. A branch on its value is a fault, even after a copy through memory.
TEST(WideVectors, KeepUnwrittenWords) {
  const std::string zeros =
      "mov.b32 %r5, 0;\nmov.b64 {%r6, %r7}, 0;\nmov.b64 {%r8, %r9}, 0;\n"
      "mov.b64 {%r10, %r11}, 0;\nsetp.gt.u32 %p, %r4, 9;\n@%p mov.b32 %r12, 0;\n";
  for (const char* decides : {"%r12", "%r11"}) {
    Emulated emulated(kernel_text(".local .align 32 .b8 kept[32];\n" + zeros +
                                  "st.local.v8.b32 [kept], " + eight + ";\nld.local.v8.b32 " +
                                  eight + ", [kept];\nsetp.eq.u32 %q, " + decides +
                                  ", 7;\n@%q bra DONE;\nst.global.u32 [%l1], %r5;\nDONE:"));
    emulated.options.checks = {Check::init};
    const LaunchResult result =
        emulated.launch("hand", {1}, {1}, emulated.buffer(counted(8)), Address{0});
    const bool is_unwritten = std::string(decides) == "%r12";
    ASSERT_EQ(result.faults.size(), is_unwritten ? 1u : 0u) << decides;
    for (const Fault& fault : result.faults) EXPECT_EQ(fault.kind, FaultKind::uninitialised);
  }
}

TEST(BulkStores, FillWithZeros) {
  Emulated emulated(kernel_text(
      ".shared .align 16 .b8 big[512];\nmov.u32 %r5, big;\nmad.lo.u32 %r6, %r1, 16, %r5;\n"
      "mov.u32 %r7, -1;\nst.shared.v4.b32 [%r6], {%r7, %r7, %r7, %r7};\nbar.sync 0;\n"
      "setp.eq.u32 %p, %r1, 3;\nmov.u64 %l4, 40;\n"
      "@%p st.bulk.weak.shared::cta [%r6], %l4, 0;\nbar.sync 0;\n"
      "ld.shared.v4.b32 {%r8, %r9, %r10, %r11}, [%r6];\nmad.wide.u32 %l5, %r1, 16, %l2;\n"
      "st.global.v4.b32 [%l5], {%r8, %r9, %r10, %r11};"));
  const Address to = emulated.buffer(counted(128));
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, Address{0}, to).faults.empty());
  std::vector<std::uint32_t> expected(128, 0xffffffff);
  std::fill_n(expected.begin() + 12, 10, 0);
  EXPECT_EQ(emulated.read<std::uint32_t>(to, 128), expected);
}

TEST(LaunchControl, LeavesNoBlockToCancel) {
  Emulated emulated(kernel_text(
      ".shared .align 16 .b8 answer[16];\n.shared .align 8 .b64 object;\n.reg .b128 %x;\n"
      "mov.u32 %r5, answer;\nmov.u32 %r6, object;\nsetp.eq.u32 %p, %r1, 0;\n"
      "@%p mbarrier.init.shared.b64 [%r6], 1;\nbar.sync 0;\n"
      "@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 16;\n"
      "@%p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
      "[%r5], [%r6];\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q, [%r6], 0;\n@!%q bra WAIT;\n"
      "ld.shared.b128 %x, [%r5];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q, %x;\nselp.b32 %r7, 1, 0, %q;\n"
      "add.u64 %l4, %l2, %l3;\nst.global.u32 [%l4], %r7;"));
  emulated.options.checks = {Check::races, Check::init, Check::sync};
  const Address to = emulated.buffer(counted(64));
  EXPECT_TRUE(emulated.launch("hand", {1}, {64}, Address{0}, to).faults.empty());
  EXPECT_EQ(emulated.read<std::uint32_t>(to, 64), std::vector<std::uint32_t>(64));
}

TEST(VectorAtomics, AddToEachElement) {
  const std::string values =
      "cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f3F800000;\n"
      "mov.f32 %f3, 0f40000000;\nmov.f32 %f4, 0fBF800000;\n";
  for (const std::string& body :
       {values + "red.global.add.v4.f32 [%l1], {%f1, %f2, %f3, %f4};",
        values + "atom.global.add.v2.f32 {%f5, _}, [%l1], {%f1, %f2};\n"
                 "atom.global.v2.f32.add {_, %f6}, [%l1+8], {%f3, %f4};"}) {
    Emulated emulated(kernel_text(body));
    const Address sums = emulated.buffer(std::vector<float>{1, 2, 3, 4});
    EXPECT_TRUE(emulated.launch("hand", {3}, {64}, sums, Address{0}).faults.empty());
    EXPECT_EQ(emulated.read<float>(sums, 4),
              (std::vector<float>{1 + 3 * 63 * 32, 2 + 192, 3 + 384, 4 - 192}));
  }
}

TEST(VectorAtomics, ReturnTheOldElements) {
  Emulated emulated(
      kernel_text("mov.b32 %f1, 0f3F800000;\n"
                  "atom.global.add.v2.f32 {%f2, %f3}, [%l1], {%f1, %f1};\n"
                  "st.global.v2.f32 [%l2], {%f2, %f3};"));
  const Address sums = emulated.buffer(std::vector<float>{5, 7});
  const Address old = emulated.buffer(std::vector<float>(2));
  EXPECT_TRUE(emulated.launch("hand", {1}, {1}, sums, old).faults.empty());
  EXPECT_EQ(emulated.read<float>(old, 2), (std::vector<float>{5, 7}));
  EXPECT_EQ(emulated.read<float>(sums, 2), (std::vector<float>{6, 8}));
}

TEST(VectorAtomics, ReadTheirOperandsBeforeTheyWriteResults) {
  Emulated emulated(
      kernel_text("mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f42C80000;\n"
                  "atom.global.add.v2.f32 {%f1, %f2}, [%l1], {%f2, %f1};"));
  const Address sums = emulated.buffer(std::vector<float>{10, 20});
  EXPECT_TRUE(emulated.launch("hand", {1}, {1}, sums, Address{0}).faults.empty());
  EXPECT_EQ(emulated.read<float>(sums, 2), (std::vector<float>{110, 21}));
}

TEST(VectorAtomics, TakeExtremesOfHalves) {
  const auto half = [](float x) { return to_float16(x).bits; };
  Emulated emulated(
      kernel_text("mov.b16 %h1, 0x3c00;\nmov.b16 %h2, 0x7e00;\nmov.b16 %h3, 0x8000;\n"
                  "red.global.min.noftz.v4.f16 [%l1], {%h1, %h1, %h2, %h3};"));
  const Address place =
      emulated.buffer(std::vector<std::uint16_t>{half(2), half(-2), half(3), half(0)});
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, place, Address{0}).faults.empty());
  EXPECT_EQ(emulated.read<std::uint16_t>(place, 4),
            (std::vector<std::uint16_t>{half(1), half(-2), half(3), 0x8000}));
}

TEST(VectorAtomics, SeeUnwrittenElements) {
  // Only the second element is unwritten.
  Emulated emulated(
      kernel_text("setp.gt.u32 %p, %r4, 9;\n@%p mov.b32 %f2, 0f3F800000;\n"
                  "mov.b32 %f1, 0f3F800000;\nred.global.add.v2.f32 [%l1], {%f1, %f2};"));
  emulated.options.checks = {Check::init};
  const LaunchResult result =
      emulated.launch("hand", {1}, {1}, emulated.buffer(std::vector<float>(2)), Address{0});
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::uninitialised);
}

TEST(WideAtomics, ExchangeSixteenBytes) {
  const std::string body =
      ".reg .b128 %x, %y, %z;\nmov.b128 %x, {1, 2};\nmov.b128 %y, {%l3, 5};\n"
      "setp.eq.u32 %p, %r1, 0;\n@!%p bra DONE;\n"
      "atom.global.cas.b128 %z, [%l1], %x, %y;\nst.global.b128 [%l2], %z;\n"
      "atom.global.cas.b128 %z, [%l1], %x, %y;\nst.global.b128 [%l2+16], %z;\n"
      "atom.global.exch.b128 %z, [%l1], %x;\nst.global.b128 [%l2+32], %z;\nDONE:";
  Emulated emulated(kernel_text(body));
  const Address place = emulated.buffer(std::vector<std::uint64_t>{1, 2});
  const Address old = emulated.buffer(std::vector<std::uint64_t>(6));
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, place, old).faults.empty());
  EXPECT_EQ(emulated.read<std::uint64_t>(old, 6), (std::vector<std::uint64_t>{1, 2, 0, 5, 0, 5}));
  EXPECT_EQ(emulated.read<std::uint64_t>(place, 2), (std::vector<std::uint64_t>{1, 2}));
}

TEST(AsynchronousCopies, IgnoreTheirSource) {
  // The threads that ignore their source have an invalid address.
  Emulated emulated(kernel_text(
      ".shared .align 16 .b8 big[1024];\nmov.u32 %r5, big;\nmad.lo.u32 %r5, %r1, 16, %r5;\n"
      "mad.wide.u32 %l4, %r1, 16, %l1;\nsetp.lt.u32 %p, %r1, 8;\nselp.b64 %l4, %l4, 64, %p;\n"
      "createpolicy.fractional.L2::evict_first.b64 %l7, 0.5;\n"
      "mov.u32 %r6, -1;\nst.shared.v4.b32 [%r5], {%r6, %r6, %r6, %r6};\n"
      "cp.async.cg.shared.global.L2::cache_hint [%r5], [%l4], 16, !%p, %l7;\ncp.async.wait_all;\n"
      "ld.shared.v4.b32 {%r7, %r8, %r9, %r10}, [%r5];\nmad.wide.u32 %l5, %r1, 16, %l2;\n"
      "st.global.v4.b32 [%l5], {%r7, %r8, %r9, %r10};"));
  const Address to = emulated.buffer(std::vector<std::uint32_t>(128));
  const LaunchResult result = emulated.launch("hand", {1}, {32}, emulated.buffer(counted(32)), to);
  EXPECT_TRUE(result.faults.empty());
  std::vector<std::uint32_t> expected = counted(32);
  expected.resize(128);
  EXPECT_EQ(emulated.read<std::uint32_t>(to, 128), expected);
}

TEST(InitialValues, AreBytesOfAddresses) {
  const std::string variables =
      ".global .align 8 .b8 there[16];\n"
      ".global .align 4 .u8 bytes[4] = {0xff00(there+8), 0xff0000(there+8), 7, 0xff(there+8)};";
  Emulated emulated(
      kernel_text("ld.global.u32 %r5, [bytes];\nst.global.u32 [%l1], %r5;\nmov.u64 %l4, there;\n"
                  "st.global.u32 [%l1+4], %l4;",
                  variables));
  const Address place = emulated.buffer(std::vector<std::uint32_t>(2));
  EXPECT_TRUE(emulated.launch("hand", {1}, {1}, place, Address{0}).faults.empty());
  const auto told = emulated.read<std::uint32_t>(place, 2);
  const std::uint32_t address = told[1] + 8;
  EXPECT_EQ(told[0], (address >> 8 & 0xffff) | 7U << 16 | address << 24);
}

TEST(CachePolicies, ChangeNoAtomic) {
  Emulated emulated(
      kernel_text("createpolicy.cvt.L2.b64 %l7, 0x10F0000000000000;\n"
                  "atom.global.add.L2::cache_hint.u32 %r5, [%l1], 2, %l7;\n"
                  "red.global.max.L2::cache_hint.u32 [%l1+4], %r1, %l7;"));
  const Address place = emulated.buffer(std::vector<std::uint32_t>{1, 1});
  EXPECT_TRUE(emulated.launch("hand", {1}, {32}, place, Address{0}).faults.empty());
  EXPECT_EQ(emulated.read<std::uint32_t>(place, 2), (std::vector<std::uint32_t>{65, 31}));
}

}  // namespace memory_forms_tests
}  // namespace warpwise
