// Idea: a thread for each pixel reads its nine neighbours from global memory, makes each of them
//   grey and applies both filters. Each of these steps keeps the ones before it:
//     FILTER_IN_CONSTANT  the weights come from constant memory, no longer from global memory
//     FEWER_CONDITIONS    one test finds thread blocks inside the image, whose taps need no test;
//                         the division becomes a multiplication by the reciprocal
//     CONSTANT_BLOCK      the block's shape is known to the compiler
//     UNROLLED            the loops over the filter are written out
// Expected: the first step leaves a third of the loads, because 18 of 27 are weights. The second
//   leaves 4 of 36 conditions a pixel. The last removes the loops' counters and indices.
// Next limit: nine loads and nine conversions to grey for each pixel instead of one.
#include "document.cuh"

namespace warpwise::ladders {

/// If `checked`, a tap outside of the image is moved onto its border.
template <bool checked>
__device__ unsigned char edge(const SobelProblem& p, int x, int y) {
  return magnitude(p, [&](int column, int row) {
    const int from_x = checked ? clamped(x - 1 + column, p.width) : x - 1 + column;
    const int from_y = checked ? clamped(y - 1 + row, p.height) : y - 1 + row;
    return grey(p, p.src[from_y * p.src_pitch + from_x]);
  });
}

}  // namespace warpwise::ladders

extern "C" __global__ void sobel(warpwise::ladders::SobelProblem p) {
  using namespace warpwise::ladders;
  const int x = static_cast<int>(blockIdx.x) * block_width() + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * block_height() + static_cast<int>(threadIdx.y);
  if (x >= p.width || y >= p.height) return;  // no barrier follows
  const bool inside = FEWER_CONDITIONS && block_is_inside(p);
  p.dst[y * p.dst_pitch + x] = inside ? edge<false>(p, x, y) : edge<true>(p, x, y);
}
