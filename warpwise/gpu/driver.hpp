#pragma once

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

#include <cudaTypedefs.h>

#include <source_location>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/check.hpp"

// Functions of the driver that have no counterpart in the runtime. The runtime loads the driver and
// hands out their addresses. The library therefore does not link the driver, and starts without
// one.
namespace warpwise::gpu {

/// Oldest driver that this library runs on, as its CUDA version.
inline constexpr unsigned oldest_driver = 12000;

/// Looks up a driver function of this CUDA version; nullptr if the driver has none.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* place = nullptr;
  cudaDriverEntryPointQueryResult status{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &place, version, cudaEnableLegacyStream, &status),
        name);
#else
  static_cast<void>(version);  // this runtime's function takes no version
  check(cudaGetDriverEntryPoint(name, &place, cudaEnableLegacyStream, &status), name);
#endif
  return status == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(place) : nullptr;
}

/// Looks up a function that oldest_driver has. \throws CudaError  the driver does not have it
template <class Function>
void find_driver_function(const char* name, Function& function) {
  function = driver_function<Function>(name, oldest_driver);
  if (function == nullptr) {
    throw CudaError(std::string("the CUDA driver has no function ") + name);
  }
}

/// Returns the driver's name and text of a result.
std::string text_of(CUresult result);

/// Throws unless the driver's call succeeded. \throws CudaError  with `what`, the driver's text and
/// the caller's place
void require(CUresult result, const std::string& what,
             std::source_location where = std::source_location::current());

}  // namespace warpwise::gpu
