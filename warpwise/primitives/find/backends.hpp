#pragma once

#include <optional>

#include "warpwise/primitives/find/find.hpp"

// The backends that find() calls once its arguments are checked.
namespace warpwise::detail::find {

Finding find_cpu(ConstHostView templ, ConstHostView image, const std::optional<HostView>& map,
                 Measure measure);
/// \param always_transforms  true: sums the products of ssd, ncc and zncc by transforms if a
///                           tile can hold the template; false: does so only if
///                           transforms_pay() also returns true
void find_cuda(ConstDeviceView templ, ConstDeviceView image, DeviceView best,
               const std::optional<DeviceView>& map, Measure measure, gpu::StreamHandle stream,
               bool always_transforms = false);

}  // namespace warpwise::detail::find
