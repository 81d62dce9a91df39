#pragma once

#include "warpwise/primitives/convert/deep_pixels.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"

// Kernels of convert_deep(), round_to_8_bits() and share_chroma(). For nvcc.
namespace warpwise::kernels::convert {

inline constexpr int deep_block_threads = 256;

/// Each thread converts pixel blocks: a pixel block is the pixels that share chroma (DeepBlock).
/// Grid: x covers a row of pixel blocks, y strides over these rows.
template <bool to_planes, bool aligned>
__global__ void __launch_bounds__(deep_block_threads)
    deep_kernel(DeepArguments a, long long columns, long long rows) {
  const long long x = static_cast<long long>(blockIdx.x) * deep_block_threads + threadIdx.x;
  wait_for_launch();
  if (x >= columns) return;
  for (long long y = blockIdx.y; y < rows; y += gridDim.y) {
    if constexpr (to_planes) {
      block_to_planes<aligned>(a, x, y);
    } else {
      block_to_rgb<aligned>(a, x, y);
    }
  }
}

enum class ByteSource : int { bytes, codes, unaligned_codes };

/// Computes byte (x, y) of a component.
template <ByteSource source>
__device__ inline unsigned char byte_at(const ByteArguments& a, long long x, long long y) {
  const long long left = min(x * a.across, a.last_x);
  const long long above = min(y * a.down, a.last_y);
  if constexpr (source == ByteSource::bytes) {
    const long long right = min(x * a.across + a.across - 1, a.last_x);
    const long long below = min(y * a.down + a.down - 1, a.last_y);
    const int sum = *a.src.at(left, above) + *a.src.at(right, above) + *a.src.at(left, below) +
                    *a.src.at(right, below);
    return static_cast<unsigned char>((sum + 2) / 4);
  } else {
    return byte_of(load_code < source == ByteSource::codes > (a.src.at(left, above)), a.rule);
  }
}

/// Each thread computes a byte in each of its rows. Grid: x covers the row, y strides over rows.
template <ByteSource source>
__global__ void __launch_bounds__(deep_block_threads) bytes_kernel(ByteArguments a) {
  const long long x = static_cast<long long>(blockIdx.x) * deep_block_threads + threadIdx.x;
  wait_for_launch();
  if (x >= a.columns) return;
  for (long long y = blockIdx.y; y < a.rows; y += gridDim.y) {
    *a.dst.at(x, y) = a.rule == ByteRule::unused ? 255 : byte_at<source>(a, x, y);
  }
}

}  // namespace warpwise::kernels::convert
