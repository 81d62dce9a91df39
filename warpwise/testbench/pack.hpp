#pragma once

// Internal to the testbench: a launch's arguments.

#include <cstddef>
#include <span>
#include <vector>

#include "warpwise/testbench/testbench.hpp"

namespace warpwise::testbench {

/// The parameter block of a kernel.
/// \throws InvalidArgument  another number of arguments than it has parameters, or one that is not
///                          of its parameter's size and kind; says which, and what to pass
std::vector<std::byte> packed(const emulator::KernelInfo& kernel,
                              std::span<const Argument> arguments);

}  // namespace warpwise::testbench
