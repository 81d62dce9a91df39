#pragma once

#include "warpwise/primitives/disparity/arguments.hpp"
#include "warpwise/primitives/shared/launch_order.cuh"

// nvcc and NVRTC compile this file; it includes no host headers itself.
namespace warpwise::kernels::disparity {

/// Computes BlockEnergies. Grid: x covers a map's row, energy_threads elements a thread block; y
/// covers the strips of both images. A thread slides the sums of some columns down its strip. For
/// its pixel of each row it adds the sums of all columns of the image block.
__global__ void __launch_bounds__(energy_threads) disparity_energy_kernel(EnergyArguments a) {
  constexpr int spans = 1 + (2 * energy_widest_half + energy_threads - 1) / energy_threads;
  __shared__ unsigned shared_totals[spans * energy_threads];
  __shared__ unsigned shared_squares[spans * energy_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const int image = blockIdx.y & 1;
  const int64_t first = int64_t{blockIdx.x} * energy_threads - a.map_origin;
  const int64_t x = first + thread;
  unsigned totals[spans] = {}, squares[spans] = {};
  const unsigned char* column[spans];
#pragma unroll
  for (int s = 0; s < spans; ++s) {
    const int64_t at = first + s * energy_threads + thread;
    column[s] = a.image[image] + min(max(at, int64_t{0}), a.width + 2 * a.half - 1);
  }
  wait_for_launch();
  const auto add = [&](int64_t row, unsigned sign) {
#pragma unroll
    for (int s = 0; s < spans; ++s) {
      if (s * energy_threads >= energy_threads + 2 * a.half) break;
      const unsigned pixel = column[s][row * a.pitch];
      totals[s] += sign * pixel;
      squares[s] += sign * pixel * pixel;
    }
  };
  const int64_t top = int64_t{blockIdx.y / 2} * a.strip_height;
  const int64_t bottom = min(top + a.strip_height, a.height);
  for (int64_t row = top; row < top + 2 * a.half; ++row) add(row, 1);
  for (int64_t y = top; y < bottom; ++y) {
    add(y + 2 * a.half, 1);
#pragma unroll
    for (int s = 0; s < spans; ++s) {
      shared_totals[s * energy_threads + thread] = totals[s];
      shared_squares[s * energy_threads + thread] = squares[s];
    }
    __syncthreads();
    unsigned total = 0, square = 0;
    for (int i = thread; i <= thread + 2 * a.half; ++i) {
      total += shared_totals[i];
      square += shared_squares[i];
    }
    if (x < a.map_pitch - a.map_origin) {
      const bool inside = x >= 0 && x < a.width;
      const int64_t at = y * a.map_pitch + a.map_origin + x;
      a.squares[image][at] = inside ? square : 0;
      if (a.totals[image] != nullptr) a.totals[image][at] = inside ? total : 0;
    }
    __syncthreads();
    add(y, ~0U);
  }
}

}  // namespace warpwise::kernels::disparity
