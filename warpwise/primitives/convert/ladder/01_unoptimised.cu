// Idea: a thread for each pixel, which it loads byte by byte and stores as a word.
// Expected: the simplest correct kernel. A warp's three loads touch the same 96 bytes. Without a
//   cache each load costs its own transactions, up to one for each thread on the oldest GPUs. With
//   a cache two of the three loads hit it.
// Next limit: load instructions. Each pixel takes three, and each loads one byte a thread.
#include "pixels.cuh"

extern "C" __global__ void convert(warpwise::ladders::ConvertProblem p) {
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x);
  for (int y = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y); y < p.height;
       y += static_cast<int>(gridDim.y * BLOCK_Y)) {
    warpwise::ladders::convert_pixel(p, x, y, p.src + y * p.src_pitch + 3LL * x);
  }
}
