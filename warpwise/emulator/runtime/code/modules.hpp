#pragma once

#include <memory>
#include <string>

#include "warpwise/emulator/runtime/code/registry.hpp"

// Modules that a program loads at run time through any interface: modules and libraries of the
// driver, libraries of the runtime. The runtime's functions accept a kernel's handle in place of a
// host function's address.
namespace warpwise::emulator::runtime {

/// Returns the PTX of an image in the driver's forms: zero-terminated text, or a fat binary with or
/// without nvcc's wrapper.
/// \throws InvalidArgument  if it holds no PTX
std::string ptx_of_image(const void* image);

/// The same for a file. \throws IoError, InvalidArgument
std::string ptx_of_file(const std::string& path);

/// Checks a module and keeps it. \throws InvalidArgument  for invalid PTX
Module* load_module(std::string ptx);

/// Removes a module, its kernels and its variables. \throws InvalidArgument  for an unknown module
void unload_module(Module* module);

/// Returns the handle of a module's kernel for the runtime's functions; null if the name is
/// unknown.
const void* kernel_handle(Module* module, const std::string& name);

/// Returns a variable's address and size. \throws InvalidArgument  for an unknown variable
Address variable_of(Module* module, const std::string& name, std::uint64_t* bytes);

/// Finds the kernel of a handle or of a host function's address; null if there is none.
Kernel* find_kernel(const void* function);

}  // namespace warpwise::emulator::runtime
