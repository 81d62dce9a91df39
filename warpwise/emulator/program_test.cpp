// Programs and the devices that their variables are brought to.

#include <gtest/gtest.h>

#include "emulator/emulated.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace {

using test::Emulated;

constexpr const char* empty_kernel = ".visible .entry k() { ret; }\n";

// The variables of a program that cannot be brought to a device do not stay there.
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

}  // namespace
}  // namespace warpwise
