#pragma once

#include <cstdint>

#include "warpwise/base/view.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/copy/arguments.hpp"
#include "warpwise/primitives/copy/tunables.hpp"

namespace warpwise::detail::copy {

/// copy_kernel: there is one of it.
struct CopyKernel {};
constexpr const char* kernel_name(CopyKernel) { return "copy_kernel"; }

/// What copy_kernel takes for views of one size and type.
inline kernels::copy::CopyArguments copy_arguments(const ConstDeviceView& src,
                                                   const DeviceView& dst) {
  kernels::copy::CopyArguments arguments{reinterpret_cast<const unsigned char*>(src.data()),
                                         reinterpret_cast<unsigned char*>(dst.data()),
                                         src.pitch_bytes(),
                                         dst.pitch_bytes(),
                                         src.row_bytes(),
                                         src.height()};
  if (arguments.src_pitch == arguments.row_bytes && arguments.dst_pitch == arguments.row_bytes) {
    arguments.row_bytes *= arguments.rows;  // one long row: no ends to treat apart in between
    arguments.rows = 1;
  }
  return arguments;
}

/// Blocks for a row: for one 16-byte unit more than it holds, because dst may start inside a unit.
inline std::int64_t blocks_for_row(const kernels::copy::CopyArguments& arguments, int threads) {
  return gpu::blocks_for(checked_add(arguments.row_bytes, 15),
                         threads * kernels::copy::copy_thread_bytes);
}

/// How views of one size and type are copied.
/// \throws InvalidArgument  a row wider than a GPU grid
inline gpu::Launch<CopyKernel> copy_launch(const ConstDeviceView& src, const DeviceView& dst,
                                           int threads = block_thread_choices[0]) {
  const kernels::copy::CopyArguments arguments = copy_arguments(src, dst);
  return {.kernel = {},
          .grid = {gpu::grid_x(blocks_for_row(arguments, threads)), gpu::grid_y(arguments.rows)},
          .block = {static_cast<unsigned>(threads)},
          .parameters = gpu::Parameters::of(arguments)};
}

}  // namespace warpwise::detail::copy
