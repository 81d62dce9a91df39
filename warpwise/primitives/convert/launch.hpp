#pragma once

#include "warpwise/primitives/convert/arguments.hpp"
#include "warpwise/primitives/convert/plan.hpp"

// How convert_kernel is launched, with blocks of convert_block_width x convert_block_height.
namespace warpwise::detail {

kernels::ConvertArguments convert_arguments(const ConstDeviceFrame& src, const DeviceFrame& dst,
                                            const Conversion& conversion);

struct ConvertGrid {
  unsigned x = 1;
  unsigned y = 1;
};

/// \throws InvalidArgument  a row wider than a GPU grid
ConvertGrid convert_grid(const kernels::ConvertArguments& a);

}  // namespace warpwise::detail
