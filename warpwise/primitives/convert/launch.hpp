#pragma once

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/convert/arguments.hpp"
#include "warpwise/primitives/convert/plan.hpp"

namespace warpwise::detail::convert {

/// The template arguments of convert_kernel.
struct ConvertKernel {
  kernels::convert::ConvertSource source;
  kernels::convert::ConvertDestination destination;
  kernels::convert::ConvertArithmetic arithmetic;
};
constexpr const char* kernel_name(const ConvertKernel&) { return "convert_kernel"; }

/// Returns the group of formats that the kernel reads in the same way as `format`.
kernels::convert::ConvertSource source_of(PixelFormat format);

/// A kernel and its arguments except the frames.
struct ConvertRule {
  ConvertKernel kernel;
  kernels::convert::ConvertArguments arguments;
};
ConvertRule convert_rule(const Conversion& conversion);

/// Returns a rule's arguments completed by the frames `src` and `dst`.
kernels::convert::ConvertArguments with_frames(kernels::convert::ConvertArguments rule,
                                               const ConstDeviceFrame& src, const DeviceFrame& dst);

/// Size of the grid in blocks, for arguments with frames.
struct ConvertBlocks {
  std::int64_t across;
  std::int64_t down;
};
ConvertBlocks convert_blocks(const ConvertKernel& kernel,
                             const kernels::convert::ConvertArguments& arguments);

/// \throws InvalidArgument  a row wider than a GPU grid
gpu::Launch<ConvertKernel> convert_launch(const ConstDeviceFrame& src, const DeviceFrame& dst,
                                          const Conversion& conversion);

}  // namespace warpwise::detail::convert
