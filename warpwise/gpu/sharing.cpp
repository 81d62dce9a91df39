#include "warpwise/gpu/sharing.hpp"

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/driver.hpp"

namespace warpwise::gpu {

void order(StreamHandle earlier, StreamHandle later) {
  require_device();
  EventHandle event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  cudaError_t error = cudaEventRecord(event, earlier);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(later, event, 0);
  cudaEventDestroy(event);  // CUDA keeps the event until it has been reached
  check(error, "cudaStreamWaitEvent");
}

int device_of(const void* pointer) {
  require_device();
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
    throw InvalidArgument("a pointer is not in a GPU's memory");
  return attributes.device;
}

ContextHandle current_context() {
  set_device(current_device());  // makes the context, and makes it the thread's current one
  PFN_cuCtxGetCurrent_v4000 get_current = nullptr;
  find_driver_function("cuCtxGetCurrent", get_current);
  ContextHandle context = nullptr;
  require(get_current(&context), "cuCtxGetCurrent");
  return context;
}

}  // namespace warpwise::gpu
