#pragma once

#include <algorithm>

#include "warpwise/primitives/match/match.hpp"

// What match() calls once its arguments are checked. The strides are resolved: never 0.
namespace warpwise::detail::match {

void match_cpu(ConstHostView reference, ConstHostView target, HostView displacement,
               const MatchOptions& options, std::optional<HostView> score);
void match_cuda(ConstDeviceView reference, ConstDeviceView target, DeviceView displacement,
                const MatchOptions& options, std::optional<DeviceView> score,
                gpu::StreamHandle stream);

/// The part of a search range that keeps a block inside an image: whether a displacement leaves it
/// along one axis does not depend on the other axis. Empty when last < first.
inline SearchRange inside_image(SearchRange range, std::int64_t block_at, std::int64_t block_size,
                                std::int64_t image_size) {
  return {static_cast<int>(std::max<std::int64_t>(range.first, -block_at)),
          static_cast<int>(std::min<std::int64_t>(range.last, image_size - block_size - block_at))};
}

}  // namespace warpwise::detail::match
