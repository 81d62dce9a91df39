// Programs, and their variables on a device.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace program_tests {

using test::Emulated;

constexpr const char* empty_kernel = ".visible .entry k() { ret; }\n";

// If one of a program's variables cannot be brought to a device, none of them stays there.
TEST(Variables, OfAProgramThatIsRefusedTakeNoMemory) {
  Emulated refused(std::string(".version 8.4\n.target sm_90\n.address_size 64\n"
                               ".shared .align 8 .b8 tile[64];\n.global .align 8 .b8 data[4096];\n"
                               ".global .align 8 .u64 place[1] = {tile};\n") +
                   empty_kernel);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(refused.launch("k", {1}, {1}), Unsupported);
    EXPECT_EQ(refused.device.memory().first, 0U);
  }
}

TEST(Variables, ThatDoNotAllFitTakeNoMemory) {
  emulator::Program program(std::string(".version 8.4\n.target sm_90\n.address_size 64\n"
                                        ".global .b8 one[600];\n.global .b8 other[600];\n") +
                            empty_kernel);
  emulator::Device device(1000);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(program.launch(device, "k", {1}, {1}, 0, {}, {}), OutOfMemory);
    EXPECT_EQ(device.memory().first, 0U);
  }
}

// `.maxntid` limits only the product, the number of threads, and not the shape of the block.
TEST(LaunchBounds, AreKeptTo) {
  emulator::Program program(
      ".version 7.0 .target sm_75 .address_size 64\n"
      ".entry bounded() .maxntid 16, 8, 1 { ret; }\n"
      ".entry fixed() .reqntid 32, 2 { ret; }\n"
      ".entry free() { ret; }\n"
      ".entry odd() .maxntid 2147483647, 2147483647, 2147483647 { ret; }");
  EXPECT_EQ(program.kernel("bounded").most_threads, 128);
  EXPECT_EQ(program.kernel("fixed").most_threads, 64);
  EXPECT_EQ(program.kernel("free").most_threads, 1024);
  EXPECT_EQ(program.kernel("odd").most_threads, 1024);
  emulator::Device device;
  const auto launch = [&](const char* kernel, emulator::Dim3 block) {
    return program.launch(device, kernel, {1}, block, 0, {}).totals.warp_instructions > 0;
  };
  EXPECT_TRUE(launch("bounded", {128}));
  EXPECT_TRUE(launch("bounded", {2, 32, 2}));
  EXPECT_TRUE(launch("free", {1024}));
  try {
    launch("bounded", {256});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "kernel 'bounded' was compiled for blocks of at most 128 threads "
                 "(__launch_bounds__), not 256x1x1");
  }
  EXPECT_THROW(launch("fixed", {64}), InvalidArgument);
}

TEST(LocalMemory, OfMoreThanAThreadOfAGpuHasIsRefused) {
  const auto refusal = [](const std::string& variables, std::uint64_t stack_bytes) {
    return test::message_of<InvalidArgument>([&] {
      Emulated emulated(
          ".version 8.4\n.target sm_90\n.address_size 64\n"
          ".visible .entry k()\n{\n.reg .b64 %l;\n" +
          variables +
          "\nalloca.u64 %l, 0;\nst.local.u32 [0x10000000000], 42;\n"
          "ret;\n}\n");
      emulated.options.stack_bytes = stack_bytes;
      EXPECT_EQ(emulated.launch("k", {1}, {1}).faults.size(), 1U);
    });
  };
  const std::string full = ".local .align 16 .b8 x[524288];";
  EXPECT_EQ(refusal(full, 65536), "");
  EXPECT_EQ(refusal(full + "\n.local .b8 y;", 65536),
            "PTX line 8: no thread has room for 'y' of 1 bytes: its local memory has 524288");
  // 2^59 bytes for each of 32 threads are 2^64 bytes, which is 0 in 64 bits.
  EXPECT_EQ(refusal(".local .align 16 .b8 x[0x0800000000000000];", 65536),
            "PTX line 7: no thread has room for 'x' of 576460752303423488 bytes: its local memory "
            "has 524288");
  EXPECT_EQ(refusal("", 524288), "");
  EXPECT_EQ(refusal("", std::uint64_t{1} << 59),
            "a stack of 576460752303423488 bytes: no thread has more than 524288 bytes of local "
            "memory");
}

TEST(LocalMemory, OfACalledFunctionIsLimitedToo) {
  // The parameters have 2^64 bytes together, which is 0 in 64 bits.
  const std::string half = ".param .align 16 .b8 NAME[0x4000000000000000]";
  std::string parameters;
  for (const char* name : {"a", "b", "c", "d"}) {
    parameters += parameters.empty() ? half : ", " + half;
    parameters.replace(parameters.find("NAME"), 4, name);
  }
  const std::string message = test::message_of<InvalidArgument>([&] {
    Emulated emulated(".version 8.4\n.target sm_90\n.address_size 64\n.func f(" + parameters +
                      ")\n{\nret;\n}\n.visible .entry k()\n{\n.reg .b64 %l;\nmov.u64 %l, f;\n"
                      "p: .callprototype _ ();\ncall %l, (), p;\nret;\n}\n");
    emulated.launch("k", {1}, {1});
  });
  EXPECT_EQ(message.substr(0, 38), "PTX line 4: no thread has room for 'a'") << message;
}

}  // namespace program_tests
}  // namespace warpwise
