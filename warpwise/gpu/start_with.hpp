#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "warpwise/gpu/start.hpp"

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

namespace warpwise::gpu {

/// Returns ten times the compute capability that a kernel's code was compiled for. The GPU that
/// runs the code may be newer.
template <class... Values>
int compiled_for(void (*kernel)(Values...), const char* name,
                 std::source_location where = std::source_location::current()) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), name, where);
  return attributes.ptxVersion;
}

/// Says whether a file's kernels were compiled for CC 9.0 or later, which early launches and
/// clusters need. The GPU alone does not tell, because a newer GPU can run older code. The answer
/// is kept for each device, because the query costs a tenth of a call's CPU time
/// (docs/decisions/2026-11-25-gemv-shapes.md).
class HopperCode {
 public:
  /// \param kernel  one of the file's kernels, always the same
  template <class... Values>
  bool is_for_hopper(void (*kernel)(Values...), const char* name) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    const auto number = static_cast<std::size_t>(device);
    const bool has_place = number < of_device_.size();
    Known known = has_place ? of_device_[number].load(std::memory_order_relaxed) : not_yet;
    if (known == not_yet) {
      known = compiled_for(kernel, name) >= 90 ? yes : no;
      if (has_place) of_device_[number].store(known, std::memory_order_relaxed);
    }
    return known == yes;
  }

 private:
  enum Known : std::uint8_t { not_yet, no, yes };
  std::array<std::atomic<Known>, 64> of_device_{};
};

/// Returns the attribute of a launch that may begin before the previous launch on the stream has
/// ended. The kernel has to wait for that launch with griddepcontrol.wait, which needs code for
/// CC 9.0.
inline cudaLaunchAttribute begins_early() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

/// Returns the attribute of a launch in clusters of x by y blocks, which also needs code for CC
/// 9.0.
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
  auto parameters = parameters_for(kernel, launch, name, where);
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

/// Launches a kernel that calls wait_for_launch before it touches memory.
/// \param early  true if the file's kernels were compiled for CC 9.0 or later, as HopperCode says;
///               otherwise the launch does not begin early
template <class Kernel, class... Values>
void start_early(bool early, void (*kernel)(Values...), const Launch<Kernel>& launch,
                 const char* name, StreamHandle stream,
                 std::source_location where = std::source_location::current()) {
  early ? start_with(begins_early(), kernel, launch, name, stream, where)
        : start(kernel, launch, name, stream, where);
}

}  // namespace warpwise::gpu
