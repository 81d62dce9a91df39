#include "smooth.hpp"

__constant__ float weights[2 * radius + 1];

// Computes a weighted mean along each row; beyond the ends of a row, its end pixels repeat. A block
// loads its pixels, and `radius` more pixels on either side, into shared memory.
extern "C" __global__ void smooth_rows(Image from, Image to) {
  __shared__ float near_by[block_width + 2 * radius];
  const int first = static_cast<int>(blockIdx.x) * block_width;
  const int x = first + static_cast<int>(threadIdx.x);
  const float* row = from.pixels + blockIdx.y * static_cast<long long>(from.width);

  if (x < from.width) near_by[threadIdx.x + radius] = row[x];
  if (threadIdx.x < 2 * radius) {
    const int i = static_cast<int>(threadIdx.x);
    const int outside = i < radius ? first - radius + i : first + block_width + i - radius;
    const int at = i < radius ? i : block_width + i;
    near_by[at] = row[min(max(outside, 0), from.width - 1)];
  }
  __syncthreads();

  if (x >= from.width) return;
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const int at = min(max(x + i, 0), from.width - 1) - first + radius;
    sum += weights[i + radius] * near_by[at];
  }
  to.pixels[blockIdx.y * static_cast<long long>(to.width) + x] = sum;
}
