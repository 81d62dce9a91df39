#pragma once

#include "warpwise/primitives/find/best.cuh"
#include "warpwise/primitives/shared/scorer.cuh"

// Computes scores from the sums at places, for the map and for the best place. nvcc and NVRTC
// compile this file; it includes no host headers.
namespace warpwise::kernels::find {

// Number of places that a lane processes together, with their loads in flight together.
inline constexpr int places_together = 8;

/// A thread's state while it scores.
template <Measure measure, class Sum>
struct PlaceScores {
  Scorer<measure, Sum> scorer;
  float most;  ///< the greatest estimate of a score in the warp so far
  unsigned long long templ_squares;
  FindPlace best;
};

/// Returns a mask of those `valid` places that may be the warp's best so far. Places that certainly
/// score less than another one are left out. All lanes must call it.
template <Measure measure, class Sum>
__device__ inline unsigned promising(PlaceScores<measure, Sum>& scores,
                                     const PlaceSums<Sum> (&places)[places_together],
                                     unsigned valid) {
  float estimates[places_together];
  float most = scores.most;
#pragma unroll
  for (int i = 0; i < places_together; ++i) {
    estimates[i] = (valid >> i & 1) != 0 ? scores.scorer.estimate(places[i]) : -2.0F;
    most = fmaxf(most, estimates[i]);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, distance));
  }
  scores.most = most;
  unsigned mask = 0;
#pragma unroll
  for (int i = 0; i < places_together; ++i) {
    if (!(estimates[i] < most - estimate_margin)) mask |= 1U << i;
  }
  return mask;
}

/// Scores each place where(i) of the band for which bit i of `valid` is set. `products` are the
/// sums of products at these places. All lanes must call it.
template <Measure measure, class Sum, class Where>
__device__ inline void score_places(const FindArguments& a, PlaceScores<measure, Sum>& scores,
                                    const Sum (&products)[places_together], unsigned valid,
                                    Where where) {
  PlaceSums<Sum> places[places_together];
#pragma unroll
  for (int i = 0; i < places_together; ++i) {
    const longlong2 place = where(i);
    const int64_t at =
        min(int64_t{place.y}, a.rows - 1) * a.scratch_pitch + min(int64_t{place.x}, a.columns - 1);
    places[i] = {products[i], __ldg(static_cast<const Sum*>(a.squares) + at), 0};
    if constexpr (measure == Measure::zncc) places[i].b = __ldg(a.sums + at);
  }
  unsigned mask = valid;
  if constexpr (!least_is_best(measure)) {
    if (a.map == nullptr) mask &= promising(scores, places, valid);
  }
#pragma unroll
  for (int i = 0; i < places_together; ++i) {
    if ((mask >> i & 1) == 0) continue;
    double score;
    if constexpr (measure == Measure::ssd)
      score = static_cast<Sum>(scores.templ_squares - 2 * places[i].ab + places[i].bb);
    else
      score = scores.scorer.score(places[i]);
    const longlong2 place = where(i);
    const FindPlace here{place.x, a.first_row + place.y, score};
    if (detail::find::ranks_before(here, scores.best, measure)) scores.best = here;
    if (a.map != nullptr) store_score(a, place.x, place.y, score);
  }
}

}  // namespace warpwise::kernels::find
