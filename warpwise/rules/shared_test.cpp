#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/rules/rules.hpp"
#include "warpwise/rules/test_accesses.hpp"

// "PG 4.2" is the CUDA C Programming Guide 4.2; tests rebuild its figures from the rules they show.
// A1 is a row of docs/sources.md, which lists the project's source documents.
namespace warpwise::rules {
namespace {

using namespace test;

// PG 4.2, figure F-2: strides of one, two and three words. Stride two is free on 3.0, with banks of
// two words. On 1.x and 2.x it conflicts two ways, by F.3.3.1 and F.4.3.1.
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

// PG 4.2, figure F-3: on the left, a permutation. In the middle, lanes 3, 4, 6, 7 and 9 read one
// word of bank 5. On the right, several lanes read each of several words.
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
  // With 16 banks and one broadcast a step (F.3.3.2), the first two accesses have no conflict. If
  // each of two words is read by two lanes, the access takes two passes.
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

// PG 4.2, F.3.3: a write broadcasts nothing. If lanes write one address, only one of them writes.
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

// PG 4.2, F.4.3.2: on 2.x, words of 16 bytes take an additional pass for each quarter-warp.
TEST(SharedPasses, Quadruples) {
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 16), 16), (SharedPasses{2 * 4 * 4, 2 * 4}));
  EXPECT_EQ(shared_load(cc_2_0, strided(0, 16), 16), (SharedPasses{4 * 2, 4}));
  EXPECT_EQ(shared_load(cc_3_0, strided(0, 16), 16), (SharedPasses{2, 2}));
  EXPECT_EQ(shared_load(cc_5_0, strided(0, 16), 16), (SharedPasses{4, 4}));
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 16), 16), (SharedPasses{4, 4}));
  EXPECT_EQ(shared_load(cc_9_0, strided(0, 32), 16), (SharedPasses{8, 4}));
}

// From 7.0 on, a phase of a wide read serves twice the lanes if neighbours request the same words.
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
  // Merged phases can conflict with each other: here pairs of lanes are 256 bytes apart.
  EXPECT_EQ(shared_load(cc_9_0, lanes([](int lane) { return 256 * (lane / 2); }), 8),
            (SharedPasses{16, 1}));
}

// A1: 3840 x 3840 elements. The sixteen lanes of a half-warp all access one bank.
TEST(SharedPasses, SeedA1) {
  const SharedPasses conflict = shared_load(cc_1_3, strided(0, 64));
  EXPECT_EQ(conflict.passes / 2, 16) << "the conflict's degree";
  EXPECT_EQ(conflict.passes - conflict.ideal, 30) << "extra passes a warp";
  EXPECT_EQ(shared_load(cc_1_3, strided(0, 4)), (SharedPasses{2, 2}));
  // The profiler's gld_64b and gst_64b count transactions of only one in ten SM groups.
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

// Counts the passes word by word and bank by bank.
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

// Bounds the steps of a read on 1.x: at least the most distinct words in any bank, and at most the
// most lanes in any bank.
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

// CC 1.x serves half-warps one by one. The code has a shortcut for whole warps with one stride.
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

TEST(ConstantPasses, OneForEachDistinctAddress) {
  EXPECT_EQ(constant_passes(cc_9_0, {strided(8, 0), all_lanes, 4, false}), 1);
  EXPECT_EQ(constant_passes(cc_9_0, {strided(8, 4), all_lanes, 4, false}), 32);
  EXPECT_EQ(constant_passes(cc_1_3, {strided(8, 0), all_lanes, 4, false}), 2) << "by half-warps";
  EXPECT_EQ(constant_passes(cc_1_3, {strided(8, 0), 0xffff, 4, false}), 1);
  EXPECT_EQ(constant_passes(cc_2_0,
                            {lanes([](int lane) { return 4 * (lane % 3); }), all_lanes, 4, false}),
            3);
}

}  // namespace
}  // namespace warpwise::rules
