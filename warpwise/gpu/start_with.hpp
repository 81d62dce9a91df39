#pragma once

#include "warpwise/gpu/start.hpp"

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

namespace warpwise::gpu {

/// Returns ten times the compute capability that a kernel's code was compiled for. A newer GPU may
/// run it.
template <class... Values>
int compiled_for(void (*kernel)(Values...), const char* name,
                 std::source_location where = std::source_location::current()) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), name, where);
  return attributes.ptxVersion;
}

/// Makes a launch that may begin before the one ahead of it on the stream has ended. Its kernel has
/// to wait with griddepcontrol.wait, which needs code for CC 9.0.
inline cudaLaunchAttribute begins_early() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

/// Makes a launch in clusters of x by y blocks, which also needs code for CC 9.0.
inline cudaLaunchAttribute in_clusters(Shape blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {blocks.x, blocks.y, 1};
  return attribute;
}

/// Launches a kernel as start() does, with an attribute.
template <class Kernel, class... Values>
void start_with(cudaLaunchAttribute attribute, void (*kernel)(Values...),
                const Launch<Kernel>& launch, const char* name, StreamHandle stream,
                std::source_location where = std::source_location::current()) {
  constexpr auto places = ParameterLayout<Values...>::places;
  const std::span<const std::byte> bytes = launch.parameters.bytes();
  if (bytes.size() != places.bytes) {
    throw Error(std::string(name) + " takes other parameters than its launch has");
  }
  std::array<void*, sizeof...(Values)> parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i] = const_cast<std::byte*>(bytes.data() + places.offset[i]);
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.grid.x, launch.grid.y);
  config.blockDim = dim3(launch.block.x, launch.block.y);
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), parameters.data()),
        name, where);
}

}  // namespace warpwise::gpu
