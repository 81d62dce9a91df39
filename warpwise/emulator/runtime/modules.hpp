#pragma once

#include <memory>
#include <string>

#include "warpwise/emulator/runtime/registry.hpp"

// Modules that a program loads while it runs, by whichever interface: the driver's modules and
// libraries, the runtime's libraries. A kernel's handle stands where the runtime's functions take
// the address of a host function.
namespace warpwise::emulator::runtime {

/// The PTX of an image as the driver takes it: text that ends with a zero, or a fat binary, with
/// nvcc's wrapper or as it lies in a file.
/// \throws InvalidArgument  where it holds no PTX
std::string ptx_of_image(const void* image);

/// The same of a file. \throws IoError, InvalidArgument
std::string ptx_of_file(const std::string& path);

/// Checks and keeps a module. \throws InvalidArgument  for PTX that is none
Module* load_module(std::string ptx);

/// Forgets the module, its kernels and its variables. \throws InvalidArgument  where it is none
void unload_module(Module* module);

/// What the runtime's functions take for a kernel of the module; null where there is none of this
/// name.
const void* kernel_handle(Module* module, const std::string& name);

/// The address and size of a variable of the module. \throws InvalidArgument  where there is none
Address variable_of(Module* module, const std::string& name, std::uint64_t* bytes);

/// The kernel that a handle, or the address of a host function, stands for; null where there is
/// none.
Kernel* find_kernel(const void* function);

}  // namespace warpwise::emulator::runtime
