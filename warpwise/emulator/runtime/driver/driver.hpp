#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "warpwise/emulator/runtime/code/modules.hpp"

// Shared by the files of libcuda.so.1. Most of its functions call functions of the runtime.
// Streams, events and graphs have the same types in the driver and the runtime. A CUfunction is a
// kernel's handle (code/modules.hpp).
namespace warpwise::emulator::runtime {

/// Returns the driver's error for an error of the runtime, which has the same number.
CUresult result_of(cudaError_t error);

/// A call of the driver. While it exists, the runtime's functions do not change the runtime's last
/// error.
class DriverCall {
 public:
  /// Converts the error of a runtime call, which must be made while this object exists.
  CUresult result_of(cudaError_t error) const { return runtime::result_of(error); }

 private:
  LastErrorKept kept_;
};

/// Does the same as guarded(), with the driver's errors.
CUresult driver_guarded(const std::function<cudaError_t()>& body);

inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr device_address(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

/// Convert the driver's opaque handles to the types behind them.
inline Module* module_of(CUmodule module) { return reinterpret_cast<Module*>(module); }
inline Module* module_of(CUlibrary library) { return reinterpret_cast<Module*>(library); }
inline const void* handle_of(CUfunction function) { return function; }
inline const void* handle_of(CUkernel kernel) { return kernel; }

}  // namespace warpwise::emulator::runtime
