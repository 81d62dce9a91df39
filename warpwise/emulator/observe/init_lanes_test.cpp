// Unwritten values that shuffles read from lanes that take no part in them.

#include <gtest/gtest.h>

#include <tuple>

#include "emulator/emulated.hpp"

namespace warpwise {
namespace init_lanes_tests {

using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

/// Launches a kernel of one block, whose body begins on line 10. %r1 is the thread's number, %l4
/// its word in a buffer.
LaunchResult launch(const std::string& body, std::uint32_t threads = 32) {
  Emulated emulated(
      ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"init.cu\"\n"
      ".visible .entry init(.param .u64 to)\n{\n.reg .pred %p<5>;\n.reg .b32 %r<9>;\n"
      ".reg .b64 %l<9>;\nld.param.u64 %l2, [to];\nmov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %l5, %r1, 4;\nadd.u64 %l4, %l2, %l5;\n.loc 1 10 0\n" +
      body + "\nret;\n}\n");
  emulated.device.track_definedness();
  const emulator::Address to = emulated.device.allocate(512, "'to'");
  emulated.options.checks = {emulator::Check::init};
  return emulated.launch("init", {1}, {threads}, to);
}

TEST(InitOfLanes, ShufflesFromLanesThatTheBlockDoesNotHave) {
  const auto sum_of = [](const std::string& lanes) {
    return "shfl.sync.down.b32 %r4, %r1, 8, 31, -1;\nadd.u32 %r4, %r4, %r1;\n.loc 1 12 0\n"
           "setp.lt.u32 %p1, %r1, " +
           lanes + ";\n@%p1 st.global.u32 [%l4], %r4;";
  };
  const LaunchResult result = launch(sum_of("16"), 16);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].kind, FaultKind::uninitialised);
  EXPECT_EQ(result.faults[0].line, 12);
  EXPECT_EQ(result.faults[0].thread.x, 8U);
  EXPECT_EQ(result.faults[0].count, 8U);
  EXPECT_NE(result.faults[0].message.find("depends on a lane that the block does not have"),
            std::string::npos);
  // The upper lanes' sums are not used.
  EXPECT_TRUE(launch(sum_of("8"), 16).faults.empty());
  EXPECT_TRUE(launch(sum_of("16"), 24).faults.empty());
  EXPECT_TRUE(launch(sum_of("64"), 32).faults.empty());
  // %r5 is the value and the distance, 1: the last of 20 lanes reads from a lane that is not there.
  const std::string all = "mov.u32 %r5, 1;\nshfl.sync.down.b32 %r4, %r5, %r5, 31, -1;\n";
  EXPECT_EQ(launch(all + "st.global.u32 [%l4], %r4;", 20).faults.at(0).count, 1U);
}

// Lanes from 20 on exit, or are not in the member mask, or shuffle among themselves. Other lanes
// read their values.
TEST(InitOfLanes, ShufflesFromLanesThatTakeNoPart) {
  const auto last_use = [](const std::string& who, const std::string& mask, int users) {
    return "mov.u32 %r5, %r1;\nsetp.ge.u32 %p2, %r1, 20;\n" + who +
           "shfl.sync.down.b32 %r4, %r5, 4, 31, " + mask +
           ";\nadd.u32 %r4, %r4, 1;\n.loc 1 12 0\nsetp.lt.u32 %p1, %r1, " + std::to_string(users) +
           ";\n@%p1 st.global.u32 [%l4], %r4;\nEND:";
  };
  const std::string exit = "@%p2 exit;\n";
  const std::string branch = "@%p2 bra END;\n";
  const std::string two_masks = "selp.b32 %r6, 0xfff00000, 0xfffff, %p2;\n";
  const std::string left_out = "depends on a lane that the shuffle's member mask leaves out";
  for (const auto& [who, mask, message] :
       {std::tuple{exit, "-1", std::string("depends on a lane that has exited before the shuffle")},
        std::tuple{branch, "0xfffff", left_out}, std::tuple{two_masks, "%r6", left_out}}) {
    const LaunchResult result = launch(last_use(who, mask, 32));
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].kind, FaultKind::uninitialised);
    EXPECT_EQ(result.faults[0].line, 12);
    EXPECT_EQ(result.faults[0].thread.x, 16U);
    EXPECT_EQ(result.faults[0].count, 4U);
    EXPECT_NE(result.faults[0].message.find(message), std::string::npos)
        << result.faults[0].message;
    // No lane uses a value of a lane that takes no part.
    EXPECT_TRUE(launch(last_use(who, mask, 16)).faults.empty());
  }
  // A distance beyond the segment leaves a lane's own value.
  const std::string own =
      "@%p2 exit;\nshfl.sync.down.b32 %r4, %r5, 4, 0x1c03, -1;\nadd.u32 %r4, %r4, 1;\n"
      "st.global.u32 [%l4], %r4;";
  EXPECT_TRUE(launch("mov.u32 %r5, %r1;\nsetp.ge.u32 %p2, %r1, 20;\n" + own).faults.empty());
}

}  // namespace init_lanes_tests
}  // namespace warpwise
