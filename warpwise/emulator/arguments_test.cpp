// Compares the block that pack_arguments() makes with the layout that the PTX states.

#include "warpwise/emulator/arguments.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "warpwise/base/error.hpp"

namespace warpwise::emulator {
namespace arguments_tests {

// Parameters of every alignment from 1 to 16, in an order that leaves gaps; the second is a
// structure of three floats. The kernel writes a part of each of the first six to `to`.
constexpr const char* mixed = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry mixed(.param .u8 flag, .param .align 4 .b8 colour[12], .param .u16 half,
                      .param .f64 scale, .param .u32 count, .param .align 16 .b8 wide[16],
                      .param .u64 to)
{
  .reg .b64 %rd<3>;
  .reg .f64 %fd<2>;
  .reg .b32 %r<6>;
  ld.param.u64 %rd1, [to];
  ld.param.f64 %fd1, [scale];
  st.global.f64 [%rd1], %fd1;
  ld.param.u8 %r1, [flag];
  st.global.u32 [%rd1+8], %r1;
  ld.param.u32 %r2, [colour+8];
  st.global.u32 [%rd1+12], %r2;
  ld.param.u16 %r3, [half];
  st.global.u32 [%rd1+16], %r3;
  ld.param.u32 %r4, [count];
  st.global.u32 [%rd1+20], %r4;
  ld.param.u32 %r5, [wide+12];
  st.global.u32 [%rd1+24], %r5;
  ret;
}
.visible .entry nothing() { ret; })";

struct Colour {
  float red, green, blue;
};
struct alignas(16) Wide {
  std::uint32_t words[4];
};

TEST(PackArguments, EachArgumentLiesWhereThePtxHasIt) {
  Device device;
  Program program(mixed);
  const Address to = device.allocate(28);
  const std::vector<std::byte> block =
      pack_arguments(program.kernel("mixed"), true, Colour{1, 2, 3}, std::uint16_t{0xabcd}, 0.1, -5,
                     Wide{{6, 7, 8, 9}}, to);
  // Sizes in bytes of the arguments and, in brackets, of gaps: 1 (3), 12, 2 (6), 8, 4 (12), 16, 8.
  ASSERT_EQ(block.size(), 72U);
  EXPECT_EQ(program.kernel("mixed").parameter_offsets,
            (std::vector<std::uint64_t>{0, 4, 16, 24, 32, 48, 64}));

  const LaunchResult result = program.launch(device, "mixed", {}, {}, 0, block);
  EXPECT_TRUE(result.faults.empty());
  std::vector<std::byte> written(28);
  device.read(to, written);
  const auto as = [&]<class T>(T value, std::size_t offset) {
    std::memcpy(&value, written.data() + offset, sizeof(T));
    return value;
  };
  EXPECT_EQ(as(double{}, 0), 0.1);
  EXPECT_EQ(as(std::uint32_t{}, 8), 1U);
  EXPECT_EQ(as(float{}, 12), 3.0F);
  EXPECT_EQ(as(std::uint32_t{}, 16), 0xabcdU);
  EXPECT_EQ(as(std::int32_t{}, 20), -5);
  EXPECT_EQ(as(std::uint32_t{}, 24), 9U);
}

TEST(PackArguments, AKernelWithoutParametersTakesNone) {
  Program program(mixed);
  EXPECT_TRUE(pack_arguments(program.kernel("nothing")).empty());
  EXPECT_THROW(pack_arguments(program.kernel("nothing"), 1), InvalidArgument);
}

TEST(PackArguments, SaysWhichArgumentIsWrong) {
  Program program(mixed);
  const auto refused = [&](const auto&... arguments) {
    try {
      pack_arguments(program.kernel("mixed"), arguments...);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_EQ(refused(true), "kernel 'mixed' takes 7 arguments, not 1");
  EXPECT_EQ(refused(true, Colour{}, std::uint16_t{}, 0.1F, 1, Wide{}, Address{}),
            "argument 3 (from 0) of kernel 'mixed' has 4 bytes, its parameter (.f64) 8");
}

TEST(PackArguments, NamesAKernelAsItsSourceDoes) {
  KernelInfo kernel;
  kernel.name = "_Z5scalePi";
  kernel.parameter_bytes = {8};
  try {
    pack_arguments(kernel);
    ADD_FAILURE() << "nothing was refused";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "kernel 'scale(int*)' takes 1 arguments, not 0");
  }
}

}  // namespace arguments_tests
}  // namespace warpwise::emulator
