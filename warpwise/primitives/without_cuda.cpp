// The CUDA backends of a build without a CUDA toolkit: each says that there is no CUDA path.

#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/copy/backends.hpp"
#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/match/backends.hpp"
#include "warpwise/primitives/sobel/backends.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

namespace warpwise::detail {

void convert_cuda(ConstDeviceFrame, DeviceFrame, const Conversion&, gpu::StreamHandle) {
  gpu::require_device();
}
void copy_cuda(ConstDeviceView, DeviceView, gpu::StreamHandle) { gpu::require_device(); }
void disparity_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const DisparityOptions&,
                    gpu::StreamHandle) {
  gpu::require_device();
}
void find_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const std::optional<DeviceView>&,
               Measure, gpu::StreamHandle) {
  gpu::require_device();
}
void gemv_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const GemvOptions&,
               gpu::StreamHandle) {
  gpu::require_device();
}
void match_cuda(ConstDeviceView, ConstDeviceView, DeviceView, const MatchOptions&,
                std::optional<DeviceView>, gpu::StreamHandle) {
  gpu::require_device();
}
void sobel_cuda(ConstDeviceView, DeviceView, const SobelOptions&, gpu::StreamHandle) {
  gpu::require_device();
}
void threshold_cuda(ConstDeviceView, DeviceView, const WindowRule&, std::optional<DeviceView>,
                    gpu::StreamHandle) {
  gpu::require_device();
}
void threshold_cuda(ConstDeviceView, DeviceView, const GaussianRule&, std::optional<DeviceView>,
                    gpu::StreamHandle) {
  gpu::require_device();
}

}  // namespace warpwise::detail
