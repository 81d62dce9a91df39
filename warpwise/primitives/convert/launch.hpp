#pragma once

#include "warpwise/primitives/convert/arguments.hpp"
#include "warpwise/primitives/convert/plan.hpp"

namespace warpwise::detail {

/// A launch of convert_kernel<source, destination, arithmetic> with blocks of convert_block_width x
/// convert_block_height.
struct ConvertLaunch {
  kernels::ConvertSource source;
  kernels::ConvertDestination destination;
  kernels::ConvertArithmetic arithmetic;
  kernels::ConvertArguments arguments;
  unsigned grid_x;
  unsigned grid_y;
};

/// \throws InvalidArgument  a row wider than a GPU grid
ConvertLaunch convert_launch(const ConstDeviceFrame& src, const DeviceFrame& dst,
                             const Conversion& conversion);

}  // namespace warpwise::detail
