#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/copy/arguments.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"

// The copy kernels. Fit for nvcc and NVRTC: no host headers.
namespace warpwise::kernels::copy {

/// Copies the 16 bytes from `at` on, or fewer at the end of a row. The rows of src and dst begin at
/// multiples of 16 bytes.
__device__ inline void copy_vector(const unsigned char* src, unsigned char* dst,
                                   cuda::std::int64_t at, cuda::std::int64_t row_bytes) {
  if (at + copy_vector_bytes <= row_bytes) {
    *reinterpret_cast<uint4*>(dst + at) = *reinterpret_cast<const uint4*>(src + at);
  } else {
    for (cuda::std::int64_t b = at; b < row_bytes; ++b) dst[b] = src[b];
  }
}

/// Copies one row: each thread copies a vector, and computes only its address before the load.
///
/// Grid: x covers the row in vectors.
__global__ void __launch_bounds__(copy_most_block_threads) copy_row_kernel(CopyArguments a) {
  const cuda::std::int64_t vector = cuda::std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  follow_launch();
  copy_vector(a.src, a.dst, vector * copy_vector_bytes, a.row_bytes);
}

/// Copies rows that all begin at multiples of 16 bytes. Grid: x covers a row's vectors, y the rows.
__global__ void __launch_bounds__(copy_most_block_threads) copy_rows_kernel(CopyArguments a) {
  const cuda::std::int64_t vector = cuda::std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  follow_launch();
  copy_vector(a.src + blockIdx.y * a.src_pitch, a.dst + blockIdx.y * a.dst_pitch,
              vector * copy_vector_bytes, a.row_bytes);
}

/// Loads 16 bytes from any address, as aligned words that are shifted into place. The caller
/// guarantees that the whole of the first and last word may be read.
__device__ inline uint4 load_shifted(const unsigned char* p) {
  const auto address = reinterpret_cast<cuda::std::uintptr_t>(p);
  const auto* words = reinterpret_cast<const unsigned*>(address & ~cuda::std::uintptr_t{3});
  const unsigned shift = static_cast<unsigned>(address & 3) * 8;
  const unsigned w0 = words[0], w1 = words[1], w2 = words[2], w3 = words[3];
  const unsigned w4 = shift == 0 ? 0 : words[4];
  return {__funnelshift_r(w0, w1, shift), __funnelshift_r(w1, w2, shift),
          __funnelshift_r(w2, w3, shift), __funnelshift_r(w3, w4, shift)};
}

/// Copies a thread block's piece of row y, `units` units a thread. A unit is 16 bytes at a 16-byte
/// boundary of dst. Incomplete units at the row's ends are copied byte by byte, and so are units
/// for which load_shifted() would read outside the row of src.
template <int units>
__device__ void copy_piece(const CopyArguments& a, unsigned piece, cuda::std::int64_t y) {
  constexpr int threads = copy_unit_threads;
  const cuda::std::int64_t block_start =
      cuda::std::int64_t{piece} * threads * units * copy_vector_bytes;
  const unsigned char* src = a.src + y * a.src_pitch;
  unsigned char* dst = a.dst + y * a.dst_pitch;
  // Bytes by which dst is past a 16-byte boundary: unit u covers [16 u - lead, 16 u - lead + 16).
  const int lead = static_cast<int>(reinterpret_cast<cuda::std::uintptr_t>(dst) & 15);
  const bool aligned = ((reinterpret_cast<cuda::std::uintptr_t>(src) + 16 - lead) & 15) == 0;

  uint4 value[units];
  cuda::std::int64_t at[units];
  bool whole[units];
#pragma unroll
  for (int i = 0; i < units; ++i) {
    at[i] = block_start + (i * threads + static_cast<int>(threadIdx.x)) * 16 - lead;
    // load_shifted() reads up to 3 bytes before the unit and up to 3 bytes behind it.
    const int margin = aligned ? 0 : 3;
    whole[i] = at[i] >= margin && at[i] + 16 + margin <= a.row_bytes;
    if (whole[i]) {
      value[i] = aligned ? *reinterpret_cast<const uint4*>(src + at[i]) : load_shifted(src + at[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < units; ++i) {
    if (whole[i]) {
      *reinterpret_cast<uint4*>(dst + at[i]) = value[i];
    } else {
      const cuda::std::int64_t first = at[i] > 0 ? at[i] : 0;
      const cuda::std::int64_t last = at[i] + 16 < a.row_bytes ? at[i] + 16 : a.row_bytes;
      for (cuda::std::int64_t b = first; b < last; ++b) dst[b] = src[b];
    }
  }
}

/// Copies rows at any address. Grid: x covers the row in pieces, y strides over the rows.
__global__ void __launch_bounds__(copy_unit_threads) copy_kernel(CopyArguments a) {
  wait_for_launch();
  for (cuda::std::int64_t y = blockIdx.y; y < a.rows; y += gridDim.y)
    copy_piece<1>(a, blockIdx.x, y);
}

}  // namespace warpwise::kernels::copy
