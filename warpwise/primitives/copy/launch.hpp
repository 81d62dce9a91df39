#pragma once

#include <cstdint>

#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/copy/arguments.hpp"

namespace warpwise::detail {

struct CopyLaunch {
  kernels::CopyArguments arguments;
  unsigned grid_x;
  unsigned grid_y;
};

/// How copy_kernel is launched for rows of `arguments.row_bytes`, with blocks of
/// copy_block_threads. \throws InvalidArgument  a row wider than a GPU grid
inline CopyLaunch copy_launch(kernels::CopyArguments arguments) {
  if (arguments.src_pitch == arguments.row_bytes && arguments.dst_pitch == arguments.row_bytes) {
    arguments.row_bytes *= arguments.rows;  // one long row: no ends to treat apart in between
    arguments.rows = 1;
  }
  // One 16-byte unit more than the row holds, because dst may start inside a unit.
  const std::int64_t blocks =
      gpu::blocks_for(checked_add(arguments.row_bytes, 15), kernels::copy_block_bytes);
  return {arguments, gpu::grid_x(blocks), gpu::grid_y(arguments.rows)};
}

}  // namespace warpwise::detail
