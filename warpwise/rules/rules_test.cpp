#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/rules/rules.hpp"

// "PG 4.2" is the CUDA C Programming Guide 4.2; its figures are rebuilt here from the rules they
// show.
namespace warpwise::rules {
namespace {

using Addresses = std::array<std::uint64_t, 32>;

Addresses lanes(const std::function<std::uint64_t(int)>& address_of) {
  Addresses addresses;
  for (int lane = 0; lane < 32; ++lane) addresses[lane] = address_of(lane);
  return addresses;
}

Addresses strided(std::uint64_t base, std::uint64_t stride_bytes) {
  return lanes([&](int lane) { return base + stride_bytes * lane; });
}

constexpr std::uint32_t all_lanes = 0xffffffffU;

GlobalTraffic global_load(ComputeCapability cc, const Addresses& addresses, int bytes = 4,
                          std::uint32_t active = all_lanes) {
  return global_traffic(cc, {addresses, active, bytes, false});
}

SharedPasses shared_load(ComputeCapability cc, const Addresses& addresses, int bytes = 4,
                         std::uint32_t active = all_lanes) {
  return shared_passes(cc, {addresses, active, bytes, false});
}

constexpr GlobalTraffic of_32(int count) { return {count, 0, 0}; }
constexpr GlobalTraffic of_64(int count) { return {0, count, 0}; }
constexpr GlobalTraffic of_128(int count) { return {0, 0, count}; }

constexpr ComputeCapability cc_1_0{1, 0};
constexpr ComputeCapability cc_1_1{1, 1};
constexpr ComputeCapability cc_1_2{1, 2};
constexpr ComputeCapability cc_1_3{1, 3};
constexpr ComputeCapability cc_2_0{2, 0};
constexpr ComputeCapability cc_3_0{3, 0};
constexpr ComputeCapability cc_5_0{5, 0};
constexpr ComputeCapability cc_6_1{6, 1};
constexpr ComputeCapability cc_7_5{7, 5};
constexpr ComputeCapability cc_9_0{9, 0};

// --- Compute capabilities
// -------------------------------------------------------------------------

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

// --- Global memory
// --------------------------------------------------------------------------------

// PG 4.2, figure F-1, top: 32 lanes read 128 bytes in order from an address aligned to them.
TEST(GlobalTraffic, FigureF1AlignedAndSequential) {
  const Addresses access = strided(128, 4);
  EXPECT_EQ(global_load(cc_1_0, access), of_64(2));
  EXPECT_EQ(global_load(cc_1_1, access), of_64(2));
  EXPECT_EQ(global_load(cc_1_2, access), of_64(2));
  EXPECT_EQ(global_load(cc_1_3, access), of_64(2));
  EXPECT_EQ(global_load(cc_2_0, access), of_128(1));
  EXPECT_EQ(global_traffic(cc_2_0, {access, all_lanes, 4, true}), of_32(4))
      << "as not cached in L1";
  EXPECT_EQ(global_load(cc_3_0, access), of_32(4));
  EXPECT_EQ(global_load(cc_9_0, access), of_32(4));
}

// PG 4.2, figure F-1, middle: the same bytes, with lanes changed about inside each half-warp.
TEST(GlobalTraffic, FigureF1AlignedButNotSequential) {
  const Addresses access = lanes([](int lane) { return 128 + 4 * (lane ^ 1); });
  EXPECT_EQ(global_load(cc_1_0, access), of_32(32));
  EXPECT_EQ(global_load(cc_1_1, access), of_32(32));
  EXPECT_EQ(global_load(cc_1_2, access), of_64(2));
  EXPECT_EQ(global_load(cc_1_3, access), of_64(2));
  EXPECT_EQ(global_load(cc_2_0, access), of_128(1));
  EXPECT_EQ(global_load(cc_3_0, access), of_32(4));
}

// PG 4.2, figure F-1, bottom: in order, but one word past the aligned address.
TEST(GlobalTraffic, FigureF1MisalignedAndSequential) {
  const Addresses access = strided(132, 4);
  EXPECT_EQ(global_load(cc_1_0, access), of_32(32));
  EXPECT_EQ(global_load(cc_1_1, access), of_32(32));
  EXPECT_EQ(global_load(cc_1_2, access), (GlobalTraffic{1, 1, 1}));
  EXPECT_EQ(global_load(cc_1_3, access), (GlobalTraffic{1, 1, 1}));
  EXPECT_EQ(global_load(cc_2_0, access), of_128(2));
  EXPECT_EQ(global_traffic(cc_2_0, {access, all_lanes, 4, true}), of_32(5));
  EXPECT_EQ(global_load(cc_3_0, access), of_32(5));
}

// PG 4.2, F.3.2.1: what a half-warp may do on 1.0 and 1.1.
TEST(GlobalTraffic, EarliestCoalescing) {
  EXPECT_EQ(global_load(cc_1_1, strided(256, 8), 8), of_128(2));
  EXPECT_EQ(global_load(cc_1_1, strided(256, 16), 16), of_128(4));
  EXPECT_EQ(global_load(cc_1_1, strided(256, 2), 2), of_32(32)) << "words of 2 bytes never";
  EXPECT_EQ(global_load(cc_1_1, strided(256, 1), 1), of_32(32));
  EXPECT_EQ(global_load(cc_1_1, strided(64, 4)), of_64(2)) << "64 bytes are alignment enough";
  EXPECT_EQ(global_load(cc_1_1, strided(64, 8), 8), of_32(32)) << "but not for 8-byte words";
  EXPECT_EQ(global_load(cc_1_1, strided(256, 4), 4, 0xffff0f0eU), of_64(2))
      << "lanes may be absent";
  EXPECT_EQ(global_load(cc_1_1, strided(256, 4), 4, 0x0000ffffU), of_64(1));
  // One lane out of place costs its own half-warp alone.
  Addresses access = strided(256, 4);
  access[5] = 4096;
  EXPECT_EQ(global_load(cc_1_1, access), (GlobalTraffic{16, 1, 0}));
}

// PG 4.2, F.3.2.2: segments by the size of the word, halved where half of one would do.
TEST(GlobalTraffic, SegmentsOf1_2And1_3) {
  EXPECT_EQ(global_load(cc_1_3, strided(256, 1), 1), of_32(2)) << "16 bytes a half-warp";
  EXPECT_EQ(global_load(cc_1_3, strided(256, 2), 2), of_32(2)) << "32 bytes: 64 halved";
  EXPECT_EQ(global_load(cc_1_3, strided(272, 2), 2, 0xffff), of_64(1))
      << "32 bytes in the middle of 64";
  EXPECT_EQ(global_load(cc_1_3, strided(256, 8), 8), of_128(2));
  EXPECT_EQ(global_load(cc_1_3, strided(256, 16), 16), of_128(4));
  EXPECT_EQ(global_load(cc_1_3, strided(256, 0)), of_32(2)) << "one word for all";
  EXPECT_EQ(global_load(cc_1_3, strided(256, 128)), of_32(32)) << "a segment each";
  EXPECT_EQ(global_load(cc_1_3, lanes([](int lane) { return 256 + 96 * (lane % 2); })), of_128(2))
      << "the two ends of a segment";
}

// PG 4.2, F.4.2: words of 8 and 16 bytes are 2 and 4 requests of 128 bytes.
TEST(GlobalTraffic, WideWords) {
  EXPECT_EQ(global_load(cc_2_0, strided(256, 8), 8), of_128(2));
  EXPECT_EQ(global_load(cc_2_0, strided(256, 16), 16), of_128(4));
  EXPECT_EQ(global_load(cc_2_0, strided(256, 0), 16), of_128(4))
      << "each request asks for the line";
  EXPECT_EQ(global_load(cc_5_0, strided(256, 0), 16), of_32(4));
  EXPECT_EQ(global_load(cc_6_1, strided(256, 0), 16), of_32(1));
  EXPECT_EQ(global_load(cc_9_0, strided(256, 0), 16), of_32(1));
  for (const ComputeCapability cc : {cc_3_0, cc_5_0, cc_6_1, cc_9_0}) {
    EXPECT_EQ(global_load(cc, strided(256, 16), 16), of_32(16)) << to_string(cc);
    EXPECT_EQ(global_load(cc, strided(264, 8), 8), of_32(cc.major < 6 ? 10 : 9)) << to_string(cc);
  }
}

// A2: 1024 x 1024 floats, 16 to a half-warp: one transaction each, or sixteen.
TEST(GlobalTraffic, SeedA2) {
  constexpr int half_warps = 1024 * 1024 / 16;
  const int together = global_load(cc_1_3, strided(0, 4)).transactions() / 2 * half_warps;
  const int apart = global_load(cc_1_3, strided(0, 128)).transactions() / 2 * half_warps;
  EXPECT_EQ(together, 65'536);
  EXPECT_EQ(apart, 1'048'576);
  EXPECT_EQ(global_load(cc_1_3, strided(0, 4)), of_64(2)) << "the profiler's gld_64b";
  EXPECT_EQ(global_load(cc_1_3, strided(0, 128)), of_32(32)) << "the profiler's gld_32b";
  // One of ten groups of SMs was counted, in whole blocks: 409 of 16, 410 of 256.
  EXPECT_EQ(409 * 16, 6544);
  EXPECT_EQ(410 * 256, 104'960);
  EXPECT_NEAR(together / 10.0, 6544, 16);
  EXPECT_NEAR(apart / 10.0, 104'960, 256);
}

// A2's illustration: a half-warp inside 32 bytes, or scattered over 2,048.
TEST(GlobalTraffic, SeedA2Illustration) {
  EXPECT_EQ(global_load(cc_1_3, strided(0, 2), 2, 0xffff), of_32(1));
  EXPECT_EQ(global_load(cc_1_3, strided(0, 128), 4, 0xffff), of_32(16));
  // Up to sixteen of 128 bytes: a word at each end of every segment takes two lanes, so 8 of them.
  const Addresses ends = lanes([](int lane) { return lane / 2 * 128 + lane % 2 * 124; });
  EXPECT_EQ(global_load(cc_1_3, ends, 4, 0xffff), of_128(8));
}

// D1, figure 3: the 48 bytes of RGB24 that 16 pixels take, read as 12 words, meet segments of 64
// bytes in four ways, and two of the four straddle a boundary.
TEST(GlobalTraffic, SeedDFigure3) {
  const auto access = [](int quarter) { return strided(48 * quarter, 4); };
  std::vector<std::size_t> segments;
  for (int quarter = 0; quarter < 4; ++quarter) {
    std::set<std::uint64_t> met;
    for (int lane = 0; lane < 12; ++lane) met.insert(access(quarter)[lane] / 64);
    segments.push_back(met.size());
  }
  EXPECT_EQ(segments, (std::vector<std::size_t>{1, 2, 2, 1}));
  // CC 1.3 meets the first boundary with a wider transaction, the second with another one.
  EXPECT_EQ(global_load(cc_1_3, access(0), 4, 0xfff), of_64(1));
  EXPECT_EQ(global_load(cc_1_3, access(1), 4, 0xfff), of_128(1));
  EXPECT_EQ(global_load(cc_1_3, access(2), 4, 0xfff), of_32(2));
  EXPECT_EQ(global_load(cc_1_3, access(3), 4, 0xfff), of_64(1));
  // The document's card: 48 bytes are aligned to 64 one time in four, and words in order or 12
  // accesses.
  EXPECT_EQ(global_load(cc_1_1, access(0), 4, 0xfff), of_64(1));
  for (int quarter = 1; quarter < 4; ++quarter) {
    EXPECT_EQ(global_load(cc_1_1, access(quarter), 4, 0xfff), of_32(12)) << quarter;
  }
  // The naive kernel reads bytes, one colour of 16 pixels at a time.
  EXPECT_EQ(global_load(cc_1_1, strided(0, 3), 1, 0xffff), of_32(16));
}

/// Threads of a block, and those of them with something to do in one round of its work.
struct Round {
  int threads;
  int busy;
};

double efficiency(const std::vector<Round>& rounds) {
  int executed = 0;
  int useful = 0;
  for (const Round& round : rounds) {
    executed += round.threads;
    useful += round.busy;
  }
  return static_cast<double>(useful) / executed;
}

// D2: 48 loads and 64 pixels, by 48 threads (pixels in two rounds), by 64 (a quarter idle while
// loading), and by 16 (three loads and four pixels each).
TEST(ThreadEfficiency, SeedD2) {
  EXPECT_NEAR(efficiency({{48, 48}, {48, 48}, {48, 64 - 48}}), 0.78, 0.005);
  EXPECT_EQ(efficiency({{64, 48}, {64, 64}}), 0.875);
  EXPECT_EQ(efficiency(std::vector<Round>(3 + 4, {16, 16})), 1);
}

/// Lanes that access global memory, and the transactions of CC 1.3 that this takes.
struct References {
  int lanes = 0;
  int transactions = 0;
  void add(std::uint64_t base) {
    lanes += 32;
    transactions += global_load(cc_1_3, strided(base, 4)).transactions();
  }
};

// A8: references to global memory for a pixel are 10 for the kernel without a tile, 9 neighbours
// and the result, and 2.5 for method IV, which copies six rows by three blocks of two rows and
// stores four.
TEST(References, SeedA8) {
  constexpr std::uint64_t pitch = 4096 * 4;
  constexpr int rows = 4;
  constexpr int pixels = 32 * rows;
  References global;
  References tile;
  for (std::uint64_t row = 1; row <= rows; ++row) {
    for (std::uint64_t y = row - 1; y <= row + 1; ++y) {
      for (std::uint64_t x = 124; x <= 132; x += 4) global.add(y * pitch + x);
    }
    global.add(row * pitch + 128);
    tile.add(row * pitch + 128);
  }
  for (std::uint64_t row = 0; row < rows + 2; ++row) tile.add(row * pitch + 128);
  EXPECT_EQ(static_cast<double>(global.lanes) / pixels, 10);
  EXPECT_EQ(static_cast<double>(tile.lanes) / pixels, 2.5);
  // In transactions the tile gains more: of the nine reads six are misaligned by a word, 3 to 2.
  EXPECT_EQ(global.transactions, rows * (3 * (3 + 2 + 3) + 2));
  EXPECT_EQ(tile.transactions, 2 * (rows + rows + 2));
}

// The same count made of addresses, slowly: sorted sets of segments for each request.
GlobalTraffic expected_traffic(ComputeCapability cc, const WarpAccess& access) {
  GlobalTraffic traffic;
  const int request = cc.major == 1 ? 16 : cc.major >= 6 ? 32 : std::min(32, 128 / access.bytes);
  for (int first = 0; first < 32; first += request) {
    std::map<std::uint64_t, std::set<std::uint64_t>> sectors_of;  // segment -> 32-byte pieces
    std::vector<int> active;
    const bool lines = cc.major == 2 && !access.store;
    const std::uint64_t segment = cc.major == 1 ? std::min(128, 32 * access.bytes)
                                  : lines       ? 128
                                                : 32;
    for (int lane = first; lane < first + request; ++lane) {
      if ((access.active >> lane & 1) == 0) continue;
      active.push_back(lane);
      sectors_of[access.addresses[lane] / segment].insert(access.addresses[lane] / 32);
    }
    if (active.empty()) continue;
    if (cc.major > 1) {
      (lines ? traffic.transactions_128 : traffic.transactions_32) +=
          static_cast<int>(sectors_of.size());
    } else if (cc.minor >= 2) {
      for (const auto& [index, sectors] : sectors_of) {
        const auto low = *sectors.begin();
        const auto high = *sectors.rbegin();
        if (low == high) {
          ++traffic.transactions_32;
        } else if (low / 2 == high / 2) {
          ++traffic.transactions_64;
        } else {
          ++traffic.transactions_128;
        }
      }
    } else {
      const std::uint64_t unit = access.bytes == 4 ? 64 : 128;
      const std::uint64_t base =
          access.addresses[active[0]] - static_cast<std::uint64_t>(access.bytes) * (active[0] % 16);
      const bool in_order = std::ranges::all_of(active, [&](int lane) {
        return access.addresses[lane] ==
               base + static_cast<std::uint64_t>(access.bytes) * (lane % 16);
      });
      if (access.bytes < 4 || base % unit != 0 || !in_order) {
        traffic.transactions_32 += static_cast<int>(active.size());
      } else if (access.bytes == 4) {
        ++traffic.transactions_64;
      } else {
        std::set<std::uint64_t> segments;
        for (const int lane : active) segments.insert(access.addresses[lane] / 128);
        traffic.transactions_128 += static_cast<int>(segments.size());
      }
    }
  }
  return traffic;
}

/// Random accesses as kernels make them and as they do not: strides, broadcasts, clusters, noise.
class Patterns {
 public:
  explicit Patterns(std::uint32_t seed) : random_(seed) {}

  int bytes() { return 1 << pick(0, 4); }
  std::uint32_t active() {
    switch (pick(0, 3)) {
      case 0: return static_cast<std::uint32_t>(random_());
      case 1: return (std::uint32_t{1} << pick(1, 31)) - 1;
      default: return all_lanes;
    }
  }
  Addresses addresses(std::uint64_t bytes) {
    const std::uint64_t base =
        static_cast<std::uint64_t>(pick(0, 600)) + (std::uint64_t{pick(0, 1) != 0} << 40);
    const auto range = static_cast<std::uint64_t>(std::array{2, 16, 64, 4096}[pick(0, 3)]);
    const auto stride = static_cast<std::uint64_t>(pick(0, 70));
    const int flip = pick(0, 31);
    Addresses result;
    switch (pick(0, 4)) {
      case 0: result = lanes([&](int lane) { return base + stride * lane; }); break;
      case 1: result = lanes([&](int lane) { return base + stride * (lane ^ flip); }); break;
      case 2: result = lanes([&](int) { return base + pick_below(range); }); break;
      case 3: result = lanes([&](int lane) { return base + stride * (lane / 2); }); break;
      default: result = lanes([&](int lane) { return base + lane; }); break;
    }
    for (std::uint64_t& address : result) address *= bytes;
    return result;
  }
  /// Lanes in another order, inside groups of `group` lanes.
  template <typename Array>
  Array shuffled(Array values, int group) {
    for (auto at = values.begin(); at != values.end(); at += group) {
      std::shuffle(at, at + group, random_);
    }
    return values;
  }
  std::uint32_t some_of(std::uint32_t mask) { return mask & static_cast<std::uint32_t>(random_()); }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  std::uint64_t pick_below(std::uint64_t end) { return random_() % end; }
  std::mt19937 random_;
};

constexpr int rounds = 4000;

TEST(GlobalTraffic, EqualsTheSlowCountOnRandomAccesses) {
  Patterns patterns(1);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = patterns.bytes();
    const Addresses addresses = patterns.addresses(bytes);
    const WarpAccess access{addresses, patterns.active(), bytes, round % 2 == 0};
    for (const auto& cc : known_compute_capabilities()) {
      ASSERT_EQ(global_traffic(cc, access), expected_traffic(cc, access))
          << to_string(cc) << ", round " << round;
    }
  }
}

std::uint64_t distinct_bytes(const WarpAccess& access) {
  std::set<std::uint64_t> places;
  for (int lane = 0; lane < 32; ++lane) {
    if ((access.active >> lane & 1) != 0) places.insert(access.addresses[lane]);
  }
  return places.size() * access.bytes;
}

TEST(GlobalTraffic, MovesWhatIsAskedAndNeverLessForMore) {
  Patterns patterns(2);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = patterns.bytes();
    const Addresses addresses = patterns.addresses(bytes);
    const WarpAccess access{addresses, patterns.active(), bytes, round % 2 == 0};
    WarpAccess fewer = access;
    fewer.active = patterns.some_of(access.active);
    for (const auto& cc : known_compute_capabilities()) {
      const GlobalTraffic traffic = global_traffic(cc, access);
      const auto moved = static_cast<std::uint64_t>(traffic.bytes_moved());
      ASSERT_GE(moved, distinct_bytes(access)) << to_string(cc) << ", round " << round;
      ASSERT_GE(traffic.transactions(), ideal_global_transactions(cc, access));
      ASSERT_LE(traffic.transactions(), 32);
      ASSERT_GE(traffic.transactions(), global_traffic(cc, fewer).transactions())
          << to_string(cc) << ", round " << round;
    }
  }
}

TEST(GlobalTraffic, TheOrderOfLanesMattersOn1_0And1_1Alone) {
  Patterns patterns(3);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = patterns.bytes();
    const Addresses addresses = patterns.addresses(bytes);
    for (const auto& cc : known_compute_capabilities()) {
      if (cc < cc_1_2) continue;
      const int group = cc.major == 1 ? 16 : cc.major >= 6 ? 32 : std::min(32, 128 / bytes);
      const Addresses other = patterns.shuffled(addresses, group);
      ASSERT_EQ(global_load(cc, addresses, bytes), global_load(cc, other, bytes))
          << to_string(cc) << ", round " << round;
    }
  }
}

TEST(GlobalTraffic, IdealIsReachedByNeighbours) {
  for (const auto& cc : known_compute_capabilities()) {
    for (const int bytes : {4, 8, 16}) {
      for (const bool store : {false, true}) {
        const Addresses addresses = strided(4096, bytes);
        const WarpAccess access{addresses, all_lanes, bytes, store};
        EXPECT_EQ(global_traffic(cc, access).transactions(), ideal_global_transactions(cc, access))
            << to_string(cc) << ", " << bytes << " bytes";
      }
    }
  }
  EXPECT_EQ(ideal_global_transactions(cc_9_0, {strided(0, 128), all_lanes, 4, false}), 4);
  EXPECT_EQ(ideal_global_transactions(cc_9_0, {strided(0, 0), all_lanes, 4, false}), 1);
}

// --- Local memory
// ---------------------------------------------------------------------------------

// PG 4.2, 5.3.2.2: consecutive words belong to consecutive threads, so one offset for all is
// coalesced.
TEST(LocalTraffic, OneOffsetForAllIsCoalesced) {
  const Addresses same = strided(20, 0);
  EXPECT_EQ(local_traffic(cc_1_1, {same, all_lanes, 4, false}), of_64(2));
  EXPECT_EQ(local_traffic(cc_1_3, {same, all_lanes, 4, true}), of_64(2));
  EXPECT_EQ(local_traffic(cc_2_0, {same, all_lanes, 4, false}), of_128(1));
  EXPECT_EQ(local_traffic(cc_2_0, {same, all_lanes, 4, true}), of_32(4));
  EXPECT_EQ(local_traffic(cc_3_0, {same, all_lanes, 4, false}), of_128(1));
  EXPECT_EQ(local_traffic(cc_9_0, {same, all_lanes, 4, false}), of_32(4));
  EXPECT_EQ(local_traffic(cc_1_1, {same, all_lanes, 1, false}), of_64(2)) << "its word";
}

TEST(LocalTraffic, WideAccessesAreTheirWords) {
  const Addresses same = strided(32, 0);
  EXPECT_EQ(local_traffic(cc_1_3, {same, all_lanes, 16, false}), of_64(8));
  EXPECT_EQ(local_traffic(cc_2_0, {same, all_lanes, 8, false}), of_128(2));
  EXPECT_EQ(local_traffic(cc_9_0, {same, all_lanes, 16, false}), of_32(16));
  EXPECT_EQ(ideal_local_transactions(cc_9_0, {same, all_lanes, 16, false}), 16);
}

TEST(LocalTraffic, AnIndexForEachLaneScatters) {
  const Addresses own = strided(0, 4);
  EXPECT_EQ(local_traffic(cc_9_0, {own, all_lanes, 4, false}), of_32(32));
  EXPECT_EQ(local_traffic(cc_2_0, {own, all_lanes, 4, false}), of_128(32));
  EXPECT_EQ(local_traffic(cc_1_1, {own, all_lanes, 4, false}), of_32(32));
  EXPECT_EQ(ideal_local_transactions(cc_9_0, {own, all_lanes, 4, false}), 4);
}

// --- Shared memory
// --------------------------------------------------------------------------------

// PG 4.2, figure F-2: strides of one, two and three words. Two is free on 3.0, whose banks are as
// wide as two words; F.3.3.1 and F.4.3.1 say that it conflicts two ways on 1.x and 2.x.
TEST(SharedPasses, FigureF2Strides) {
  for (const auto& cc : known_compute_capabilities()) {
    const int requests = cc.major == 1 ? 2 : 1;
    const int even_degree = cc.major == 3 ? 1 : 2;
    EXPECT_EQ(shared_load(cc, strided(0, 4)), (SharedPasses{requests, requests})) << to_string(cc);
    EXPECT_EQ(shared_load(cc, strided(0, 8)), (SharedPasses{even_degree * requests, requests}))
        << to_string(cc);
    EXPECT_EQ(shared_load(cc, strided(0, 12)), (SharedPasses{requests, requests})) << to_string(cc);
  }
}

// PG 4.2, F.3.3.1 and F.4.3.1: a stride of s words conflicts gcd(s, banks) ways.
TEST(SharedPasses, StridesConflictByTheirCommonDivisor) {
  for (int stride = 1; stride <= 64; ++stride) {
    const Addresses access = strided(0, 4 * stride);
    EXPECT_EQ(shared_load(cc_1_3, access).passes, 2 * std::gcd(stride, 16)) << stride;
    EXPECT_EQ(shared_load(cc_2_0, access).passes, std::gcd(stride, 32)) << stride;
    EXPECT_EQ(shared_load(cc_9_0, access).passes, std::gcd(stride, 32)) << stride;
  }
}

// PG 4.2, figure F-3: left a permutation, in the middle lanes 3, 4, 6, 7 and 9 in one word of bank
// 5, right several words, each for several lanes.
TEST(SharedPasses, FigureF3IrregularAccesses) {
  const Addresses permutation = lanes([](int lane) { return 4 * ((5 * lane + 3) % 32); });
  const Addresses one_word = lanes([](int lane) {
    const bool shares = lane == 3 || lane == 4 || lane == 6 || lane == 7 || lane == 9;
    return std::uint64_t{4} * (shares ? 5 : lane == 5 ? 9 : lane);
  });
  const Addresses several_words = lanes([](int lane) { return 4 * (lane / 4); });
  for (const auto& cc : known_compute_capabilities()) {
    if (cc.major == 1) continue;
    EXPECT_EQ(shared_load(cc, permutation).passes, 1) << to_string(cc);
    EXPECT_EQ(shared_load(cc, one_word).passes, 1) << to_string(cc);
    EXPECT_EQ(shared_load(cc, several_words).passes, 1) << to_string(cc);
  }
  // With 16 banks and one broadcast a step (F.3.3.2): free, free, and for two words of two lanes 2
  // ways.
  const Addresses half_permutation = lanes([](int lane) { return 4 * ((5 * lane + 3) % 16); });
  EXPECT_EQ(shared_load(cc_1_3, half_permutation).passes, 2);
  EXPECT_EQ(shared_load(cc_1_3, one_word, 4, 0xffff).passes, 1);
  const Addresses two_words = lanes([](int lane) {
    return std::uint64_t{4} * (lane == 1 ? 0 : lane == 3 ? 2 : lane);
  });
  EXPECT_EQ(shared_load(cc_1_3, two_words, 4, 0xffff).passes, 2);
  EXPECT_EQ(shared_load(cc_1_3, strided(40, 0)).passes, 2)
      << "one word for all: a pass a half-warp";
}

// PG 4.2, F.3.3.3 and F.4.3: neighbouring bytes share banks, which 1.x cannot serve at once.
TEST(SharedPasses, NarrowAccesses) {
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 1), 1).passes, 2 * 4);
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 2), 2).passes, 2 * 2);
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 4), 1).passes, 2);
  EXPECT_EQ(shared_load(cc_2_0, strided(0, 1), 1).passes, 1);
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 2), 2).passes, 1);
}

// PG 4.2, F.3.3: nothing is broadcast on a write, and of lanes that write one place a single one
// does.
TEST(SharedPasses, WritesOn1x) {
  EXPECT_EQ(shared_passes(cc_1_3, {strided(0, 0), all_lanes, 4, true}).passes, 2);
  EXPECT_EQ(shared_passes(cc_1_3, {strided(0, 1), all_lanes, 1, true}).passes, 2 * 4);
  EXPECT_EQ(shared_passes(cc_1_3, {strided(0, 64), all_lanes, 4, true}).passes, 2 * 16);
}

// PG 4.2, F.3.3.4 and F.4.3.2: doubles conflict two ways on 1.x, not on 2.x.
TEST(SharedPasses, Doubles) {
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 8), 8), (SharedPasses{8, 4}));
  EXPECT_EQ(shared_load(cc_2_0, strided(0, 8), 8), (SharedPasses{2, 2}));
  EXPECT_EQ(shared_load(cc_3_0, strided(0, 8), 8), (SharedPasses{1, 1}));
  EXPECT_EQ(shared_load(cc_3_0, strided(128, 8), 8), (SharedPasses{2, 1}))
      << "words 32 to 95 lie in two segments of 64";
  EXPECT_EQ(shared_load(cc_5_0, strided(0, 8), 8), (SharedPasses{2, 2}));
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 8), 8), (SharedPasses{2, 2}));
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 16), 8), (SharedPasses{4, 2}));
}

// PG 4.2, F.4.3.2: on 2.x one more than the quarter-warps' own conflicts.
TEST(SharedPasses, Quadruples) {
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 16), 16), (SharedPasses{2 * 4 * 4, 2 * 4}));
  EXPECT_EQ(shared_load(cc_2_0, strided(0, 16), 16), (SharedPasses{4 * 2, 4}));
  EXPECT_EQ(shared_load(cc_3_0, strided(0, 16), 16), (SharedPasses{2, 2}));
  EXPECT_EQ(shared_load(cc_5_0, strided(0, 16), 16), (SharedPasses{4, 4}));
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 16), 16), (SharedPasses{4, 4}));
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 32), 16), (SharedPasses{8, 4}));
}

// From 7.0 on, phases of wide reads merge in pairs when neighbours want the same.
TEST(SharedPasses, PairsMergePhases) {
  const Addresses neighbours = lanes([](int lane) { return 16 * (lane / 2); });
  const Addresses next_but_one = lanes([](int lane) { return 16 * (lane / 4 * 2 + lane % 2); });
  const Addresses next_but_three = lanes([](int lane) { return 16 * (lane / 8 * 4 + lane % 4); });
  for (const Addresses& access : {neighbours, next_but_one}) {
    EXPECT_EQ(shared_load(cc_7_5, access, 16), (SharedPasses{2, 2}));
    EXPECT_EQ(shared_load(cc_9_0, access, 16), (SharedPasses{2, 2}));
    EXPECT_EQ(shared_load(cc_6_1, access, 16), (SharedPasses{4, 4}));
  }
  EXPECT_EQ(shared_load(cc_9_0, next_but_three, 16), (SharedPasses{4, 4}));
  EXPECT_EQ(shared_load(cc_9_0, strided(64, 0), 16), (SharedPasses{2, 2})) << "one place for all";
  EXPECT_EQ(shared_load(cc_9_0, strided(64, 0), 8), (SharedPasses{1, 1}));
  EXPECT_EQ(shared_load(cc_9_0, lanes([](int lane) { return 8 * (lane / 2); }), 8),
            (SharedPasses{1, 1}));
  EXPECT_EQ(shared_passes(cc_9_0, {neighbours, all_lanes, 16, true}), (SharedPasses{4, 4}))
      << "writes do not merge";
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 16), 16, 0x55555555), (SharedPasses{4, 2}))
      << "an absent neighbour does not stand in the way, but these conflict";
  // Merged phases can conflict with each other: pairs 256 bytes apart.
  EXPECT_EQ(shared_load(cc_9_0, lanes([](int lane) { return 256 * (lane / 2); }), 8),
            (SharedPasses{16, 1}));
}

// A1: 3840 x 3840 elements, each half-warp in one bank sixteen times over.
TEST(SharedPasses, SeedA1) {
  const SharedPasses conflict = shared_load(cc_1_3, strided(0, 64));
  EXPECT_EQ(conflict.passes / 2, 16) << "the conflict's degree";
  EXPECT_EQ(conflict.passes - conflict.ideal, 30) << "extra passes a warp";
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 4)), (SharedPasses{2, 2}));
  // gld_64b and gst_64b of one of ten groups of SMs.
  const int a_warp = global_load(cc_1_3, strided(0, 4)).transactions_64;
  EXPECT_EQ(3840 * 3840 / 32 * a_warp / 10, 92160);
}

int expected_phases(ComputeCapability cc, const WarpAccess& access, int& lanes_of_phase) {
  lanes_of_phase = access.bytes <= 4 ? 32 : 128 / access.bytes;
  if (cc.major == 3) lanes_of_phase = std::min(32, 256 / access.bytes);
  if (cc.major >= 7 && access.bytes > 4 && !access.store) {
    for (const int distance : {1, 2}) {
      bool agree = true;
      for (int lane = 0; lane < 32; ++lane) {
        const int partner = lane ^ distance;
        if ((access.active >> lane & 1) != 0 && (access.active >> partner & 1) != 0) {
          agree = agree && access.addresses[lane] == access.addresses[partner];
        }
      }
      if (agree) {
        lanes_of_phase = 2 * 128 / access.bytes;
        break;
      }
    }
  }
  return 32 / lanes_of_phase;
}

// Word by word and bank by bank.
SharedPasses expected_passes(ComputeCapability cc, const WarpAccess& access) {
  int lanes_of_phase = 0;
  const int phases = expected_phases(cc, access, lanes_of_phase);
  SharedPasses result;
  for (int phase = 0; phase < phases; ++phase) {
    std::array<std::set<std::uint64_t>, 32> rows;
    for (int lane = phase * lanes_of_phase; lane < (phase + 1) * lanes_of_phase; ++lane) {
      if ((access.active >> lane & 1) == 0) continue;
      for (int offset = 0; offset < access.bytes; ++offset) {
        const std::uint64_t word = (access.addresses[lane] + offset) / 4;
        rows[word % 32].insert(cc.major == 3 ? word / 64 : word / 32);
      }
    }
    std::size_t most = 0;
    for (const auto& row : rows) most = std::max(most, row.size());
    if (most == 0) continue;
    result.passes += static_cast<int>(most) + (cc.major == 2 && access.bytes == 16 ? 1 : 0);
    result.ideal += 1;
  }
  return result;
}

TEST(SharedPasses, EqualTheSlowCountOnRandomAccesses) {
  Patterns patterns(4);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = patterns.bytes();
    const Addresses addresses = patterns.addresses(bytes);
    const WarpAccess access{addresses, patterns.active(), bytes, round % 2 == 0};
    for (const auto& cc : known_compute_capabilities()) {
      if (cc.major == 1) continue;
      ASSERT_EQ(shared_passes(cc, access), expected_passes(cc, access))
          << to_string(cc) << ", round " << round;
    }
  }
}

TEST(SharedPasses, LieBetweenIdealAndOneLaneAtATime) {
  Patterns patterns(5);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = patterns.bytes();
    const Addresses addresses = patterns.addresses(bytes);
    const WarpAccess access{addresses, patterns.active(), bytes, round % 2 == 0};
    WarpAccess fewer = access;
    fewer.active = patterns.some_of(access.active);
    for (const auto& cc : known_compute_capabilities()) {
      const SharedPasses passes = shared_passes(cc, access);
      const int words = std::max(1, bytes / 4);
      ASSERT_GE(passes.passes, passes.ideal) << to_string(cc) << ", round " << round;
      ASSERT_LE(passes.passes, std::popcount(access.active) * words + 4) << to_string(cc);
      ASSERT_EQ(passes.passes == 0, access.active == 0);
      if (cc.major > 1) {
        ASSERT_LE(shared_passes(cc, fewer).passes, passes.passes)
            << to_string(cc) << ", round " << round;
      }
    }
  }
}

// On 1.x a read takes at least as many steps as any bank has words, and at most as many as lanes.
TEST(SharedPasses, BroadcastOn1xIsBounded) {
  Patterns patterns(6);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = std::min(4, patterns.bytes());
    const Addresses addresses = patterns.addresses(bytes);
    std::array<std::set<std::uint64_t>, 16> words;
    std::array<int, 16> lanes_in{};
    for (int lane = 0; lane < 16; ++lane) {
      words[addresses[lane] / 4 % 16].insert(addresses[lane] / 4);
      ++lanes_in[addresses[lane] / 4 % 16];
    }
    std::size_t least = 0;
    for (const auto& bank : words) least = std::max(least, bank.size());
    const int passes = shared_load(cc_1_3, addresses, bytes, 0xffff).passes;
    ASSERT_GE(passes, static_cast<int>(least)) << "round " << round;
    ASSERT_LE(passes, std::ranges::max(lanes_in)) << "round " << round;
    const Addresses other = patterns.shuffled(addresses, 16);
    ASSERT_EQ(shared_load(cc_1_3, other, bytes, 0xffff).passes, passes) << "round " << round;
  }
}

// Half-warps are served apart on 1.x. Whole warps of equal steps take a shorter way through the
// code.
TEST(SharedPasses, AWarpOn1xIsItsHalves) {
  Patterns patterns(9);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = patterns.bytes();
    const Addresses addresses = patterns.addresses(bytes);
    const bool store = round % 2 == 0;
    const SharedPasses low = shared_passes(cc_1_3, {addresses, 0x0000ffff, bytes, store});
    const SharedPasses high = shared_passes(cc_1_3, {addresses, 0xffff0000, bytes, store});
    const SharedPasses whole = shared_passes(cc_1_3, {addresses, all_lanes, bytes, store});
    ASSERT_EQ(whole.passes, low.passes + high.passes) << "round " << round;
    ASSERT_EQ(whole.ideal, low.ideal + high.ideal) << "round " << round;
  }
}

TEST(SharedPasses, TheOrderOfLanesInAPhaseDoesNotMatter) {
  Patterns patterns(7);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = patterns.bytes();
    const Addresses addresses = patterns.addresses(bytes);
    for (const auto& cc : known_compute_capabilities()) {
      if (cc.major == 1 || (cc.major >= 7 && bytes > 4)) continue;
      const Addresses other = patterns.shuffled(addresses, bytes <= 4 ? 32 : 128 / bytes);
      ASSERT_EQ(shared_load(cc, addresses, bytes), shared_load(cc, other, bytes))
          << to_string(cc) << ", round " << round;
    }
  }
}

// --- Constant memory
// ------------------------------------------------------------------------------

TEST(ConstantPasses, OneForEachDistinctAddress) {
  EXPECT_EQ(constant_passes(cc_9_0, {strided(8, 0), all_lanes, 4, false}), 1);
  EXPECT_EQ(constant_passes(cc_9_0, {strided(8, 4), all_lanes, 4, false}), 32);
  EXPECT_EQ(constant_passes(cc_1_3, {strided(8, 0), all_lanes, 4, false}), 2) << "by half-warps";
  EXPECT_EQ(constant_passes(cc_1_3, {strided(8, 0), 0xffff, 4, false}), 1);
  EXPECT_EQ(constant_passes(cc_2_0,
                            {lanes([](int lane) { return 4 * (lane % 3); }), all_lanes, 4, false}),
            3);
}

// --- Any input
// ------------------------------------------------------------------------------------

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

// --- Occupancy
// ------------------------------------------------------------------------------------

// A4: 256 threads on CC 1.3 fill the SM with 4 blocks, up to 4 KB and 16 registers each.
TEST(Occupancy, SeedA4) {
  const Occupancy full = occupancy(cc_1_3, {256, 16, 4096});
  EXPECT_EQ(full.blocks_per_sm, 4);
  EXPECT_EQ(full.warps_per_sm, 32);
  EXPECT_EQ(full.fraction, 1);
  EXPECT_EQ(occupancy(cc_1_3, {256, 17, 4096}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy(cc_1_3, {256, 17, 4096}).limiter, Limiter::registers);
  EXPECT_EQ(occupancy(cc_1_3, {256, 16, 4097}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy(cc_1_3, {256, 16, 4097}).limiter, Limiter::shared_memory);
  EXPECT_EQ(occupancy(cc_1_3, {64, 16, 0}).blocks_per_sm, 8);
  EXPECT_EQ(occupancy(cc_1_3, {64, 16, 0}).limiter, Limiter::blocks);
}

// A4, of document D's card: 768 threads to an SM, 256 to a block.
TEST(Occupancy, SeedDCard) {
  const Occupancy full = occupancy(cc_1_1, {256, 10, 0});
  EXPECT_EQ(full.blocks_per_sm, 3);
  EXPECT_EQ(full.fraction, 1);
  EXPECT_EQ(full.limiter, Limiter::warps);
}

// A5: blocks of 32 x 4 and 32 x 16 on the same card as A4: 8 and 2 of them.
TEST(Occupancy, SeedA5Blocks) {
  EXPECT_EQ(occupancy(cc_1_3, {32 * 4, 16, 0}).blocks_per_sm, 8);
  EXPECT_EQ(occupancy(cc_1_3, {32 * 16, 16, 0}).blocks_per_sm, 2);
}

// By hand, from the rules of NVIDIA's occupancy calculator for 1.x: registers of a block in one
// piece, for an even number of warps, rounded up to 256 (1.0, 1.1) or 512 (1.2, 1.3).
TEST(Occupancy, RegistersOf1x) {
  // 6 warps * 32 * 10 = 1920 -> 2048 of 8192: 4 blocks, 24 warps.
  EXPECT_EQ(occupancy(cc_1_0, {192, 10, 0}).blocks_per_sm, 4);
  // 6 * 32 * 11 = 2112 -> 2304: 3 blocks.
  EXPECT_EQ(occupancy(cc_1_0, {192, 11, 0}).blocks_per_sm, 3);
  // 5 warps count as 6: 6 * 32 * 16 = 3072: 2 blocks, though 5 * 512 = 2560 would make 3.
  EXPECT_EQ(occupancy(cc_1_0, {160, 16, 0}).blocks_per_sm, 2);
  // 8 * 32 * 20 = 5120 of 16384: 3 blocks of 8 warps.
  EXPECT_EQ(occupancy(cc_1_3, {256, 20, 0}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy(cc_1_3, {256, 20, 0}).fraction, 0.75);
  // 16 * 32 * 32 = 16384: one block, the whole file.
  EXPECT_EQ(occupancy(cc_1_3, {512, 32, 0}).blocks_per_sm, 1);
  EXPECT_THROW(occupancy(cc_1_3, {512, 33, 0}), InvalidArgument);
  // 4 * 32 * 9 = 1152 -> 1536 by units of 512: 10 blocks, of which 8 may be there.
  EXPECT_EQ(occupancy(cc_1_3, {128, 9, 0}).blocks_per_sm, 8);
}

// By hand, for 2.x: registers of a warp rounded up to 64 (some counts: 128), in two partitions.
TEST(Occupancy, RegistersOf2x) {
  // 20 * 32 = 640: 16384 / 640 = 25 warps in each half, 50: 6 blocks of 8 warps.
  EXPECT_EQ(occupancy(cc_2_0, {256, 20, 0}).blocks_per_sm, 6);
  EXPECT_EQ(occupancy(cc_2_0, {256, 20, 0}).fraction, 1);
  // 21 * 32 = 672 -> 768, in units of 128: 21 in each half, 42: 5 blocks; units of 64 would
  // give 46.
  EXPECT_EQ(occupancy(cc_2_0, {256, 21, 0}).blocks_per_sm, 5);
  EXPECT_EQ(occupancy(cc_2_0, {64, 21, 0}).limiter, Limiter::blocks);
  EXPECT_EQ(occupancy(cc_2_0, {192, 21, 0}).blocks_per_sm, 7) << "42 / 6; by units of 64 also 7";
  EXPECT_EQ(occupancy(cc_2_0, {224, 21, 0}).blocks_per_sm, 6);
  EXPECT_EQ(occupancy(cc_2_0, {288, 21, 0}).blocks_per_sm, 4) << "42 / 9; by units of 64 it were 5";
  // 63 * 32 = 2016 -> 2048: 8 warps in each half, 16: one block of 16 warps and no larger.
  EXPECT_EQ(occupancy(cc_2_0, {512, 63, 0}).blocks_per_sm, 1);
  EXPECT_THROW(occupancy(cc_2_0, {544, 63, 0}), InvalidArgument);
  EXPECT_EQ(occupancy(cc_2_0, {192, 20, 16 * 1024}).blocks_per_sm, 3);
}

TEST(Occupancy, NamesTheFirstOfEqualLimits) {
  EXPECT_EQ(occupancy(cc_1_3, {256, 16, 4096}).limiter, Limiter::warps);
  EXPECT_EQ(occupancy(cc_1_3, {128, 16, 2048}).limiter, Limiter::warps);
  EXPECT_EQ(occupancy(cc_9_0, {32, 32, 0}).limiter, Limiter::blocks);
  EXPECT_EQ(to_string(Limiter::shared_memory), "shared memory");
}

TEST(Occupancy, CountsWhatTheDriverReserves) {
  // 100 KB to an SM: three blocks of 32 KB, each with 1 KB more, and no fourth even of 24.1 KB.
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 32 * 1024}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 24 * 1024}).blocks_per_sm, 4);
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 24 * 1024 + 1}).blocks_per_sm, 3);
  EXPECT_EQ(occupancy({8, 6}, {128, 32, 99 * 1024}).blocks_per_sm, 1);
}

TEST(Occupancy, RefusesWhatCannotRunWithBothNumbers) {
  const auto expect_refused = [](ComputeCapability cc, const BlockResources& block,
                                 const char* given, const char* limit) {
    try {
      occupancy(cc, block);
      ADD_FAILURE() << "not refused: " << given;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(given), std::string::npos) << message;
      EXPECT_NE(message.find(limit), std::string::npos) << message;
    }
  };
  expect_refused(cc_1_3, {513, 8, 0}, "513", "512");
  expect_refused(cc_9_0, {2000, 8, 0}, "2000", "1024");
  expect_refused(cc_2_0, {32, 64, 0}, "64", "63");
  expect_refused(cc_9_0, {32, 256, 0}, "256", "255");
  expect_refused(cc_9_0, {1024, 255, 0}, "262144", "65536");
  expect_refused(cc_6_1, {32, 8, 49153}, "49153", "49152");
  expect_refused(cc_9_0, {32, 8, 227 * 1024 + 1}, "232449", "232448");
  EXPECT_THROW(occupancy(cc_9_0, {0, 8, 0}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {-1, 8, 0}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {32, -1, 0}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {32, 8, -1}), InvalidArgument);
  EXPECT_THROW(occupancy(cc_9_0, {2147483647, 2147483647, 2147483647}), InvalidArgument);
}

}  // namespace
}  // namespace warpwise::rules
