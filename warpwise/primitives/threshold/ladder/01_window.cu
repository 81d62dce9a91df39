// Idea: a thread for each pixel adds up its whole window. It reads each pixel through a texture,
//   whose hardware clamps coordinates at the border and caches pixels nearby; or, without the
//   texture, from global memory with clamped indices.
// Expected: each byte is read window² times, once for each pixel whose window holds it.
//   Caches serve these reads, so device memory is not the bottleneck.
// Next limit: one load request and a handful of instructions for each pixel of each window.
#include "problem.hpp"

using warpwise::ladders::ThresholdProblem;

template <bool through_texture>
__device__ int pixel_at(const ThresholdProblem& p, int x, int y) {
  if constexpr (through_texture) {
    // Texels have their centres at halves; the texture clamps.
    return tex2D<unsigned char>(p.src_texture, static_cast<float>(x) + 0.5F,
                                static_cast<float>(y) + 0.5F);
  } else {
    const long long row = warpwise::ladders::clamped(y, p.height);
    return p.src[row * p.src_pitch + warpwise::ladders::clamped(x, p.width)];
  }
}

extern "C" __global__ void threshold(ThresholdProblem p) {
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x);
  if (x >= p.width) return;
  for (int y = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y); y < p.height;
       y += static_cast<int>(gridDim.y * BLOCK_Y)) {
    int sum = 0;
    for (int j = -p.half; j <= p.half; ++j) {
      for (int i = -p.half; i <= p.half; ++i) sum += pixel_at<THROUGH_TEXTURE>(p, x + i, y + j);
    }
    const int pixel = pixel_at<THROUGH_TEXTURE>(p, x, y);
    p.dst[y * p.dst_pitch + x] = warpwise::ladders::level(p, pixel, sum);
  }
}
