#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/deep_backends.hpp"
#include "warpwise/primitives/convert/grey_backends.hpp"

// Replaces cuda.cu, cuda_deep.cu and cuda_grey.cu if the library is built without a CUDA toolkit.
namespace warpwise::detail::convert {

void convert_cuda(ConstDeviceFrame, DeviceFrame, const Conversion&, gpu::StreamHandle) {
  gpu::require_device();
}

void convert_cuda(std::span<const ConstDeviceFrame>, std::span<const DeviceFrame>,
                  const Conversion&, gpu::StreamHandle) {
  gpu::require_device();
}

void deep_cuda(const kernels::convert::DeepArguments&, bool, gpu::StreamHandle) {
  gpu::require_device();
}

void bytes_cuda(const kernels::convert::ByteArguments&, gpu::StreamHandle) {
  gpu::require_device();
}

void grey_cuda(ConstDeviceView, DeviceView, gpu::StreamHandle) { gpu::require_device(); }

}  // namespace warpwise::detail::convert
