#pragma once

#include <algorithm>
#include <cstdint>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/copy/arguments.hpp"

namespace warpwise::detail::copy {

enum class CopyKernel : std::uint8_t { row, rows, any_alignment };
constexpr const char* kernel_name(CopyKernel kernel) {
  switch (kernel) {
    case CopyKernel::row: return "copy_row_kernel";
    case CopyKernel::rows: return "copy_rows_kernel";
    case CopyKernel::any_alignment: return "copy_kernel";
  }
  return "";
}

/// Returns the kernels' arguments for views of one size and type.
inline kernels::copy::CopyArguments copy_arguments(const ConstDeviceView& src,
                                                   const DeviceView& dst) {
  kernels::copy::CopyArguments arguments{reinterpret_cast<const unsigned char*>(src.data()),
                                         reinterpret_cast<unsigned char*>(dst.data()),
                                         src.pitch_bytes(),
                                         dst.pitch_bytes(),
                                         src.row_bytes(),
                                         src.height()};
  if (arguments.src_pitch == arguments.row_bytes && arguments.dst_pitch == arguments.row_bytes) {
    arguments.row_bytes *= arguments.rows;  // one long row, without ends in between
    arguments.rows = 1;
  }
  return arguments;
}

/// Returns the number of thread blocks for a row, with `units` units of 16 bytes a thread. They
/// cover 15 bytes more than the row, because dst may start inside a unit.
inline std::int64_t blocks_for_row(const kernels::copy::CopyArguments& arguments, int units) {
  constexpr std::int64_t bytes = kernels::copy::copy_vector_bytes;
  return gpu::blocks_for(checked_add(arguments.row_bytes, bytes - 1),
                         units * kernels::copy::copy_unit_threads * bytes);
}

/// Returns true if all rows begin at multiples of 16 bytes in both arrays and fit the grid.
inline bool rows_are_vectors(const kernels::copy::CopyArguments& arguments) {
  const auto aligned = [&](const unsigned char* first, std::int64_t pitch) {
    constexpr std::int64_t bytes = kernels::copy::copy_vector_bytes;
    return reinterpret_cast<std::uintptr_t>(first) % bytes == 0 &&
           (arguments.rows == 1 || pitch % bytes == 0);
  };
  return arguments.rows == gpu::grid_y(arguments.rows) &&
         aligned(arguments.src, arguments.src_pitch) && aligned(arguments.dst, arguments.dst_pitch);
}

/// Returns the most threads of a thread block that copies vectors. A small copy has small blocks,
/// enough for all multiprocessors. A large copy has large blocks, which start and end less often.
constexpr int vector_threads(std::int64_t bytes) {
  constexpr std::int64_t large = std::int64_t{8} << 20;
  return bytes < large ? 256 : kernels::copy::copy_most_block_threads;
}

/// Returns the launch that copies views of one size and type.
/// \throws InvalidArgument  a row wider than a GPU grid
inline gpu::Launch<CopyKernel> copy_launch(const ConstDeviceView& src, const DeviceView& dst) {
  const kernels::copy::CopyArguments arguments = copy_arguments(src, dst);
  gpu::Launch<CopyKernel> launch{.kernel = CopyKernel::any_alignment,
                                 .grid = {1, gpu::grid_y(arguments.rows)},
                                 .block = {kernels::copy::copy_unit_threads},
                                 .parameters = gpu::Parameters::of(arguments)};
  if (!rows_are_vectors(arguments)) {
    launch.grid.x = gpu::grid_x(blocks_for_row(arguments, 1));
    return launch;
  }
  launch.kernel = arguments.rows == 1 ? CopyKernel::row : CopyKernel::rows;
  const std::int64_t vectors =
      gpu::blocks_for(arguments.row_bytes, kernels::copy::copy_vector_bytes);
  const int threads = vector_threads(checked_mul(arguments.row_bytes, arguments.rows));
  // A thread block has whole warps, and at most the warps for which a row has work.
  launch.block.x =
      static_cast<unsigned>(std::min<std::int64_t>(threads, gpu::blocks_for(vectors, 32) * 32));
  launch.grid.x = gpu::grid_x(gpu::blocks_for(vectors, launch.block.x));
  return launch;
}

}  // namespace warpwise::detail::copy
