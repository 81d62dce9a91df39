#pragma once

#include "warpwise/primitives/find/best.cuh"
#include "warpwise/primitives/shared/scorer.cuh"

// Scores from the sums at places, for the map and the best. Fit for nvcc and NVRTC: no host headers
// of their own.
namespace warpwise::kernels::find {

// Places that a lane looks at together, so that their loads are under way together.
inline constexpr int places_together = 8;

/// What a thread knows when it scores.
template <Measure measure, class Sum>
struct PlaceScores {
  Scorer<measure, Sum> scorer;
  float most;  ///< the greatest estimate that the warp has seen
  unsigned long long templ_squares;
  FindPlace best;
};

/// Which of the `valid` places may be the best that the warp has seen: all but those whose scores
/// are certainly less than another's. To be called by all lanes.
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

/// Scores places where(i) of the band, those with a bit in `valid`, from their sums of products.
/// To be called by all lanes.
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
