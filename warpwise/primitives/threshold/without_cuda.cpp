#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

// Replaces cuda.cu and cuda_gaussian.cu where the library is built without a CUDA toolkit.
namespace warpwise::detail::threshold {

void threshold_cuda(ConstDeviceView, DeviceView, const WindowRule&, std::optional<DeviceView>,
                    gpu::StreamHandle) {
  gpu::require_device();
}
void threshold_cuda(ConstDeviceView, DeviceView, const GaussianRule&, std::optional<DeviceView>,
                    gpu::StreamHandle) {
  gpu::require_device();
}

void threshold_cuda(std::span<const ConstDeviceView>, std::span<const DeviceView>,
                    const WindowRule&, gpu::StreamHandle) {
  gpu::require_device();
}

void threshold_cuda(std::span<const ConstDeviceView>, std::span<const DeviceView>,
                    const GaussianRule&, gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail::threshold
