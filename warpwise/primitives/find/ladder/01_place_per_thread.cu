// Idea: each thread scores one place. It reads the template and the part of the image below it,
//   and computes the sums that the score needs, five for zncc. Every score goes to memory; two
//   small kernels find the best one.
// Expected: a load of the template reads the same pixel for all lanes, a load of the image reads
//   32 adjacent pixels; the caches serve nearly all loads. Each pair of pixels takes two loads, and
//   one instruction for each sum.
// Next limit: requests to the cache, and the computation of a global address for each request.
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
