#pragma once

#include <cstddef>

#include "warpwise/emulator/decode/flags.hpp"

namespace warpwise::emulator {

/// Returns true if bulk copies support this reduction.
bool can_reduce(Reduction how, ElementType type);

/// Atomically combines an element in memory with another one.
void reduce(Reduction how, ElementType type, std::byte* to, const std::byte* with);

}  // namespace warpwise::emulator
