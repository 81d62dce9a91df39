#pragma once

// Internal to the emulator: loops over the addresses of a warp's 32 lanes. Each loop is compiled
// for the baseline instruction set and, on x86-64, for AVX2 too.

#include <cstdint>

namespace warpwise::emulator {

/// Properties of 32 addresses.
struct AddressScan {
  std::uint64_t outside = 0;    ///< its highest bit is set if an address is not in first … last
  std::uint64_t bits = 0;       ///< the bits that are set in any address
  std::uint64_t different = 0;  ///< 0 if the addresses of neighbouring lanes have equal distances
};

/// Compares a warp's addresses with the range first … last, which is shorter than 2^63.
/// \param copy  receives a copy of the addresses
AddressScan scan_addresses(const std::uint64_t* addresses, std::uint64_t first, std::uint64_t last,
                           std::uint64_t* copy);

/// Returns 0 if all of a warp's addresses are `begin` plus the given offsets.
std::uint64_t compare_offsets(const std::uint64_t* addresses, std::uint64_t begin,
                              const std::uint64_t* offsets);

/// Adds an offset to a warp's addresses of 64 bits.
void add_offset(const std::uint64_t* addresses, std::uint64_t offset, std::uint64_t* sums);

/// Adds an offset to a warp's addresses of 32 bits, modulo 2^32.
void add_offset(const std::uint32_t* addresses, std::uint32_t offset, std::uint64_t* sums);

}  // namespace warpwise::emulator
