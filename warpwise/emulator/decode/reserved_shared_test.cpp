// The shared memory that a GPU reserves in each block: %reserved_smem_offset_1.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace reserved_shared_tests {

using test::Emulated;

constexpr std::uint32_t threads = 72;  // one word each: the 288 bytes that CUDA's headers count on

// Each thread writes a word of the reserved memory, of a static array and of a dynamic one. It then
// adds up the words of its left neighbour.
constexpr const char* kernel = R"(.version 8.4
.target sm_90
.address_size 64
.shared .align 4 .b8 own[288];
.extern .shared .align 4 .b8 more[];
.visible .entry k(.param .u64 out)
{
.reg .pred %p;
.reg .b32 %r<16>;
.reg .b64 %l<4>;
ld.param.u64 %l1, [out];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, %reserved_smem_offset_1;
mov.u32 %r4, own;
mov.u32 %r5, more;
add.u32 %r6, %r3, %r2;
add.u32 %r7, %r4, %r2;
add.u32 %r8, %r5, %r2;
add.u32 %r9, %r1, 1000;
add.u32 %r10, %r1, 1000000;
st.shared.u32 [%r6], %r1;
st.shared.u32 [%r7], %r9;
st.shared.u32 [%r8], %r10;
bar.sync 0;
setp.eq.u32 %p, %r1, 0;
@%p bra END;
ld.shared.u32 %r11, [%r6+-4];
ld.shared.u32 %r12, [%r7+-4];
ld.shared.u32 %r13, [%r8+-4];
add.u32 %r11, %r11, %r12;
add.u32 %r11, %r11, %r13;
mul.wide.u32 %l2, %r1, 4;
add.u64 %l1, %l1, %l2;
st.global.u32 [%l1], %r11;
END:
ret;
}
)";

TEST(ReservedShared, LiesBesideTheKernelsOwn) {
  Emulated emulated(kernel);
  emulated.dynamic_shared_bytes = std::size_t{threads} * 4;
  const emulator::Address out = emulated.buffer(std::vector<std::uint32_t>(threads));
  const emulator::LaunchResult result = emulated.launch("k", {1}, {threads}, out);
  EXPECT_TRUE(result.faults.empty());
  const auto sums = emulated.read<std::uint32_t>(out, threads);
  for (std::uint32_t i = 1; i < threads; ++i) EXPECT_EQ(sums[i], 3 * (i - 1) + 1001000);
}

TEST(ReservedShared, IsNotCountedAsTheKernels) {
  EXPECT_EQ(Emulated(kernel).program.kernel("k").static_shared_bytes, 288U);
}

// A branch depends on memory that only the GPU has initialised.
TEST(ReservedShared, HoldsZerosFromTheStart) {
  std::string text = kernel;
  text.insert(text.find("st.shared.u32 [%r6]"),
              "ld.shared.u32 %r13, [%r6];\nsetp.ne.u32 %p, %r13, 0;\n@%p trap;\n");
  Emulated emulated(text);
  emulated.options.checks = {emulator::Check::init};
  emulated.dynamic_shared_bytes = std::size_t{threads} * 4;
  const emulator::Address out = emulated.buffer(std::vector<std::uint32_t>(threads));
  EXPECT_TRUE(emulated.launch("k", {1}, {threads}, out).faults.empty());
}

}  // namespace reserved_shared_tests
}  // namespace warpwise
