#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <random>

#include "warpwise/rules/rules.hpp"

/// Accesses for the tests of the rules.
namespace warpwise::rules::test {

using Addresses = std::array<std::uint64_t, 32>;

inline Addresses lanes(const std::function<std::uint64_t(int)>& address_of) {
  Addresses addresses;
  for (int lane = 0; lane < 32; ++lane) addresses[lane] = address_of(lane);
  return addresses;
}

inline Addresses strided(std::uint64_t base, std::uint64_t stride_bytes) {
  return lanes([&](int lane) { return base + stride_bytes * lane; });
}

inline constexpr std::uint32_t all_lanes = 0xffffffffU;

inline GlobalTraffic global_load(ComputeCapability cc, const Addresses& addresses, int bytes = 4,
                                 std::uint32_t active = all_lanes) {
  return global_traffic(cc, {addresses, active, bytes, false});
}

inline SharedPasses shared_load(ComputeCapability cc, const Addresses& addresses, int bytes = 4,
                                std::uint32_t active = all_lanes) {
  return shared_passes(cc, {addresses, active, bytes, false});
}

constexpr GlobalTraffic of_32(int count) { return {count, 0, 0}; }
constexpr GlobalTraffic of_64(int count) { return {0, count, 0}; }
constexpr GlobalTraffic of_128(int count) { return {0, 0, count}; }

inline constexpr ComputeCapability cc_1_0{1, 0};
inline constexpr ComputeCapability cc_1_1{1, 1};
inline constexpr ComputeCapability cc_1_2{1, 2};
inline constexpr ComputeCapability cc_1_3{1, 3};
inline constexpr ComputeCapability cc_2_0{2, 0};
inline constexpr ComputeCapability cc_3_0{3, 0};
inline constexpr ComputeCapability cc_5_0{5, 0};
inline constexpr ComputeCapability cc_6_1{6, 1};
inline constexpr ComputeCapability cc_7_5{7, 5};
inline constexpr ComputeCapability cc_9_0{9, 0};

/// Makes random accesses, usual and unusual: strides, broadcasts, clusters, noise.
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
  /// Shuffles lanes within groups of `group` lanes.
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

inline constexpr int rounds = 4000;

}  // namespace warpwise::rules::test
