// Used by find's CPU paths: sums of the image at each place, and scores from sums. Include this
// file after hwy/highway.h, in a file that foreach_target.h compiles once for each target.
#if defined(WARPWISE_PRIMITIVES_FIND_CPU_SCORES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_FIND_CPU_SCORES_INL_HPP
#undef WARPWISE_PRIMITIVES_FIND_CPU_SCORES_INL_HPP
#else
#define WARPWISE_PRIMITIVES_FIND_CPU_SCORES_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "hwy/highway.h"
#include "warpwise/primitives/find/find.hpp"
#include "warpwise/primitives/find/ranking.hpp"
#include "warpwise/primitives/shared/matching-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::find::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Number of places scored at a time: as many as bytes in a vector of the widest target.
constexpr std::int64_t scored_places = 64;

/// One call of find(), and the template's own sums for the scores.
struct Problem {
  ConstHostView templ;
  ConstHostView image;
  std::optional<HostView> map;
  Measure measure;
  std::int64_t columns, rows;  ///< columns and rows of places
  /// the template's number of pixels, their sum, and the sum of their squares
  std::int64_t n, sum, squares;

  Problem(ConstHostView t, ConstHostView i, const std::optional<HostView>& m, Measure how)
      : templ(t), image(i), map(m), measure(how), columns(i.width() - t.width() + 1),
        rows(i.height() - t.height() + 1), n(t.width() * t.height()), sum(0), squares(0) {
    for (std::int64_t y = 0; y < t.height(); ++y) {
      const auto* row = reinterpret_cast<const std::uint8_t*>(t.row(y));
      for (std::int64_t x = 0; x < t.width(); ++x) {
        const std::int64_t pixel = row[x];
        sum += pixel;
        squares += pixel * pixel;
      }
    }
  }
};

/// Σb and Σb² over the image's pixels b under the template, at each place of a row. The sums slide
/// down from row to row.
class WindowSums {
 public:
  /// Prepares for row `first` of places: the first call of next() computes that row's sums.
  WindowSums(ConstHostView templ, ConstHostView image, std::int64_t first)
      : image_(image), width_(templ.width()), height_(templ.height()), y_(first),
        column_sum_(static_cast<std::size_t>(image.width())),
        column_squares_(static_cast<std::size_t>(image.width())) {
    for (std::int64_t j = 0; j < height_ - 1; ++j) add(y_ + j, 1);
  }

  /// Computes the sums of the next row of places.
  void next(std::vector<std::int64_t>& sums, std::vector<std::int64_t>& squares) {
    add(y_ + height_ - 1, 1);
    std::int64_t sum = 0, square = 0;
    for (std::int64_t u = 0; u < image_.width(); ++u) {
      sum += column_sum_[static_cast<std::size_t>(u)];
      square += column_squares_[static_cast<std::size_t>(u)];
      if (u + 1 < width_) continue;
      const auto x = static_cast<std::size_t>(u + 1 - width_);
      sums[x] = sum;
      squares[x] = square;
      sum -= column_sum_[x];
      square -= column_squares_[x];
    }
    add(y_, -1);
    ++y_;
  }

 private:
  void add(std::int64_t y, std::int64_t sign) {
    const auto* row = reinterpret_cast<const std::uint8_t*>(image_.row(y));
    for (std::size_t u = 0; u < column_sum_.size(); ++u) {
      const std::int64_t pixel = row[u];
      column_sum_[u] += sign * pixel;
      column_squares_[u] += sign * pixel * pixel;
    }
  }

  ConstHostView image_;
  std::int64_t width_, height_;
  std::int64_t y_;
  std::vector<std::int64_t> column_sum_;
  std::vector<std::int64_t> column_squares_;
};

/// Scores rows of places.
class RowScores {
 public:
  explicit RowScores(const Problem& p) : p_(p) {}

  /// Scores up to scored_places places from (x, y) on. `sums` holds Σ|a − b| for sad and Σab for
  /// the other measures. The window's sums are not used for sad. `best` is the best place so far.
  void score(std::int64_t x, std::int64_t y, std::int64_t count, const std::uint64_t* sums,
             const std::int64_t* window_sum, const std::int64_t* window_squares, Finding& best) {
    turn_into_scores(sums, window_sum, window_squares, count);
    take(x, y, count, best);
  }

 private:
  void turn_into_scores(const std::uint64_t* sums, const std::int64_t* window_sum,
                        const std::int64_t* window_squares, std::int64_t count) {
    const bool zero_mean = p_.measure == Measure::zncc;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto s = static_cast<std::int64_t>(sums[i]);
      switch (p_.measure) {
        case Measure::sad: scores_[i] = static_cast<double>(s); break;
        case Measure::ssd:
          scores_[i] = static_cast<double>(p_.squares - 2 * s + window_squares[i]);
          break;
        case Measure::ncc:
          scores_[i] = static_cast<double>(s);
          powers_[i] = static_cast<double>(window_squares[i]);
          break;
        case Measure::zncc:
          scores_[i] = static_cast<double>(p_.n * s - p_.sum * window_sum[i]);
          powers_[i] =
              static_cast<double>(p_.n * window_squares[i] - window_sum[i] * window_sum[i]);
          break;
      }
    }
    if (least_is_best(p_.measure)) return;
    const hn::ScalableTag<double> d;
    const auto power = hn::Set(
        d, static_cast<double>(zero_mean ? p_.n * p_.squares - p_.sum * p_.sum : p_.squares));
    for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d))) {
      const auto score = detail::HWY_NAMESPACE::normalised_lanes(d, hn::Load(d, scores_ + i), power,
                                                                 hn::Load(d, powers_ + i));
      hn::Store(score, d, scores_ + i);
    }
  }

  void take(std::int64_t x, std::int64_t y, std::int64_t count, Finding& best) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const Finding here{x + i, y, scores_[i]};
      if (ranks_before(here, best, p_.measure)) best = here;
    }
    if (!p_.map) return;
    std::byte* row = p_.map->row(y);
    if (p_.map->type() == ElementType::u32) {
      for (std::int64_t i = 0; i < count; ++i) {
        store(row, x + i, static_cast<std::uint32_t>(scores_[i]));
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) store(row, x + i, static_cast<float>(scores_[i]));
    }
  }

  const Problem& p_;
  HWY_ALIGN double scores_[scored_places]{};
  HWY_ALIGN double powers_[scored_places]{};
};

}  // namespace
}  // namespace warpwise::detail::find::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
