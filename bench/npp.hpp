#pragma once

#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

// Calls of NPP, NVIDIA's own image library, with which the GPU benches compare.
namespace warpwise::bench::npp {

/// Each function throws Error if the library is missing or its call fails.
void rgb_to_ycbcr_c3(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);
void rgb_to_ycbcr_ac4(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);
void sobel_horizontal(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream);
void threshold_adaptive_box(ConstDeviceView src, DeviceView dst, int window, float delta,
                            gpu::StreamHandle stream);

}  // namespace warpwise::bench::npp
