#pragma once

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

#include "warpwise/gpu/allow_shared.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/gpu/launch.hpp"

namespace warpwise::gpu {

/// Returns the addresses of a launch's parameters, and requests its shared memory for the kernel.
/// \throws Error, CudaError  in the cases of start()
template <class Kernel, class... Values>
std::array<void*, sizeof...(Values)> parameters_for(void (*kernel)(Values...),
                                                    const Launch<Kernel>& launch, const char* name,
                                                    std::source_location where) {
  constexpr auto places = ParameterLayout<Values...>::places;
  const std::span<const std::byte> bytes = launch.parameters.bytes();
  if (bytes.size() != places.bytes) {
    throw Error(std::string(name) + " takes " + std::to_string(places.bytes) +
                " bytes of parameters, its launch has " + std::to_string(bytes.size()));
  }
  std::array<void*, sizeof...(Values)> parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i] = const_cast<std::byte*>(bytes.data() + places.offset[i]);
  }
  allow_shared(reinterpret_cast<const void*>(kernel), launch.shared_bytes, name, where);
  return parameters;
}

/// Launches a kernel with the grid, block, parameters and shared memory of `launch`.
/// \param name  the kernel's name in error messages
/// \throws Error      the launch's parameters differ in size from the kernel's
/// \throws CudaError  the runtime refuses it
template <class Kernel, class... Values>
void start(void (*kernel)(Values...), const Launch<Kernel>& launch, const char* name,
           StreamHandle stream, std::source_location where = std::source_location::current()) {
  auto parameters = parameters_for(kernel, launch, name, where);
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(launch.grid.x, launch.grid.y),
                         dim3(launch.block.x, launch.block.y), parameters.data(),
                         launch.shared_bytes, stream),
        name, where);
}

}  // namespace warpwise::gpu
