#pragma once

#include "warpwise/primitives/convert/plan.hpp"

// The backends that convert() calls once its arguments are checked.
namespace warpwise::detail::convert {

void convert_cpu(ConstHostFrame src, HostFrame dst, const Conversion& conversion);
void convert_cuda(ConstDeviceFrame src, DeviceFrame dst, const Conversion& conversion,
                  gpu::StreamHandle stream);
void convert_cuda(std::span<const ConstDeviceFrame> src, std::span<const DeviceFrame> dst,
                  const Conversion& conversion, gpu::StreamHandle stream);

}  // namespace warpwise::detail::convert
