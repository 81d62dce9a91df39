#pragma once

#include <algorithm>

#include "warpwise/primitives/match/match.hpp"

// Backends of match(), which checks its arguments first. Strides are resolved, so none is 0.
namespace warpwise::detail::match {

void match_cpu(ConstHostView reference, ConstHostView target, HostView displacement,
               const MatchOptions& options, std::optional<HostView> score);
void match_cuda(ConstDeviceView reference, ConstDeviceView target, DeviceView displacement,
                const MatchOptions& options, std::optional<DeviceView> score,
                gpu::StreamHandle stream);

/// Returns the part of a search range that keeps a block inside an image, along one axis: the axes
/// are independent of each other. The part is empty if last < first.
inline SearchRange inside_image(SearchRange range, std::int64_t block_at, std::int64_t block_size,
                                std::int64_t image_size) {
  return {static_cast<int>(std::max<std::int64_t>(range.first, -block_at)),
          static_cast<int>(std::min<std::int64_t>(range.last, image_size - block_size - block_at))};
}

}  // namespace warpwise::detail::match
