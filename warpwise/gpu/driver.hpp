#pragma once

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

#include <cudaTypedefs.h>

#include <source_location>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/check.hpp"

// Functions of the driver that the runtime has no counterpart for. The runtime, which loads the
// driver, hands out their addresses: so the library does not link the driver, and starts where
// there is none.
namespace warpwise::gpu {

/// The oldest driver that this library runs on, as its CUDA version.
inline constexpr unsigned oldest_driver = 12000;

/// Looks a function of the driver up, as of this version of CUDA; nullptr where the driver has
/// none.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* place = nullptr;
  cudaDriverEntryPointQueryResult status{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion(name, &place, version, cudaEnableLegacyStream, &status),
        name);
#else
  static_cast<void>(version);  // this runtime asks for its own
  check(cudaGetDriverEntryPoint(name, &place, cudaEnableLegacyStream, &status), name);
#endif
  return status == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(place) : nullptr;
}

/// The same for a function that every driver has. \throws CudaError  it has not
template <class Function>
void find_driver_function(const char* name, Function& function) {
  function = driver_function<Function>(name, oldest_driver);
  if (function == nullptr) {
    throw CudaError(std::string("the CUDA driver has no function ") + name);
  }
}

/// The driver's name and text of a result.
std::string text_of(CUresult result);

/// \throws CudaError  for any result but success, with `what`, the driver's text and the caller's
/// place
void require(CUresult result, const std::string& what,
             std::source_location where = std::source_location::current());

}  // namespace warpwise::gpu
