#pragma once

#include <optional>

#include "warpwise/primitives/find/find.hpp"

// The backends that find() calls once its arguments are checked.
namespace warpwise::detail::find {

Finding find_cpu(ConstHostView templ, ConstHostView image, const std::optional<HostView>& map,
                 Measure measure);
void find_cuda(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
               const std::optional<DeviceView>& map, Measure measure, gpu::StreamHandle stream);

}  // namespace warpwise::detail::find
