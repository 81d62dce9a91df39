// Idea: the widest accesses on both sides. 24 lanes of a warp load the 384 bytes of 128 pixels as
//   16-byte vectors into shared memory; each lane takes the three words of its four pixels from
//   there and stores these as one 16-byte vector.
// Expected: one load instruction instead of three. Its accesses are adjacent, so it touches each
//   sector once. Words three apart lie in different banks, as 3 and 32 have no common factor. A
//   quarter of the lanes idle while loading, as in 03_output.cu. That costs nothing, because an
//   instruction counts for a warp, not for its lanes.
// Next limit: one load in flight for each warp and row.
#include "pixels.cuh"

static_assert(BLOCK_X == 32, "a row of the block is a warp");
constexpr int warp_pixels = 128;
constexpr int warp_words = 96;
constexpr int warp_vectors = 24;

extern "C" __global__ void convert(warpwise::ladders::ConvertProblem p) {
  __shared__ uint4 vectors[BLOCK_Y][warp_vectors];
  auto* const words = reinterpret_cast<unsigned*>(vectors[threadIdx.y]);
  const int lane = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * warp_pixels;
  const int x = left + 4 * lane;
  for (int y = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y); y < p.height;
       y += static_cast<int>(gridDim.y * BLOCK_Y)) {
    const unsigned char* const from = p.src + y * p.src_pitch + 3LL * left;
    if (left + warp_pixels <= p.width && (reinterpret_cast<unsigned long long>(from) & 15) == 0) {
      if (lane < warp_vectors) {
        vectors[threadIdx.y][lane] = reinterpret_cast<const uint4*>(from)[lane];
      }
    } else {
      for (int i = lane; i < warp_words; i += 32) {
        words[i] = warpwise::ladders::load_word(p, 3LL * left + 4 * i, y);
      }
    }
    __syncwarp();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(words + 3 * lane);
    unsigned char* const to = p.dst + y * p.dst_pitch + 4LL * x;
    if (x + 4 <= p.width && (reinterpret_cast<unsigned long long>(to) & 15) == 0) {
      const unsigned w0 = words[3 * lane], w1 = words[3 * lane + 1], w2 = words[3 * lane + 2];
      using warpwise::ladders::ycbcr;
      *reinterpret_cast<uint4*>(to) = {ycbcr(p, w0 & 255, w0 >> 8 & 255, w0 >> 16 & 255),
                                       ycbcr(p, w0 >> 24, w1 & 255, w1 >> 8 & 255),
                                       ycbcr(p, w1 >> 16 & 255, w1 >> 24, w2 & 255),
                                       ycbcr(p, w2 >> 8 & 255, w2 >> 16 & 255, w2 >> 24)};
    } else {
      for (int i = 0; i < 4; ++i) warpwise::ladders::convert_pixel(p, x + i, y, bytes + 3 * i);
    }
    __syncwarp();  // waits before the next row overwrites the words
  }
}
