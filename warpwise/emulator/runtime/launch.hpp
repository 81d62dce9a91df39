#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "warpwise/emulator/runtime/registry.hpp"

// What a launch is made of, whichever interface it came in through.
namespace warpwise::emulator::runtime {

/// Whether any GPU takes this shape.
bool is_launchable(dim3 grid, dim3 block);

/// The parameter block of arguments that are given one by one.
std::vector<std::byte> parameters_of(const KernelInfo& info, void** arguments);

/// Runs a kernel to its end and tells an observer. \param ptx  gives the text that it is of
cudaError_t run_kernel(Program& program, const std::string& name,
                       const std::function<std::string()>& ptx, dim3 grid, dim3 block,
                       std::size_t shared, const std::vector<std::byte>& parameters);

}  // namespace warpwise::emulator::runtime
