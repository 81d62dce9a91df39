#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/shared/launch_order.cuh"
#include "warpwise/primitives/shared/pixel.hpp"

// The kernel of grey(). For nvcc and NVRTC: no host headers.
namespace warpwise::kernels::convert {

struct GreyArguments {
  const unsigned char* src;
  unsigned char* dst;
  long long src_pitch;
  long long dst_pitch;
  long long width;
  long long height;
  long long pixel_bytes;  ///< bytes of a pixel of src: 3 or 4 channels
  long long red_byte;     ///< place of red in a pixel of src
  long long blue_byte;    ///< place of blue in a pixel of src
};

// A thread has one pixel of each of its rows. Neighbouring threads have neighbouring pixels.
inline constexpr int grey_block_threads = 256;

/// Loads a number, byte by byte unless `aligned`.
template <bool aligned, class T>
__device__ inline T load_number(const unsigned char* p) {
  if constexpr (aligned) return *reinterpret_cast<const T*>(p);
  T number;
  memcpy(&number, p, sizeof(T));
  return number;
}

__device__ inline cuda::std::uint16_t grey_of(cuda::std::uint16_t red, cuda::std::uint16_t green,
                                              cuda::std::uint16_t blue) {
  return static_cast<cuda::std::uint16_t>(opencv_grey(red, green, blue));
}

// Rounds explicitly, because the compiler would fuse a product and a sum.
__device__ inline float grey_of(float red, float green, float blue) {
  const float two = __fadd_rn(__fmul_rn(0.299F, red), __fmul_rn(0.587F, green));
  return __fadd_rn(two, __fmul_rn(0.114F, blue));
}

/// Each thread computes one pixel of each of its rows. Grid: x covers a row, y strides over rows.
template <class T, bool aligned>
__global__ void __launch_bounds__(grey_block_threads) grey_kernel(GreyArguments a) {
  const cuda::std::int64_t x = cuda::std::int64_t{blockIdx.x} * grey_block_threads + threadIdx.x;
  wait_for_launch();
  if (x >= a.width) return;
  for (cuda::std::int64_t y = blockIdx.y; y < a.height; y += gridDim.y) {
    const unsigned char* colour = a.src + y * a.src_pitch + x * a.pixel_bytes;
    const T grey = grey_of(load_number<aligned, T>(colour + a.red_byte),
                           load_number<aligned, T>(colour + sizeof(T)),
                           load_number<aligned, T>(colour + a.blue_byte));
    unsigned char* to = a.dst + y * a.dst_pitch + x * cuda::std::int64_t{sizeof(T)};
    if constexpr (aligned) {
      *reinterpret_cast<T*>(to) = grey;
    } else {
      memcpy(to, &grey, sizeof(T));
    }
  }
}

}  // namespace warpwise::kernels::convert
