#pragma once

#include "candidates.cuh"

namespace warpwise::ladders {

/// Returns the score of a displacement, read from the images or from textures over them.
template <bool through_texture>
__device__ inline Score score_at(const MatchProblem& p, const Block& block, int dx, int dy) {
  if (!block.stays_inside(p, dx, dy)) return no_score();
  Sums sums;
  for (int y = 0; y < p.size; ++y) {
    const long long a = (block.y + y) * p.reference_pitch + block.x;
    const long long b = (block.y + dy + y) * p.target_pitch + block.x + dx;
#pragma unroll 1
    for (int x = 0; x < p.size; ++x) {
      if constexpr (through_texture) {
        const int a_texel = static_cast<int>(p.reference_offset + a) + x;
        const int b_texel = static_cast<int>(p.target_offset + b) + x;
        sums.add(tex1Dfetch<unsigned char>(p.reference_texture, a_texel),
                 tex1Dfetch<unsigned char>(p.target_texture, b_texel));
      } else {
        sums.add(p.reference[a + x], p.target[b + x]);
      }
    }
  }
  return sums.score();
}

}  // namespace warpwise::ladders
