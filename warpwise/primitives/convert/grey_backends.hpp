#pragma once

#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

// The backends that grey() calls once its arguments are checked.
namespace warpwise::detail::convert {

void grey_cpu(ConstHostView src, HostView dst);
void grey_cuda(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);

}  // namespace warpwise::detail::convert
