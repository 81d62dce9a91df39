// Idea: a thread finds a pixel's best displacement: it adds up the whole block for one displacement
//   after the other. A second kernel does so from the right image, a third one compares both.
// Expected: as many threads as pixels, and neighbouring ones read neighbouring pixels; but a pair
// of
//   pixels is loaded and subtracted anew for each block that it lies in, 81 times for a block of 9.
// Next limit: instructions: the area of the block for each displacement, and in both directions.
#include "stereo.cuh"

using namespace warpwise::studies;

template <bool from_left>
__device__ void match(const Stereo& p, short* best_of) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= p.width * p.height) return;
  const int x = i % p.width;
  const int y = i / p.width;
  Best best;
  for (int d = 0; d < p.count && p.exists<from_left>(x, d); ++d) {
    unsigned sum = 0;
    for (int j = -p.half; j <= p.half; ++j) {
#pragma unroll 1
      for (int k = -p.half; k <= p.half; ++k) sum += p.difference<from_left>(x + k, y + j, d);
    }
    best.offer(sum, d);
  }
  best_of[i] = static_cast<short>(best.displacement);
}

extern "C" __global__ void from_left(const unsigned char* left, const unsigned char* right,
                                     short* out, void*, int width, int height, int half,
                                     int count) {
  match<true>({left, right, width, height, half, count}, out);
}

extern "C" __global__ void from_right(const unsigned char* left, const unsigned char* right, short*,
                                      void* scratch, int width, int height, int half, int count) {
  match<false>({left, right, width, height, half, count}, static_cast<short*>(scratch));
}
