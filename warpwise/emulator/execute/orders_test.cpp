// Launches in several orders, of pairs of kernels: one whose result depends on the order, and a
// correct one that looks alike (tests/emulator/kernels/orders.cu, and races.cu).

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/emulated.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise {
namespace orders_tests {

using emulator::Fault;
using emulator::FaultKind;
using emulator::LaunchResult;
using test::Emulated;

struct Done {
  LaunchResult result;
  std::vector<std::uint32_t> data;
};

Done run(const std::string& file, const std::string& kernel, int orders, std::uint64_t seed = 1) {
  Emulated emulated(test::kernels_ptx(file));
  emulated.options.threads = 1;  // several threads would change the order themselves
  emulated.options.orders = orders;
  emulated.options.order_seed = seed;
  emulated.options.cooperative = true;
  const auto data = emulated.buffer(std::vector<std::uint32_t>(4096), "data");
  const auto flags = emulated.buffer(std::vector<std::uint32_t>(64), "flags");
  Done done;
  done.result = emulated.launch(kernel, {4}, {64}, data, flags);
  done.data = emulated.read<std::uint32_t>(data, 4096);
  return done;
}

struct Pair {
  const char* name;
  FaultKind kind = FaultKind::order_dependent;
  const char* says = "data of 16384 bytes";
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class Orders : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
#ifndef WARPWISE_KERNELS_PTX
    GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
#endif
  }
};

TEST_P(Orders, TheWrongOneIsFound) {
  const Pair& pair = GetParam();
  const std::string kernel = pair.name + std::string("_wrong");
  const Done once = run("orders", kernel, 1);
  EXPECT_TRUE(once.result.faults.empty());
  const Done several = run("orders", kernel, 16);
  ASSERT_EQ(several.result.faults.size(), 1U);
  const Fault& fault = several.result.faults.front();
  EXPECT_EQ(fault.kind, pair.kind) << fault.message;
  EXPECT_NE(fault.message.find(pair.says), std::string::npos) << fault.message;
  EXPECT_NE(fault.message.find(" of seed 1)"), std::string::npos) << fault.message;
  // The message is the same each time.
  EXPECT_EQ(run("orders", kernel, 16).result.faults.front().message, fault.message);
}

TEST_P(Orders, TheRightOneIsNot) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::string kernel = GetParam().name + std::string("_right");
    for (const Fault& fault : run("orders", kernel, 6, seed).result.faults)
      ADD_FAILURE() << fault.line << ": " << fault.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, Orders,
    testing::Values(Pair{"winner"}, Pair{"update"}, Pair{"ticket"}, Pair{"chain"}, Pair{"warps"},
                    Pair{"slots"}, Pair{"lanes"}, Pair{"in_step"}, Pair{"sum"}, Pair{"count"},
                    Pair{"printed", FaultKind::order_dependent, "printf writes 'block "},
                    Pair{"assumed", FaultKind::assertion, "assert"}),
    [](const auto& pair) { return std::string(pair.param.name); });

class OrdersOfRaces : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#ifndef WARPWISE_KERNELS_PTX
    GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
#endif
  }
};

TEST_P(OrdersOfRaces, WithoutOneTheResultIsTheSame) {
  for (const Fault& fault : run("races", GetParam() + std::string("_right"), 6).result.faults)
    ADD_FAILURE() << fault.line << ": " << fault.message;
}

INSTANTIATE_TEST_SUITE_P(Kernels, OrdersOfRaces,
                         testing::Values("same_place", "neighbour", "in_place", "sum", "bytes",
                                         "flag", "block_fence", "release", "early_fence", "lock",
                                         "last_block", "last_block_by_one", "look_back",
                                         "grid_sync", "scope", "block_barrier", "warp_barrier",
                                         "halves", "in_step", "overlapping", "found"));

class OrdersTold : public Orders {};

TEST_F(OrdersTold, WhoWroteWhat) {
  const Fault fault = run("orders", "winner_wrong", 2).result.faults.at(0);
  EXPECT_EQ(fault.message,
            "bytes 0 to 3 of data of 16384 bytes are 0x00000001 in the first order and 0x00000004 "
            "in order 1; 1 byte differs; the reported thread wrote the value of order 1 "
            "(order 1 of seed 1)");
  // The last block begins first.
  EXPECT_EQ(fault.block, (emulator::Dim3{3, 0, 0}));
  EXPECT_EQ(fault.thread, (emulator::Dim3{0, 0, 0}));
  ASSERT_FALSE(fault.called_from.empty());
  EXPECT_TRUE(fault.called_from.back().file.ends_with("orders.cu"));
}

TEST_F(OrdersTold, WhoWroteALaterWord) {
  const Fault fault = run("orders", "later_wrong", 2).result.faults.at(0);
  EXPECT_TRUE(fault.message.starts_with("bytes 28 to 31 of data of 16384 bytes")) << fault.message;
  EXPECT_EQ(fault.block, (emulator::Dim3{3, 0, 0}));
  ASSERT_FALSE(fault.called_from.empty());
  EXPECT_TRUE(fault.called_from.back().file.ends_with("orders.cu"));
}

TEST_F(OrdersTold, MemoryIsThatOfTheFirst) {
  EXPECT_EQ(run("orders", "winner_wrong", 6).data.at(0), 1U);
  EXPECT_EQ(run("orders", "update_right", 6).data.at(0), 256U);
}

TEST_F(OrdersTold, SumsThatRoundDifferentlyAreNoFault) {
  const LaunchResult result = run("orders", "sum_right", 8).result;
  EXPECT_TRUE(result.faults.empty());
  EXPECT_GT(result.order_rounding, 0);
  EXPECT_LT(result.order_rounding, 1e-5);
}

TEST_F(OrdersTold, PaceHasOneOrder) {
  Emulated emulated(test::kernels_ptx("orders"));
  emulated.options.orders = 2;
  emulated.options.pace.emplace();
  emulated.options.compute_capabilities = {{9, 0}};
  const auto data = emulated.buffer(std::vector<std::uint32_t>(4096));
  EXPECT_THROW(emulated.launch("winner_right", {4}, {64}, data, data), InvalidArgument);
}

}  // namespace orders_tests
}  // namespace warpwise
