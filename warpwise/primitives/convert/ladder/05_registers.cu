// Idea: three words are four pixels: a thread loads the three words that it needs itself, in each of
//   ROWS rows, and stores its four pixels of a row as one 16-byte vector. No shared memory.
// Expected: no barrier and no second way for the bytes; a quarter of the store instructions. A
//   warp's loads are 12 bytes apart: each touches all of its 384 bytes, and the cache serves the
//   second and the third. More rows keep more loads in flight.
// Next limit: device memory, if enough loads are in flight.
#include "pixels.cuh"

__device__ int byte_of(const unsigned (&words)[3], int index) {
  return static_cast<int>(words[index / 4] >> (index % 4 * 8) & 255);
}

__device__ void store_four(const warpwise::ladders::ConvertProblem& p, int x, int y,
                           const unsigned (&pixel)[4]) {
  unsigned char* const to = p.dst + y * p.dst_pitch + 4LL * x;
  if (x + 4 <= p.width && (reinterpret_cast<unsigned long long>(to) & 15) == 0) {
    *reinterpret_cast<uint4*>(to) = {pixel[0], pixel[1], pixel[2], pixel[3]};
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (x + i < p.width) reinterpret_cast<unsigned*>(to)[i] = pixel[i];
  }
}

extern "C" __global__ void convert(warpwise::ladders::ConvertProblem p) {
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  if (x >= p.width) return;
  for (int y = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS; y < p.height;
       y += static_cast<int>(gridDim.y * BLOCK_Y) * ROWS) {
    unsigned words[ROWS][3];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (y + r < p.height) warpwise::ladders::load_words(p, 3LL * x, 4, y + r, words[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (y + r >= p.height) break;
      unsigned pixel[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        pixel[i] = warpwise::ladders::ycbcr(p, byte_of(words[r], 3 * i), byte_of(words[r], 3 * i + 1),
                                            byte_of(words[r], 3 * i + 2));
      }
      store_four(p, x, y + r, pixel);
    }
  }
}
