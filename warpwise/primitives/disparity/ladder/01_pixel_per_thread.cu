// Idea: a thread finds a pixel's best displacement. It adds up the whole image block around the
//   pixel, for one displacement after the other. A second kernel does so for the right image's
//   pixels, and a third one compares both results.
// Expected: one thread for each pixel; neighbouring threads read neighbouring pixels. However, each
//   pair of pixels is loaded and subtracted for each block around it, 81 times if blocks are 9×9.
// Next limit: instructions, because both kernels sum a block's whole area for each displacement.
#include "pairs.cuh"

using namespace warpwise::ladders;

template <bool from_left>
__device__ void match(const DisparityProblem& p) {
  const int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= p.width * p.height) return;
  const int x = i % p.width;
  const int y = i / p.width;
  Best best;
  for (int d = 0; d < p.count && exists<from_left>(p, x, d); ++d) {
    unsigned sum = 0;
    for (int j = -p.half; j <= p.half; ++j) {
#pragma unroll 1
      for (int k = -p.half; k <= p.half; ++k) sum += difference<from_left>(p, x + k, y + j, d);
    }
    best.offer(sum, d);
  }
  best_of<from_left>(p)[i] = static_cast<short>(best.displacement);
}

extern "C" __global__ void from_left(DisparityProblem p) { match<true>(p); }
extern "C" __global__ void from_right(DisparityProblem p) { match<false>(p); }
