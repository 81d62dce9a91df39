#pragma once

// Arguments of kernels, from objects of Python.

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

/// A pointer.
KernelArgument argument_of(emulator::Address address);

/// A number as the kernel's parameter `index` has it, or the bytes of a scalar or a structure.
/// \throws InvalidArgument  a number that the parameter does not hold, or an array
/// \throws nb::type_error   what is neither
KernelArgument argument_of(nb::handle value, const emulator::KernelInfo& kernel, std::size_t index);

/// One to three numbers. \throws nb::type_error, InvalidArgument
emulator::Dim3 dim3_of(nb::handle value, const char* name);

}  // namespace warpwise::python
