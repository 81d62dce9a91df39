#include "warpwise/gpu/check.hpp"

#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::gpu {
namespace {

bool means_no_gpu(cudaError_t error) {
  // The runtime returns 35 without a driver, and 100 with a driver and no GPU. In a container that
  // hides its GPUs it returns either.
  return error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice;
}

}  // namespace

void check(cudaError_t error, const char* what, std::source_location where) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the exception carries the error; later calls start clean
  if (means_no_gpu(error)) throw NoCudaDevice(why_no_device());
  throw CudaError(std::string(what) + " failed: " + cudaGetErrorName(error) + " (" +
                  cudaGetErrorString(error) + ") at " + where.file_name() + ":" +
                  std::to_string(where.line()));
}

}  // namespace warpwise::gpu
