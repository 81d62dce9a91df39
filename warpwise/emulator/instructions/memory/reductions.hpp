#pragma once

#include <cstddef>

#include "warpwise/emulator/decode/flags.hpp"

namespace warpwise::emulator {

/// Returns true if bulk copies support this reduction.
bool can_reduce(Reduction how, ElementType type);

/// Combines the element at `to` with the element at `with`, in one atomic step.
/// \param flushes  sums of f32 treat subnormal operands and results as zeros of the same sign
void reduce(Reduction how, ElementType type, std::byte* to, const std::byte* with,
            bool flushes = false);

}  // namespace warpwise::emulator
