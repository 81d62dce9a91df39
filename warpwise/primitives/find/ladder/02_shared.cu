// Idea: a block of threads keeps the template and the part of the image below its places in shared
//   memory, and reads each of their pixels once. A large template is copied in parts of PART_ROWS
//   rows, one after the other.
// Expected: few references to global memory except the scores. Each pair of pixels still takes two
//   loads, but with short addresses and without waiting for the cache.
// Next limit: instructions, because each pair of bytes has its own loads, sums and loop overhead.
#include "ranked.cuh"
#include "tile.cuh"

using namespace warpwise::ladders;

extern __shared__ unsigned char pixels[];

extern "C" __global__ void scores(FindProblem p) {
  const Tile tile(p, BLOCK_X, BLOCK_Y);
  const int area_pitch = p.side + BLOCK_X - 1;
  unsigned char* wanted = pixels;
  unsigned char* area = pixels + min(p.side, PART_ROWS) * p.side;
  const unsigned char* window = area + threadIdx.y * area_pitch + threadIdx.x;
  unsigned pairs = 0;
  OwnSums templ, image;
  for (int part = 0; part < p.side; part += PART_ROWS) {
    const int rows = min(p.side - part, PART_ROWS);
    __syncthreads();  // waits until all threads have summed the previous part
    for (int y = threadIdx.y; y < rows; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < p.side; x += BLOCK_X) {
        wanted[y * p.side + x] = p.templ[(part + y) * p.templ_pitch + x];
      }
    }
    for (int y = threadIdx.y; y < rows + BLOCK_Y - 1; y += BLOCK_Y) {
#pragma unroll 1
      for (int x = threadIdx.x; x < area_pitch; x += BLOCK_X) {
        area[y * area_pitch + x] = image_pixel(p, tile.x + x, tile.y + part + y);
      }
    }
    __syncthreads();
    for (int y = 0; y < rows; ++y) {
      const unsigned char* a = wanted + y * p.side;
      const unsigned char* b = window + y * area_pitch;
#pragma unroll 1
      for (int x = 0; x < p.side; ++x) {
        add_pair(pairs, a[x], b[x]);
        if constexpr (with_own_sums) {
          templ.add(a[x]);
          image.add(b[x]);
        }
      }
    }
  }

  const long long x = tile.x + threadIdx.x;
  const long long y = tile.y + threadIdx.y;
  if (x >= p.columns || y >= p.rows) return;
  scores_of(p)[y * p.columns + x] = score_of(p, pairs, templ, image);
}
