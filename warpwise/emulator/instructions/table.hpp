#pragma once

// Internal to the emulator: tables of handlers, keyed by the names that decoding uses.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "warpwise/emulator/decode/operation.hpp"

namespace warpwise::emulator {

/// A handler and the widths of its operands in PTX's order: dst, dst2, a, b, c, d.
struct Entry {
  Handler handler = nullptr;
  std::array<Width, 6> widths{};
};
using Table = std::map<std::string, Entry, std::less<>>;

/// Calls `visit(T{}, "u8")` for each integer type, with its PTX name.
template <class Visit>
void for_each_integer(const Visit& visit) {
  visit(std::uint8_t{}, "u8");
  visit(std::int8_t{}, "s8");
  visit(std::uint16_t{}, "u16");
  visit(std::int16_t{}, "s16");
  visit(std::uint32_t{}, "u32");
  visit(std::int32_t{}, "s32");
  visit(std::uint64_t{}, "u64");
  visit(std::int64_t{}, "s64");
}

}  // namespace warpwise::emulator
