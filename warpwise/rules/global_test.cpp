#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/rules/rules.hpp"
#include "warpwise/rules/test_accesses.hpp"

// "PG 4.2" is the CUDA C Programming Guide 4.2. Tests rebuild its figures from the rules they show.
// A2, A8, D1 and D2 are rows of docs/sources.md, which lists the project's source documents.
namespace warpwise::rules {
namespace {

using namespace test;

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

// PG 4.2, figure F-1, middle: the same bytes, with lanes permuted inside each half-warp.
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

// PG 4.2, F.3.2.1: coalesced accesses of a half-warp on 1.0 and 1.1.
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
  // One misplaced lane affects only its own half-warp.
  Addresses access = strided(256, 4);
  access[5] = 4096;
  EXPECT_EQ(global_load(cc_1_1, access), (GlobalTraffic{16, 1, 0}));
}

// PG 4.2, F.3.2.2: the word's size sets the segment's. A segment is halved if one half suffices.
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

// A2: 1024 x 1024 floats. A half-warp takes 1 transaction for neighbours, or 16 for distant ones.
TEST(GlobalTraffic, SeedA2) {
  constexpr int half_warps = 1024 * 1024 / 16;
  const int together = global_load(cc_1_3, strided(0, 4)).transactions() / 2 * half_warps;
  const int apart = global_load(cc_1_3, strided(0, 128)).transactions() / 2 * half_warps;
  EXPECT_EQ(together, 65'536);
  EXPECT_EQ(apart, 1'048'576);
  EXPECT_EQ(global_load(cc_1_3, strided(0, 4)), of_64(2)) << "the profiler's gld_64b";
  EXPECT_EQ(global_load(cc_1_3, strided(0, 128)), of_32(32)) << "the profiler's gld_32b";
  // The profiler counts a tenth of the SMs. They ran 409 blocks of 16 transactions, or 410 of 256.
  EXPECT_EQ(409 * 16, 6544);
  EXPECT_EQ(410 * 256, 104'960);
  EXPECT_NEAR(together / 10.0, 6544, 16);
  EXPECT_NEAR(apart / 10.0, 104'960, 256);
}

// A2's illustration: a half-warp reads within 32 bytes, or at places scattered over 2,048 bytes.
TEST(GlobalTraffic, SeedA2Illustration) {
  EXPECT_EQ(global_load(cc_1_3, strided(0, 2), 2, 0xffff), of_32(1));
  EXPECT_EQ(global_load(cc_1_3, strided(0, 128), 4, 0xffff), of_32(16));
  // A transaction of 128 bytes needs a word at each end of its segment, and therefore two lanes. A
  // half-warp makes at most 8 of them.
  const Addresses ends = lanes([](int lane) { return lane / 2 * 128 + lane % 2 * 124; });
  EXPECT_EQ(global_load(cc_1_3, ends, 4, 0xffff), of_128(8));
}

// D1, figure 3: 16 pixels of RGB24 take 48 bytes, read as 12 words. They have four positions
// relative to segments of 64 bytes; two of these cross a boundary.
TEST(GlobalTraffic, SeedDFigure3) {
  const auto access = [](int quarter) { return strided(48 * quarter, 4); };
  std::vector<std::size_t> segments;
  for (int quarter = 0; quarter < 4; ++quarter) {
    std::set<std::uint64_t> met;
    for (int lane = 0; lane < 12; ++lane) met.insert(access(quarter)[lane] / 64);
    segments.push_back(met.size());
  }
  EXPECT_EQ(segments, (std::vector<std::size_t>{1, 2, 2, 1}));
  // CC 1.3 crosses the first boundary with a wider transaction, the second with an additional one.
  EXPECT_EQ(global_load(cc_1_3, access(0), 4, 0xfff), of_64(1));
  EXPECT_EQ(global_load(cc_1_3, access(1), 4, 0xfff), of_128(1));
  EXPECT_EQ(global_load(cc_1_3, access(2), 4, 0xfff), of_32(2));
  EXPECT_EQ(global_load(cc_1_3, access(3), 4, 0xfff), of_64(1));
  // On document D's card, of CC 1.1, only runs that are aligned to 64 bytes coalesce: one in four.
  // In the other runs, each word takes a transaction.
  EXPECT_EQ(global_load(cc_1_1, access(0), 4, 0xfff), of_64(1));
  for (int quarter = 1; quarter < 4; ++quarter) {
    EXPECT_EQ(global_load(cc_1_1, access(quarter), 4, 0xfff), of_32(12)) << quarter;
  }
  // The naive kernel reads bytes, one colour of 16 pixels at a time.
  EXPECT_EQ(global_load(cc_1_1, strided(0, 3), 1, 0xffff), of_32(16));
}

/// Threads of a block, and the number of them with work in one round.
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

// D2: a thread block loads 48 words and computes 64 pixels. With 48 threads, the pixels take two
// rounds. With 64 threads, 16 idle in the load. With 16, each loads 3 words and computes 4 pixels.
TEST(ThreadEfficiency, SeedD2) {
  EXPECT_NEAR(efficiency({{48, 48}, {48, 48}, {48, 64 - 48}}), 0.78, 0.005);
  EXPECT_EQ(efficiency({{64, 48}, {64, 64}}), 0.875);
  EXPECT_EQ(efficiency(std::vector<Round>(3 + 4, {16, 16})), 1);
}

/// Counts of lanes that access global memory, and of their transactions on CC 1.3.
struct References {
  int lanes = 0;
  int transactions = 0;
  void add(std::uint64_t base) {
    lanes += 32;
    transactions += global_load(cc_1_3, strided(base, 4)).transactions();
  }
};

// A8: references to global memory for each pixel. Without a tile there are 10: nine loads and one
// store. Method IV has 2.5, because it loads a tile of six rows to compute and store four rows.
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
  // The tile saves more transactions than references: six of the nine reads are misaligned by a
  // word and cost 3, not 2.
  EXPECT_EQ(global.transactions, rows * (3 * (3 + 2 + 3) + 2));
  EXPECT_EQ(tile.transactions, 2 * (rows + rows + 2));
}

// Counts transactions from the addresses, by a slow method: sorted sets of segments per request.
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

// PG 4.2, 5.3.2.2: consecutive words belong to consecutive threads, so accesses of all threads at
// one offset are coalesced.
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

}  // namespace
}  // namespace warpwise::rules
