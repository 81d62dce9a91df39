// The driver's callbacks for messages about errors.

#include <string>

#include "warpwise/emulator/runtime/driver/driver.hpp"
#include "warpwise/emulator/runtime/reports/reports.hpp"

using namespace warpwise::emulator::runtime;

/// A handle of a callback, without content.
struct CUlogsCallbackEntry_st {};

extern "C" {

CUresult cuLogsRegisterCallback(CUlogsCallback callback, void* data, CUlogsCallbackHandle* handle) {
  if (callback == nullptr || handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *handle = new CUlogsCallbackEntry_st;
  add_error_listener(*handle, [=](const std::string& text) {
    std::string message = text;
    callback(data, CU_LOG_LEVEL_ERROR, message.data(), message.size());
  });
  return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  remove_error_listener(handle);
  delete handle;
  return CUDA_SUCCESS;
}

}  // extern "C"
