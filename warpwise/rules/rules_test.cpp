#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/rules/rules.hpp"
#include "warpwise/rules/test_accesses.hpp"

namespace warpwise::rules {
namespace {

using namespace test;

TEST(ComputeCapability, ReadsEverySpelling) {
  EXPECT_EQ(parse_compute_capability("9.0"), cc_9_0);
  EXPECT_EQ(parse_compute_capability("90"), cc_9_0);
  EXPECT_EQ(parse_compute_capability("sm_90"), cc_9_0);
  EXPECT_EQ(parse_compute_capability("compute_90"), cc_9_0);
  for (const auto& cc : known_compute_capabilities()) {
    EXPECT_EQ(parse_compute_capability(to_string(cc)), cc);
    const auto digits = std::to_string(cc.major) + std::to_string(cc.minor);
    EXPECT_EQ(parse_compute_capability(digits), cc);
    EXPECT_EQ(parse_compute_capability("sm_" + digits), cc);
  }
}

TEST(ComputeCapability, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"", "9", "9.", ".0", "sm_", "sm_9.0", "9.0.0", "4.0", "13.0", "-1.0", "1.-0", "9.1", "nine",
        "9.0 ", " 9.0", "99999999999.0", "0.9", "sm_sm_90", "90a"}) {
    EXPECT_THROW(parse_compute_capability(text), InvalidArgument) << '"' << text << '"';
  }
  try {
    parse_compute_capability("4.2");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("1.3, 2.0"), std::string::npos) << error.what();
  }
}

TEST(ComputeCapability, ListsThemInOrder) {
  const auto known = known_compute_capabilities();
  EXPECT_TRUE(std::ranges::is_sorted(known));
  EXPECT_EQ(known.front(), cc_1_0);
  EXPECT_EQ(known.back(), (ComputeCapability{12, 1}));
  for (const auto& cc : known) EXPECT_GT(sm_limits(cc).warps, 0) << to_string(cc);
}

TEST(ComputeCapability, LimitsLinearTextures) {
  for (const auto& cc : known_compute_capabilities()) {
    const bool is_small = cc < ComputeCapability{6, 0} || cc == ComputeCapability{6, 1} ||
                          cc == ComputeCapability{6, 2} || cc == ComputeCapability{7, 2};
    EXPECT_EQ(max_linear_texels(cc), is_small ? 134217728 : 268435456) << to_string(cc);
  }
  EXPECT_THROW(max_linear_texels({4, 0}), InvalidArgument);
}

TEST(Rules, NoActiveLaneCostsNothing) {
  const Addresses addresses = strided(12, 3);
  for (const auto& cc : known_compute_capabilities()) {
    const WarpAccess access{addresses, 0, 4, false};
    EXPECT_EQ(global_traffic(cc, access), GlobalTraffic{});
    EXPECT_EQ(local_traffic(cc, access), GlobalTraffic{});
    EXPECT_EQ(shared_passes(cc, access), SharedPasses{});
    EXPECT_EQ(constant_passes(cc, access), 0);
    EXPECT_EQ(ideal_global_transactions(cc, access), 0);
    EXPECT_EQ(ideal_local_transactions(cc, access), 0);
  }
}

TEST(Rules, RefuseOtherWidthsAndUnknownGpus) {
  const Addresses addresses = strided(0, 4);
  for (const int bytes : {0, 3, 5, 12, 32, -1, -4, -2147483647 - 1}) {
    const WarpAccess access{addresses, all_lanes, bytes, false};
    EXPECT_THROW(global_traffic(cc_9_0, access), InvalidArgument) << bytes;
    EXPECT_THROW(local_traffic(cc_9_0, access), InvalidArgument) << bytes;
    EXPECT_THROW(shared_passes(cc_9_0, access), InvalidArgument) << bytes;
    EXPECT_THROW(constant_passes(cc_9_0, access), InvalidArgument) << bytes;
  }
  for (const ComputeCapability cc :
       {ComputeCapability{4, 0}, ComputeCapability{9, 1}, ComputeCapability{-1, 0},
        ComputeCapability{13, 0}, ComputeCapability{9, -1}, ComputeCapability{9, 64}}) {
    EXPECT_THROW(global_traffic(cc, {addresses, all_lanes, 4, false}), InvalidArgument);
    EXPECT_THROW(sm_limits(cc), InvalidArgument);
    EXPECT_THROW(occupancy(cc, {32, 0, 0}), InvalidArgument);
  }
}

TEST(Rules, MisalignedAddressesAndTheLastByteDoNoHarm) {
  std::mt19937_64 random(8);
  for (int round = 0; round < rounds; ++round) {
    const Addresses addresses =
        lanes([&](int) { return round % 2 == 0 ? random() : ~std::uint64_t{0} - random() % 64; });
    for (const int bytes : {1, 2, 4, 8, 16}) {
      const WarpAccess access{addresses, static_cast<std::uint32_t>(random()), bytes,
                              round % 3 == 0};
      for (const auto& cc : known_compute_capabilities()) {
        ASSERT_LE(global_traffic(cc, access).transactions(), 32);
        ASSERT_LE(local_traffic(cc, access).transactions(), 4 * 32);
        ASSERT_LE(shared_passes(cc, access).passes, 4 * 32 + 4);
        ASSERT_LE(constant_passes(cc, access), 32);
      }
    }
  }
}

// Compares the rules with counters of an H200. measured_cc90.txt names the counters.
TEST(Measured, RulesOf9_0EqualTheCounters) {
  std::ifstream file(WARPWISE_MEASURED_CC90);
  std::map<std::string, int> lines_of;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string space;
    std::string direction;
    int bytes = 0;
    std::uint32_t active = 0;
    int measured = 0;
    words >> space >> bytes >> direction >> std::hex >> active >> std::dec >> measured;
    Addresses addresses;
    for (std::uint64_t& address : addresses) {
      words >> address;
      address *= bytes;
    }
    ASSERT_TRUE(words) << line;
    const WarpAccess access{addresses, active, bytes, direction == "st"};
    const int expected = space == "shared"   ? shared_passes(cc_9_0, access).passes
                         : space == "global" ? global_traffic(cc_9_0, access).transactions_32
                                             : local_traffic(cc_9_0, access).transactions_32;
    EXPECT_EQ(expected, measured) << line;
    ++lines_of[space];
  }
  EXPECT_EQ(lines_of, (std::map<std::string, int>{{"shared", 160}, {"global", 60}, {"local", 50}}));
}

}  // namespace
}  // namespace warpwise::rules
