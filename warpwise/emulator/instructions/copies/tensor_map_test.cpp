// Kernels that change tensor maps.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "emulator/emulated.hpp"
#include "emulator/hand_kernel.hpp"
#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise {
namespace tensor_map_tests {

using namespace test;

// Changes a map's fields in shared memory, copies the map to global memory and uses it there.
void expect_changed(const emulator::TensorMap* map) {
  const std::string replace = "@%p tensormap.replace.tile.";
  const std::string there = ".shared::cta.b1024";
  const auto set = [&](const std::string& field, int bits, const std::string& value) {
    return replace + field + there + ".b" + std::to_string(bits) + " [%r8], " + value + ";\n";
  };
  const std::string body =
      "mov.u32 %r5, space;\nmov.u32 %r6, object;\nadd.u32 %r8, %r5, 2048;\n"
      "setp.eq.u32 %p, %r1, 0;\n@%p mbarrier.init.shared::cta.b64 [%r6], 1;\n"
      "shl.b32 %r7, %r1, 2;\nadd.u32 %r9, %r7, %r8;\nadd.u64 %l4, %l1, %l3;\n"
      "ld.global.b32 %r10, [%l4];\nst.shared.b32 [%r9], %r10;\nbar.sync 0;\n"
      "add.u64 %l5, %l1, 1024;\nmov.u64 %l6, 64;\nmov.u32 %r11, 8;\n" +
      set("global_address", 64, "%l5") + set("rank", 32, "1") + set("box_dim", 32, "0, 4") +
      set("box_dim", 32, "1, 5") + set("global_dim", 32, "0, 16") +
      set("global_dim", 32, "1, %r11") + set("global_stride", 64, "0, %l6") +
      set("element_stride", 32, "0, 1") + set("element_stride", 32, "1, 2") +
      set("elemtype", 32, "2") + set("interleave_layout", 32, "0") + set("swizzle_mode", 32, "0") +
      set("fill_mode", 32, "0") +
      "bar.sync 0;\nadd.u64 %l7, %l1, 128;\n"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[%l7], [%r8], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%l7], 128;\n"
      "@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 48;\n"
      "@%p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%r5], [%l7, {8, 3}], [%r6];\n"
      "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %q, [%r6], 0;\n@!%q bra WAIT;\n"
      "setp.gt.u32 %q, %r1, 11;\n@%q bra DONE;\nadd.u32 %r7, %r7, %r5;\nld.shared.u32 %r12, "
      "[%r7];\n"
      "add.u64 %l8, %l2, %l3;\nst.global.u32 [%l8], %r12;\nDONE:";
  Emulated emulated(
      kernel_text(body, ".shared .align 1024 .b8 space[4096];\n.shared .align 8 .b64 object;"));
  emulated.options.checks = emulator::Checks::all();
  // Memory has the map or zeros, then the changed map, and at byte 1024 a tensor of 16 x 8 words.
  std::vector<std::uint32_t> memory(256 + 128);
  if (map != nullptr) std::memcpy(memory.data(), map, sizeof(*map));
  for (std::size_t i = 256; i < memory.size(); ++i) memory[i] = static_cast<std::uint32_t>(i - 256);
  const emulator::Address out = emulated.buffer(std::vector<std::uint32_t>(12));
  const emulator::LaunchResult result =
      emulated.launch("hand", {1}, {32}, emulated.buffer(memory), out);
  for (const emulator::Fault& fault : result.faults) ADD_FAILURE() << fault.message;
  // The box covers rows 3 to 7. With an element stride of 2, the tile has rows 3, 5 and 7.
  EXPECT_EQ(emulated.read<std::uint32_t>(out, 12),
            (std::vector<std::uint32_t>{56, 57, 58, 59, 88, 89, 90, 91, 120, 121, 122, 123}));
}

TEST(TensorMaps, AreChangedByKernels) {
  emulator::TensorMap map;
  map.address = 16;
  map.box = {7, 7, 7, 7, 7};
  map.type = emulator::ElementType::f64;
  map.swizzled_bytes = 128;
  map.fills_with_nan = true;
  expect_changed(&map);
}

// Triton's kernels make maps from zeros and skip fields that stay zero. Rank 0 means 1 dimension.
TEST(TensorMaps, AreMadeOfZerosByKernels) {
  expect_changed(nullptr);
  EXPECT_EQ(emulator::TensorMap{}.dimensions(), 1U);
}

// CUTLASS and Triton clear a bit of a map's second word, so the emulator leaves this word empty.
TEST(TensorMaps, HoldNothingInTheWordThatLibrariesChange) {
  emulator::TensorMap map;
  map.address = map.strides[0] = ~std::uint64_t{0};
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), &map, sizeof(words));
  EXPECT_EQ(words[1], 0U);
}

}  // namespace tensor_map_tests
}  // namespace warpwise
