#pragma once

#include <memory>
#include <string>

#include "warpwise/emulator/runtime/code/registry.hpp"

// Modules that a program loads at run time: the driver's modules and libraries, and the runtime's
// libraries. The runtime's functions accept a kernel's handle in place of a host function's
// address.
namespace warpwise::emulator::runtime {

/// Returns the PTX of an image in any form that the driver accepts: zero-terminated text, or a fat
/// binary with or without nvcc's wrapper.
/// \throws InvalidArgument  the image holds no PTX  \throws Unsupported  it is a cubin
std::string ptx_of_image(const void* image);

/// Returns the PTX of a file: text, or a fat binary. \throws IoError, InvalidArgument, Unsupported
std::string ptx_of_file(const std::string& path);

/// Checks and stores a module. \throws InvalidArgument, Unsupported  its PTX is invalid or not run
Module* load_module(std::string ptx);

/// Removes a module with its kernels and variables. \throws InvalidArgument  the module is unknown
void unload_module(Module* module);

/// Returns a kernel's handle for the runtime's functions; null for an unknown name.
const void* kernel_handle(Module* module, const std::string& name);

/// Returns a variable's address and size. \throws InvalidArgument  the variable is unknown
Address variable_of(Module* module, const std::string& name, std::uint64_t* bytes);

/// Finds the kernel of a handle or a host function's address; null if there is none.
Kernel* find_kernel(const void* function);

}  // namespace warpwise::emulator::runtime
