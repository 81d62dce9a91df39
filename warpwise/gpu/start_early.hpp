#pragma once

#include "warpwise/gpu/start.hpp"

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

namespace warpwise::gpu {

/// Launches a kernel as start() does, but it may begin before the launch ahead of it on the stream
/// has ended, where the GPU can do so (CC 9.0): the kernel itself waits for that, with
/// griddepcontrol.wait.
template <class Kernel, class... Values>
void start_early(void (*kernel)(Values...), const Launch<Kernel>& launch, const char* name,
                 StreamHandle stream,
                 std::source_location where = std::source_location::current()) {
  int device = 0;
  int major = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");
  if (major < 9) return start(kernel, launch, name, stream, where);

  constexpr auto places = ParameterLayout<Values...>::places;
  std::array<void*, sizeof...(Values)> parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i] = const_cast<std::byte*>(launch.parameters.bytes().data() + places.offset[i]);
  }
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.grid.x, launch.grid.y);
  config.blockDim = dim3(launch.block.x, launch.block.y);
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), parameters.data()),
        name, where);
}

}  // namespace warpwise::gpu
