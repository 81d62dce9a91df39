#pragma once

#include "warpwise/primitives/copy/copy.hpp"

// Backends of copy(), which calls them after it has checked its arguments.
namespace warpwise::detail::copy {

void copy_cpu(ConstHostView src, HostView dst);
void copy_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);
void copy_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
               gpu::StreamHandle stream);

}  // namespace warpwise::detail::copy
