#pragma once

#include <cstddef>

#include "warpwise/emulator/decode/flags.hpp"

namespace warpwise::emulator {

/// Whether bulk copies have such a reduction.
bool can_reduce(Reduction how, ElementType type);

/// Reduces one element in memory, atomically, with another one.
void reduce(Reduction how, ElementType type, std::byte* to, const std::byte* with);

}  // namespace warpwise::emulator
