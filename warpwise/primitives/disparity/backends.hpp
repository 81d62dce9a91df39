#pragma once

#include "warpwise/primitives/disparity/disparity.hpp"

// The backends that disparity() calls once its arguments are checked.
namespace warpwise::detail::disparity {

void disparity_cpu(ConstHostView left, ConstHostView right, HostView dst,
                   const DisparityOptions& options);
void disparity_cuda(ConstDeviceView left, ConstDeviceView right, DeviceView dst,
                    const DisparityOptions& options, gpu::StreamHandle stream);

}  // namespace warpwise::detail::disparity
