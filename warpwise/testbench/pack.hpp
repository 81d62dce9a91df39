#pragma once

// Internal to the testbench: packs a launch's arguments.

#include <cstddef>
#include <span>
#include <vector>

#include "warpwise/testbench/testbench.hpp"

namespace warpwise::testbench {

/// Returns the parameter block of a kernel.
/// \throws InvalidArgument  the kernel has another number of parameters, or an argument has another
///                          size or kind than its parameter; the message says what to pass
std::vector<std::byte> packed(const emulator::KernelInfo& kernel,
                              std::span<const Argument> arguments);

}  // namespace warpwise::testbench
