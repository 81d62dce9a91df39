#pragma once

// Kernel arguments from Python objects.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <vector>

#include "held_buffer.hpp"
#include "warpwise/testbench/testbench.hpp"

namespace warpwise::python {

namespace nb = nanobind;

struct KernelArgument {
  std::vector<std::byte> bytes;
  testbench::ArgumentKind kind;
};

/// Makes a pointer argument.
KernelArgument argument_of(emulator::Address address);

/// Converts a number to the type of the kernel's parameter `index`, or takes the bytes of a scalar
/// or a structure.
/// \throws InvalidArgument  the number does not fit the parameter, or the value is None or an array
/// \throws nb::type_error   the value is of another type
KernelArgument argument_of(nb::handle value, const emulator::KernelInfo& kernel, std::size_t index);

/// Converts one to three numbers; missing ones are 1. \throws nb::type_error, InvalidArgument
emulator::Dim3 dim3_of(nb::handle value, const char* name);

}  // namespace warpwise::python
