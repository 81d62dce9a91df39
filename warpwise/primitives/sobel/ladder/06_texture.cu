// Idea: the code of 01_global.cu reads its pixels through a one-dimensional texture. The texture
//   cache suits reads close to each other, and the texture unit splits a pixel into its channels.
//   The steps are those of 01_global.cu.
// Expected: on GPUs that keep no global reads in an L1 cache, one read from memory instead of nine.
//   If one L1 cache serves both kinds of reads, only the path through the texture unit differs.
// Next limit: as in 01_global.cu, nine reads and nine conversions to grey for each pixel.
#include "document.cuh"

namespace warpwise::ladders {

template <bool checked>
__device__ unsigned char edge(const SobelProblem& p, int x, int y) {
  return magnitude(p, [&](int column, int row) {
    const int from_x = checked ? clamped(x - 1 + column, p.width) : x - 1 + column;
    const int from_y = checked ? clamped(y - 1 + row, p.height) : y - 1 + row;
    const int texel = p.texture_start + from_y * static_cast<int>(p.src_pitch) + from_x;
    const uchar4 pixel = tex1Dfetch<uchar4>(p.texture, texel);
    return grey(p, pixel.x, pixel.y, pixel.z);
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
