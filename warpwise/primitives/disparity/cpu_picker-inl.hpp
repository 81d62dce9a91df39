// Picks the disparities of a row from the scores of its pixels. Part of the CPU path, compiled for
// each SIMD target.
#if defined(WARPWISE_PRIMITIVES_DISPARITY_CPU_PICKER_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_DISPARITY_CPU_PICKER_INL_HPP
#undef WARPWISE_PRIMITIVES_DISPARITY_CPU_PICKER_INL_HPP
#else
#define WARPWISE_PRIMITIVES_DISPARITY_CPU_PICKER_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/disparity/subpixel.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::disparity::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Array = hwy::AlignedFreeUniquePtr<T[]>;

template <class T>
Array<T> zeros(std::int64_t count) {
  auto result = hwy::AllocateAligned<T>(static_cast<std::size_t>(count));
  if (!result) throw std::bad_alloc();
  std::memset(result.get(), 0, static_cast<std::size_t>(count) * sizeof(T));
  return result;
}

/// The sizes of the problem and of its arrays.
struct Shape {
  std::int64_t width;
  std::int64_t height;
  std::int64_t block;       ///< side of a block
  std::int64_t half;        ///< block / 2
  std::int64_t candidates;  ///< displacements 0 … candidates − 1
  std::int64_t stride;      ///< candidates, rounded up to whole vectors of any lane type
  std::int64_t padded;      ///< width plus half a block on either side
};

/// Finds a row's disparities from the scores of its pixels, which come from left to right.
template <class Score, bool least>
class Picker {
 public:
  explicit Picker(const Shape& s)
      : shape_(s), row_(margin + s.stride + margin), scores_(zeros<Score>(group * row_)),
        best_score_(zeros<Score>(group * max_lanes)), best_at_(zeros<Score>(group * max_lanes)),
        right_score_(zeros<Score>(s.width + s.stride + margin)),
        right_displacement_(zeros<Score>(s.width + s.stride + margin)),
        best_(static_cast<std::size_t>(s.width)), value_(static_cast<std::size_t>(s.width)) {
    std::fill_n(scores_.get(), group * row_, worst);
  }

  void start_row() {
    std::fill_n(right_score_.get(), shape_.width + shape_.stride + margin, worst);
  }

  /// Takes the scores of pixel x. `score_at(d, i)` returns its scores at displacements from i on,
  /// as lanes of tag d.
  template <class ScoreAt>
  void pick(std::int64_t x, const DisparityOptions& options, const ScoreAt& score_at) {
    const D d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = std::min(shape_.candidates, x + 1);
    Score* scores = scores_of(x);
    Best best{hn::Set(d, worst), hn::Zero(d)};
    auto here = hn::Iota(d, Score{0});
    for (std::int64_t i = 0; i < shape_.stride; i += lanes) {
      auto score = score_at(d, i);
      if (i + lanes > count) {
        const auto scored = static_cast<std::size_t>(std::max<std::int64_t>(count - i, 0));
        score = hn::IfThenElse(hn::FirstN(d, scored), score, hn::Set(d, worst));
      }
      hn::Store(score, d, scores + i);
      best = better(best, score, here);
      here = hn::Add(here, hn::Set(d, static_cast<Score>(lanes)));
    }
    hn::Store(best.score, d, best_score_.get() + x % group * lanes);
    hn::Store(best.at, d, best_at_.get() + x % group * lanes);
    if (x % group == group - 1 || x == shape_.width - 1) {
      finish_group(x / group * group, x, options);
    }
  }

  void finish_row(std::byte* dst, int check) const {
    for (std::int64_t x = 0; x < shape_.width; ++x) {
      const auto i = static_cast<std::size_t>(x);
      const auto back = static_cast<int>(right_displacement_[shape_.width - 1 - (x - best_[i])]);
      const bool valid = check < 0 || std::abs(best_[i] - back) <= check;
      store(dst, x, valid ? value_[i] : -1.0F);
    }
  }

 private:
  using D = hn::ScalableTag<Score>;
  using V = hn::Vec<D>;
  // Number of adjacent pixels that are finished together, from their stored scores. Their best
  // displacements are found with several pixels in a vector and without branches. The best scores
  // of the right image's pixels are updated once for the whole group. An update after each pixel
  // would load elements that the previous update has just stored, at an offset of one element. Its
  // loads would have to wait for these stores.
  static constexpr std::int64_t group = 16;
  // Number of unused elements on either side of a pixel's scores. Loads reach up to a group and a
  // vector beyond the scores.
  static constexpr std::int64_t margin = 64;
  static constexpr std::int64_t max_lanes = hn::MaxLanes(D());
  // Worse than any score: sums over a block are smaller, correlations are at least −1.
  static constexpr Score worst = least ? std::numeric_limits<Score>::max() : Score(-2);

  /// Scores and their displacements, lane by lane.
  struct Best {
    V score;
    V at;
  };

  Score* scores_of(std::int64_t x) { return scores_.get() + x % group * row_ + margin; }

  template <class Vector>
  static Vector better(Vector a, Vector b) {
    return least ? hn::Min(a, b) : hn::Max(a, b);
  }

  /// Returns the better of `best` and `score` in each lane; among equal scores `best` stays.
  static Best better(const Best& best, V score, V at) {
    const V now = better(best.score, score);
    return {now, hn::IfThenElse(hn::Eq(now, best.score), best.at, at)};
  }

  /// Sets the best displacements of pixels first … last.
  void finish_group(std::int64_t first, std::int64_t last, const DisparityOptions& options) {
    Score found[group];
    find_best(found);
    for (std::int64_t x = first; x <= last; ++x) {
      const auto at = static_cast<int>(found[x - first]);
      float value = static_cast<float>(at);
      if (options.subpixel && at > 0 && at + 1 < std::min(shape_.candidates, x + 1)) {
        const Score* scores = scores_of(x);
        value = refined(options.measure, at, static_cast<double>(scores[at - 1]),
                        static_cast<double>(scores[at]), static_cast<double>(scores[at + 1]));
      }
      best_[static_cast<std::size_t>(x)] = at;
      value_[static_cast<std::size_t>(x)] = value;
    }
    if (options.check >= 0) update_right(first, last);
  }

#if HWY_TARGET == HWY_SCALAR
  void find_best(Score (&found)[group]) const { std::copy_n(best_at_.get(), group, found); }
#else
  static constexpr std::int64_t block_lanes = 16 / sizeof(Score);
  using Block = hn::FixedTag<Score, block_lanes>;

  /// Merges two vectors lane by lane; among equal scores the lower displacement stays.
  template <class Vector, class Tag>
  static void merge(Tag d, Vector& score, Vector& at, Vector other_score, Vector other_at) {
    const Vector now = better(score, other_score);
    const auto none = hn::Set(d, std::numeric_limits<Score>::max());
    at = hn::Min(hn::IfThenElse(hn::Eq(now, score), at, none),
                 hn::IfThenElse(hn::Eq(now, other_score), other_at, none));
    score = now;
  }

  /// Finds the best displacement of each pixel of the group. Each pixel has a vector, with the best
  /// score of the displacements in each lane. The vectors of block_lanes pixels are reduced
  /// together. A step interleaves two vectors and merges the lower with the upper half, which
  /// leaves half as many vectors. In the last vector each 16-byte part has one lane for each pixel.
  /// These parts are merged at the end.
  void find_best(Score (&found)[group]) const {
    const D d;
    const Block block;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t first = 0; first < group; first += block_lanes) {
      V score[block_lanes], at[block_lanes];
      for (std::int64_t i = 0; i < block_lanes; ++i) {
        score[i] = hn::Load(d, best_score_.get() + (first + i) * lanes);
        at[i] = hn::Load(d, best_at_.get() + (first + i) * lanes);
      }
      for (std::int64_t half = block_lanes / 2; half > 0; half /= 2) {
        for (std::int64_t i = 0; i < half; ++i) {
          const V scores[2] = {score[i], score[i + half]}, ats[2] = {at[i], at[i + half]};
          score[i] = hn::InterleaveLower(d, scores[0], scores[1]);
          at[i] = hn::InterleaveLower(d, ats[0], ats[1]);
          merge(d, score[i], at[i], hn::InterleaveUpper(d, scores[0], scores[1]),
                hn::InterleaveUpper(d, ats[0], ats[1]));
        }
      }
      HWY_ALIGN Score block_scores[max_lanes];
      HWY_ALIGN Score block_ats[max_lanes];
      hn::Store(score[0], d, block_scores);
      hn::Store(at[0], d, block_ats);
      auto best = hn::Load(block, block_scores), best_at = hn::Load(block, block_ats);
      for (std::int64_t i = block_lanes; i < lanes; i += block_lanes) {
        merge(block, best, best_at, hn::Load(block, block_scores + i),
              hn::Load(block, block_ats + i));
      }
      hn::StoreU(best_at, block, found + first);
    }
  }
#endif

  /// Updates the best displacements of the right image's pixels from the scores of left pixels
  /// first … last. Element m of right_score_ and right_displacement_ is for right column
  /// width − 1 − m, because right rows are mirrored. Left pixel x is compared with it at
  /// displacement m − (width − 1 − x). This grows with x, so among equal scores the least
  /// displacement stays.
  void update_right(std::int64_t first, std::int64_t last) {
    const D d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t end = shape_.width - 1 - first + shape_.candidates;
    for (std::int64_t m = shape_.width - 1 - last; m < end; m += lanes) {
      Best best{hn::LoadU(d, right_score_.get() + m), hn::LoadU(d, right_displacement_.get() + m)};
      std::int64_t at = m - (shape_.width - 1 - first);
      auto here = hn::Iota(d, static_cast<Score>(at));
      for (std::int64_t x = first; x <= last; ++x, ++at) {
        best = better(best, hn::LoadU(d, scores_of(x) + at), here);
        here = hn::Add(here, hn::Set(d, Score{1}));
      }
      hn::StoreU(best.score, d, right_score_.get() + m);
      hn::StoreU(best.at, d, right_displacement_.get() + m);
    }
  }

  Shape shape_;
  std::int64_t row_;
  Array<Score> scores_;
  Array<Score> best_score_;  // best score of each pixel of a group, lane by lane
  Array<Score> best_at_;
  Array<Score> right_score_;
  Array<Score> right_displacement_;
  std::vector<int> best_;
  std::vector<float> value_;
};

}  // namespace
}  // namespace warpwise::detail::disparity::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
