// Idea: a thread scores a place: it reads the template and the part of the image below it, and
//   computes the sums of the score, five for zncc. Every score goes to memory; two small kernels
//   find the best one.
// Expected: a warp reads one pixel of the template, the same for all lanes, and 32 adjacent pixels
//   of the image: the caches have both. Each pair of pixels takes two loads, and one instruction
//   for each sum.
// Next limit: requests to the cache, and a global address for each of them.
#include "ranked.cuh"

using namespace warpwise::ladders;

extern "C" __global__ void scores(FindProblem p) {
  const long long place = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (place >= places_of(p)) return;
  const long long x = place % p.columns;
  const long long y = place / p.columns;
  unsigned pairs = 0;
  OwnSums templ, image;
  for (int j = 0; j < p.side; ++j) {
    const unsigned char* a = p.templ + j * p.templ_pitch;
    const unsigned char* b = p.image + (y + j) * p.image_pitch + x;
#pragma unroll 1
    for (int i = 0; i < p.side; ++i) {
      add_pair(pairs, a[i], b[i]);
      if constexpr (with_own_sums) {
        templ.add(a[i]);
        image.add(b[i]);
      }
    }
  }
  scores_of(p)[place] = score_of(p, pairs, templ, image);
}
