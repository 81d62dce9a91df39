#include "warpwise/emulator/execute/address_scan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace warpwise::emulator {
namespace {

using Addresses = std::array<std::uint64_t, 32>;

Addresses steps(std::uint64_t first, std::uint64_t step) {
  Addresses addresses;
  for (std::uint64_t i = 0; i < addresses.size(); ++i) addresses[i] = first + i * step;
  return addresses;
}

bool is_outside(const Addresses& addresses, std::uint64_t first, std::uint64_t last) {
  Addresses copy;
  const AddressScan scan = scan_addresses(addresses.data(), first, last, copy.data());
  EXPECT_EQ(copy, addresses);
  return scan.outside >> 63 != 0;
}

TEST(AddressScan, OneLaneOutsideIsFoundInEachLane) {
  constexpr std::uint64_t first = 1 << 20;
  constexpr std::uint64_t last = first + 31 * 4;
  EXPECT_FALSE(is_outside(steps(first, 4), first, last));
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (const std::uint64_t wrong : {first - 1, last + 1, std::uint64_t{0}, ~std::uint64_t{0}}) {
      Addresses addresses = steps(first, 4);
      addresses[lane] = wrong;
      EXPECT_TRUE(is_outside(addresses, first, last)) << lane << " " << wrong;
    }
  }
}

TEST(AddressScan, EqualStepsAreToldFromOneOtherLane) {
  for (const std::uint64_t step : {0, 1, 4, 4096, -4}) {
    Addresses copy;
    const Addresses even = steps(1 << 20, step);
    EXPECT_EQ(scan_addresses(even.data(), 0, 1 << 30, copy.data()).different, 0U);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      Addresses other = even;
      other[lane] ^= 1;
      const AddressScan scan = scan_addresses(other.data(), 0, 1 << 30, copy.data());
      EXPECT_NE(scan.different, 0U) << step << " " << lane;
      EXPECT_NE(scan.bits & 1, 0U) << step << " " << lane;
    }
  }
}

TEST(AddressScan, OffsetsAreComparedLaneByLane) {
  const Addresses offsets = steps(12, 20);
  Addresses addresses = steps(4096 + 12, 20);
  EXPECT_EQ(compare_offsets(addresses.data(), 4096, offsets.data()), 0U);
  for (std::uint64_t& each : addresses) {
    each += 1;
    EXPECT_NE(compare_offsets(addresses.data(), 4096, offsets.data()), 0U);
    each -= 1;
  }
}

TEST(AddressScan, AddressesOf32BitsWrapAround) {
  std::array<std::uint32_t, 32> addresses{};
  addresses[31] = 0xfffffffc;
  Addresses sums;
  add_offset(addresses.data(), std::uint32_t{8}, sums.data());
  EXPECT_EQ(sums[0], 8U);
  EXPECT_EQ(sums[31], 4U);
  add_offset(steps(0, 1).data(), ~std::uint64_t{0}, sums.data());
  EXPECT_EQ(sums, steps(~std::uint64_t{0}, 1));
}

}  // namespace
}  // namespace warpwise::emulator
