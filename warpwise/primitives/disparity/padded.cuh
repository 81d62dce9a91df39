#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/disparity/arguments.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"

// Copies of both images with replicated borders. Their layout lets kernels read them without
// clamping and without unaligned loads. For nvcc and NVRTC: no host headers.
namespace warpwise::kernels::disparity {

/// Returns bytes x … x + 3 of a row of `width` bytes; beyond its ends the edge byte is repeated.
__device__ inline unsigned replicated_word(const unsigned char* row, int64_t x, int64_t width) {
  const unsigned shift = reinterpret_cast<cuda::std::uintptr_t>(row + x) & 3;
  // True if both words around the four bytes are inside the row.
  if (x >= 3 && x + 7 <= width) {
    const auto* at = reinterpret_cast<const unsigned*>(row + x - shift);
    return __funnelshift_r(at[0], shift == 0 ? 0 : at[1], 8 * shift);
  }
  unsigned word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= static_cast<unsigned>(row[min(max(x + i, int64_t{0}), width - 1)]) << (8 * i);
  }
  return word;
}

/// Copies both images with their borders, and sets all bits of right_best. Grid: x covers the words
/// of a copy's row; even y take rows of the left image, odd y rows of the right image.
__global__ void __launch_bounds__(disparity_threads) disparity_pad_kernel(PadArguments a) {
  const int64_t column = int64_t{blockIdx.x} * disparity_threads + threadIdx.x;
  const int64_t columns = int64_t{gridDim.x} * disparity_threads;
  wait_for_launch();
  for (int64_t i = blockIdx.y * columns + column; i < a.right_pairs; i += gridDim.y * columns) {
    reinterpret_cast<ulonglong2*>(a.right_best)[i] = {~0ULL, ~0ULL};
  }
  const int64_t u = 4 * column;
  if (u >= a.dst_pitch) return;
  const int image = blockIdx.y & 1;
  for (int64_t v = blockIdx.y / 2; v < a.dst_rows; v += gridDim.y / 2) {
    const int64_t y = min(max(v - a.top, int64_t{0}), a.height - 1);
    *reinterpret_cast<unsigned*>(a.dst[image] + v * a.dst_pitch + u) =
        replicated_word(a.src[image] + y * a.src_pitch[image], u - a.left, a.width);
  }
}

}  // namespace warpwise::kernels::disparity
