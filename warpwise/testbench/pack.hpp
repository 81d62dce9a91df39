#pragma once

// Internal to the testbench: packs a launch's arguments.

#include <cstddef>
#include <span>
#include <vector>

#include "warpwise/testbench/testbench.hpp"

namespace warpwise::testbench {

/// Returns the parameter block of a kernel.
/// \throws InvalidArgument  the number of arguments is not that of the parameters, or an argument
///                          has not its parameter's size and kind; the message says which, and what
///                          to pass
std::vector<std::byte> packed(const emulator::KernelInfo& kernel,
                              std::span<const Argument> arguments);

}  // namespace warpwise::testbench
