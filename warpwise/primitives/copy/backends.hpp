#pragma once

#include "warpwise/primitives/copy/copy.hpp"

// Backends of copy(). It calls them once its arguments are checked.
namespace warpwise::detail::copy {

void copy_cpu(ConstHostView src, HostView dst);
void copy_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);
void copy_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
               gpu::StreamHandle stream);

}  // namespace warpwise::detail::copy
