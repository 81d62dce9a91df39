#pragma once

// Internal to the emulator: handlers by the names that decoding looks them up with.

#include <array>
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

}  // namespace warpwise::emulator
