// Faults of bulk copies, tensor copies and products by warpgroups. The programs of
// tests/emulator/hopper check their results.

#include <gtest/gtest.h>

#include <numeric>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "support/peak_memory.hpp"
#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise {
namespace bulk_faults_tests {

using emulator::Address;
using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;
using test::kernel_text;

LaunchResult run(const std::string& body, std::uint32_t threads = 128) {
  Emulated emulated(
      kernel_text(body, ".shared .align 1024 .b8 space[4096];\n.shared .align 8 .b64 object;"));
  emulated.options.checks = emulator::Checks::all();
  const Address words = emulated.buffer(std::vector<std::uint32_t>(1024, 7), "words");
  const Address out = emulated.buffer(std::vector<std::uint32_t>(1024), "out");
  return emulated.launch("hand", {1}, {threads}, words, out);
}

std::vector<FaultKind> kinds(const LaunchResult& result) {
  std::vector<FaultKind> kinds;
  for (const Fault& fault : result.faults) kinds.push_back(fault.kind);
  return kinds;
}

std::string message(const LaunchResult& result) {
  return result.faults.empty() ? "" : result.faults.front().message;
}

// Returns code in which thread 0 copies 512 bytes and each thread reads a word of them.
std::string brought(const std::string& wait) {
  return "mov.u32 %r5, space;\nmov.u32 %r6, object;\nsetp.eq.u32 %p, %r1, 0;\n"
         "@%p mbarrier.init.shared::cta.b64 [%r6], 1;\nbar.sync 0;\n"
         "@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 512;\n"
         "@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%l1], "
         "512, [%r6];\n" +
         wait +
         "shl.b32 %r7, %r1, 2;\nadd.u32 %r7, %r7, %r5;\nld.shared.u32 %r8, [%r7];\n"
         "add.u64 %l4, %l2, %l3;\nst.global.u32 [%l4], %r8;\n";
}

TEST(Bulk, AnMbarrierOrdersWhatACopyBrings) {
  const LaunchResult result =
      run(brought("AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %q, [%r6], 0;\n"
                  "@!%q bra AGAIN;\n"));
  EXPECT_EQ(message(result), "");
}

TEST(Bulk, NotToWaitIsARace) { EXPECT_EQ(kinds(run(brought(""))), std::vector{FaultKind::race}); }

// The copies of several threads add to the same words.
TEST(Bulk, ReductionsAreAtomic) {
  const LaunchResult result =
      run("mov.u32 %r5, space;\nsetp.eq.u32 %p, %r2, 0;\n"
          "shl.b32 %r6, %r1, 2;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r6], %r1;\nbar.sync 0;\n"
          "@%p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%l2], [%r5], 256;\n");
  EXPECT_EQ(message(result), "");
}

/// Returns the four words of global memory after a bulk reduction with four words.
std::vector<std::uint32_t> reduced(const std::string& how, const std::vector<std::uint32_t>& old,
                                   const std::vector<std::uint32_t>& with) {
  Emulated emulated(kernel_text(
      "mov.u32 %r5, space;\nshl.b32 %r6, %r1, 2;\nadd.u32 %r6, %r6, %r5;\n"
      "mul.wide.u32 %l4, %r1, 4;\nadd.u64 %l4, %l4, %l1;\nld.global.u32 %r7, [%l4];\n"
      "st.shared.u32 [%r6], %r7;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "setp.eq.u32 %p, %r1, 0;\n@%p cp.reduce.async.bulk.global.shared::cta.bulk_group." +
          how + " [%l2], [%r5], 16;\n" +
          "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
      ".shared .align 16 .b8 space[16];\n"));
  const Address from = emulated.buffer(with);
  const Address to = emulated.buffer(old);
  EXPECT_TRUE(emulated.launch("hand", {1}, {4}, from, to).faults.empty());
  return emulated.read<std::uint32_t>(to, 4);
}

TEST(Bulk, SumsOfFloatsFlushAndHaveOneNan) {
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(
      reduced("add.f32", {2, 0x00400000, 0, 0x7f800000}, {3, 0x00400000, 0x80000001, 0xff800000}),
      (Words{0, 0, 0, 0x7fffffff}));
}

TEST(Bulk, ExtremesOfHalvesOrderTheZeros) {
  using Words = std::vector<std::uint32_t>;
  const Words old{0x00008000, 0x80000000, 0x3c004000, 0x7e003c00};
  const Words with{0x80000000, 0x00008000, 0x40003c00, 0x3c007e00};
  EXPECT_EQ(reduced("min.f16", old, with), (Words{0x80008000, 0x80008000, 0x3c003c00, 0x3c003c00}));
  EXPECT_EQ(reduced("max.f16", old, with), (Words{0, 0, 0x40004000, 0x3c003c00}));
}

TEST(Bulk, ACopyFromANamedVariable) {
  Emulated emulated(
      kernel_text("mov.u32 %r5, space;\nsetp.eq.u32 %p, %r1, 0;\n"
                  "shl.b32 %r6, %r1, 2;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r6], %r1;\n"
                  "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
                  "@%p cp.async.bulk.global.shared::cta.bulk_group [%l2], [space+64], 64;\n"
                  "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
                  ".shared .align 1024 .b8 space[4096];\n"));
  const Address out = emulated.buffer(std::vector<std::uint32_t>(16), "out");
  EXPECT_EQ(message(emulated.launch("hand", {1}, {32}, out, out)), "");
  std::vector<std::uint32_t> expected(16);
  std::iota(expected.begin(), expected.end(), 16);
  EXPECT_EQ(emulated.read<std::uint32_t>(out, 16), expected);
}

TEST(Bulk, ACopyOutside) {
  const LaunchResult result =
      run("mov.u32 %r5, space;\nsetp.eq.u32 %p, %r1, 0;\n"
          "@%p cp.async.bulk.global.shared::cta.bulk_group [%l2+4000], [%r5], 128;\n");
  ASSERT_EQ(kinds(result), std::vector{FaultKind::out_of_bounds});
  EXPECT_NE(message(result).find("past the end of out"), std::string::npos) << message(result);
}

std::string tensor_copy(const std::string& tile) {
  return "mov.u32 %r5, space;\nmov.u32 %r6, object;\nmov.u32 %r7, 0;\nsetp.eq.u32 %p, %r1, 0;\n"
         "@%p mbarrier.init.shared::cta.b64 [%r6], 1;\n"
         "@%p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" +
         tile + "], [%l1, {%r7, %r7}], [%r6];\n";
}

TEST(Bulk, WhatIsNoTensorMap) {
  const LaunchResult result = run(tensor_copy("%r5"));
  ASSERT_EQ(kinds(result), std::vector{FaultKind::out_of_bounds});
  EXPECT_NE(message(result).find("a valid tensor map"), std::string::npos) << message(result);
}

/// Copies a tile of 4 x 4 words from or to the place x, y of a tensor of 16 x 16.
LaunchResult copy_tile(bool stores, int x, int y) {
  const std::string at = "[%l1, {" + std::to_string(x) + ", " + std::to_string(y) + "}]";
  const std::string load =
      "@%p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%r5], " +
      at + ", [%r6];\n";
  const std::string store =
      "@%p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group " + at + ", [%r5];\n";
  Emulated emulated(
      kernel_text("mov.u32 %r5, space;\nmov.u32 %r6, object;\nsetp.eq.u32 %p, %r1, 0;\n"
                  "@%p mbarrier.init.shared::cta.b64 [%r6], 1;\n" +
                      (stores ? store : load),
                  ".shared .align 1024 .b8 space[4096];\n.shared .align 8 .b64 object;"));
  emulator::TensorMap map;
  map.address = emulated.buffer(std::vector<std::uint32_t>(256, 7), "tensor");
  map.strides[0] = 64;
  map.last = {15, 15};
  map.box = {4, 4};
  map.last_dimension = 1;
  map.type = emulator::ElementType::u32;
  const Address maps = emulated.buffer(std::vector<emulator::TensorMap>{map}, "map");
  return emulated.launch("hand", {1}, {32}, maps, maps);
}

// For each box that is refused here, a GPU ends the kernel with an illegal instruction.
TEST(Bulk, ABoxThatMayNotBeginThere) {
  for (const bool stores : {false, true}) {
    for (const int x : {1, 2, 3, 5, -1, -3, 17}) {
      const LaunchResult result = copy_tile(stores, x, 3);
      ASSERT_EQ(kinds(result), std::vector{FaultKind::misaligned}) << x;
      EXPECT_NE(message(result).find("begins at element " + std::to_string(x) + " of a row, byte " +
                                     std::to_string(4 * x) + ": no multiple of 16"),
                std::string::npos)
          << message(result);
    }
    for (const auto& [x, y] : {std::pair{0, 0}, {4, 1}, {12, 13}, {16, 0}, {8, 20}})
      EXPECT_EQ(message(copy_tile(stores, x, y)), "") << x << ' ' << y;
  }
  for (const auto& [x, y] : {std::pair{-4, 0}, {0, -1}, {-8, -2}}) {
    EXPECT_EQ(message(copy_tile(false, x, y)), "") << x << ' ' << y;
    const LaunchResult result = copy_tile(true, x, y);
    ASSERT_EQ(kinds(result), std::vector{FaultKind::out_of_bounds}) << x << ' ' << y;
    EXPECT_NE(message(result).find(", before the tensor"), std::string::npos);
  }
}

// The emulator buffers the bytes of a copy, but a copy without a valid destination allocates no
// buffer.
TEST(Bulk, ACopyThatSharedMemoryCannotHoldTakesNoMemory) {
  Emulated emulated(kernel_text(
      "mov.u32 %r5, space;\nmov.u32 %r6, object;\nsetp.eq.u32 %p, %r1, 0;\n"
      "mov.u32 %r7, 268435456;\n@%p mbarrier.init.shared::cta.b64 [%r6], 1;\n"
      "@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%l1], %r7, "
      "[%r6];\n",
      ".shared .align 1024 .b8 space[4096];\n.shared .align 8 .b64 object;"));
  const Address large = emulated.device.allocate(268435456, "large");
  test::forget_peak();
  const std::int64_t before = test::peak_bytes();
  const LaunchResult result = emulated.launch("hand", {1}, {32}, large, large);
  EXPECT_EQ(kinds(result), std::vector{FaultKind::out_of_bounds});
  EXPECT_LT(test::peak_bytes() - before, 64 << 20);
}

TEST(Bulk, ABoxThatSharedMemoryCannotHoldTakesNoMemory) {
  for (const bool stores : {false, true}) {
    emulator::TensorMap map;
    map.strides = {4096, 4096 * 1024, std::uint64_t{4096} * 1024 * 1024, 0};
    map.last = {1023, 1023, 1023, 1023};
    map.box = {256, 256, 256, 256};  // 16 GiB
    map.last_dimension = 3;
    map.type = emulator::ElementType::u32;
    const std::string at = "[%l1, {%r7, %r7, %r7, %r7}]";
    const std::string load =
        "@%p cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%r5], " +
        at + ", [%r6];\n";
    const std::string store =
        "@%p cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group " + at + ", [%r5];\n";
    Emulated emulated(kernel_text(
        "mov.u32 %r5, space;\nmov.u32 %r6, object;\nmov.u32 %r7, 0;\nsetp.eq.u32 %p, %r1, 0;\n"
        "@%p mbarrier.init.shared::cta.b64 [%r6], 1;\n" +
            (stores ? store : load),
        ".shared .align 1024 .b8 space[4096];\n.shared .align 8 .b64 object;"));
    map.address = emulated.buffer(std::vector<std::uint32_t>(256, 7), "tensor");
    const Address maps = emulated.buffer(std::vector<emulator::TensorMap>{map}, "map");
    test::forget_peak();
    const std::int64_t before = test::peak_bytes();
    const LaunchResult result = emulated.launch("hand", {1}, {32}, maps, maps);
    EXPECT_EQ(kinds(result), std::vector{FaultKind::out_of_bounds}) << stores;
    EXPECT_LT(test::peak_bytes() - before, 64 << 20) << stores;
  }
}

const std::string product =
    "mov.b64 %l5, 0;\nwgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %l5, %l5, 0, 1, 1, 0, "
    "0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

TEST(Warpgroups, FourWarpsMeet) { EXPECT_EQ(message(run(product)), ""); }

TEST(Warpgroups, AWarpThatNeverComes) {
  for (const LaunchResult& result :
       {run(product, 96), run("setp.eq.u32 %p, %r3, 2;\n@%p bra DONE;\n" + product + "DONE:\n")}) {
    ASSERT_FALSE(result.faults.empty());
    for (const FaultKind kind : kinds(result)) EXPECT_EQ(kind, FaultKind::deadlock);
    EXPECT_NE(message(result).find("96 threads of a warpgroup reached"), std::string::npos)
        << message(result);
    EXPECT_NE(message(result).find("wgmma.mma_async"), std::string::npos) << message(result);
  }
}

TEST(Warpgroups, ADescriptorOutside) {
  // The largest address of a descriptor, 16383 × 16 bytes, lies beyond the block's shared memory.
  const LaunchResult result = run("mov.b64 %l5, 16383;\n" + product.substr(product.find('\n') + 1));
  ASSERT_EQ(kinds(result), std::vector{FaultKind::out_of_bounds});
}

// One thread writes an operand of the product, which the other warps read.
TEST(Warpgroups, AStoreBesideAProductIsARace) {
  const std::string store =
      "mov.u32 %r5, 0;\nsetp.eq.u32 %p, %r1, 0;\n@%p st.shared.u32 [%r5], %r1;\n";
  EXPECT_EQ(kinds(run(store + product)), std::vector{FaultKind::race});
  EXPECT_EQ(message(run(store + "bar.sync 0;\n" + product)), "");
}

// A product ends for all four warps together. A warp that waited for it may overwrite operands.
TEST(Warpgroups, AStoreBehindAProduct) {
  const std::string store =
      "mov.u32 %r5, 0;\nsetp.eq.u32 %p, %r1, 0;\n@%p st.shared.u32 [%r5], %r1;\n";
  EXPECT_EQ(message(run(product + store)), "");
}

}  // namespace bulk_faults_tests
}  // namespace warpwise
