// Idea: a group of GROUP threads for 4 · GROUP pixels: each thread loads three words and stores
//   four pixels. With 16 threads that is 3 x 64 bytes in and 4 x 64 out, the least common multiple
//   of a half-warp's load and of 3-byte pixels. On today's GPUs a group is a warp, which needs no
//   barrier of the block (WARP_BARRIER).
// Expected: no thread ever idles. There are a quarter of the threads, each with seven accesses in
//   sequence and three loads in flight at once.
// Next limit: the copy through shared memory, which only serves the order of the accesses.
#include "pixels.cuh"

static_assert(BLOCK_X % GROUP == 0 && (!WARP_BARRIER || GROUP == 32), "whole groups");

__device__ void wait_for_group() {
  if constexpr (WARP_BARRIER) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

extern "C" __global__ void convert(warpwise::ladders::ConvertProblem p) {
  __shared__ unsigned words[BLOCK_Y][BLOCK_X / GROUP][3 * GROUP];
  const int t = static_cast<int>(threadIdx.x) % GROUP;
  const int group = static_cast<int>(threadIdx.x) / GROUP;
  const int left = (static_cast<int>(blockIdx.x) * (BLOCK_X / GROUP) + group) * 4 * GROUP;
  unsigned* const own = words[threadIdx.y][group];
  const auto* const bytes = reinterpret_cast<const unsigned char*>(own);

  for (int top = static_cast<int>(blockIdx.y) * BLOCK_Y; top < p.height;
       top += static_cast<int>(gridDim.y) * BLOCK_Y) {
    const int y = top + static_cast<int>(threadIdx.y);
    if (y < p.height) {
      unsigned word[3];
      warpwise::ladders::load_words(p, 3LL * left + 4 * t, 4 * GROUP, y, word);
#pragma unroll
      for (int i = 0; i < 3; ++i) own[t + i * GROUP] = word[i];
    }
    wait_for_group();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int pixel = t + i * GROUP;
      warpwise::ladders::convert_pixel(p, left + pixel, y, bytes + 3 * pixel);
    }
    wait_for_group();  // waits before the next rows overwrite the words
  }
}
