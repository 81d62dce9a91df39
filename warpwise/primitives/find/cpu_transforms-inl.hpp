// Sums of products of large templates by Fourier transforms in double. The transforms' errors are
// so small that rounding gives the exact sums (proof in docs/decisions). Include this file after
// hwy/highway.h, in a file that foreach_target.h compiles once for each target.
#if defined(WARPWISE_PRIMITIVES_FIND_CPU_TRANSFORMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_FIND_CPU_TRANSFORMS_INL_HPP
#undef WARPWISE_PRIMITIVES_FIND_CPU_TRANSFORMS_INL_HPP
#else
#define WARPWISE_PRIMITIVES_FIND_CPU_TRANSFORMS_INL_HPP
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "warpwise/primitives/find/cpu_lines-inl.hpp"
#include "warpwise/primitives/find/cpu_plan.hpp"
#include "warpwise/primitives/find/cpu_scores-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::find::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Allocates `count` doubles. \throws std::bad_alloc
hwy::AlignedFreeUniquePtr<double[]> doubles(std::int64_t count) {
  auto made = hwy::AllocateAligned<double>(static_cast<std::size_t>(count));
  if (!made) throw std::bad_alloc();
  return made;
}

/// A tile of complex numbers, whose real and imaginary parts are two tiles of an image.
class ComplexTile {
 public:
  explicit ComplexTile(const TileSize& size)
      : row_(size.log_width), column_(size.log_height), pitch_(2 * column_.length() + 2 * together),
        tile_(doubles(row_.length() * pitch_)),
        re_(doubles(std::max(row_.length(), column_.length()) * together)),
        im_(doubles(std::max(row_.length(), column_.length()) * together)) {
    for (auto& row : bytes_) row.resize(static_cast<std::size_t>(row_.length()));
  }

  std::int64_t width() const { return row_.length(); }
  std::int64_t height() const { return column_.length(); }

  /// Transforms the rows of an image, with zeros beyond its edges. The tile from the left edge on
  /// is the real part, the tile from column `second` on the imaginary part.
  void transform_rows(ConstHostView image, std::int64_t second) {
    for (std::int64_t y = 0; y < height(); y += together) {
      if (y >= image.height()) {
        for (std::int64_t x = 0; x < width(); ++x) {
          std::fill_n(tile_.get() + x * pitch_ + 2 * y, 2 * together, 0.0);
        }
        continue;
      }
      load_rows(image, 0, y, re_.get());
      load_rows(image, second, y, im_.get());
      row_.forward(re_.get(), im_.get());
      for (std::int64_t x = 0; x < width(); ++x) {
        double* to = tile_.get() + x * pitch_ + 2 * y;
        each_lane([&](std::int64_t l) {
          ComplexVector::load(re_.get() + together * x + l, im_.get() + together * x + l)
              .store(to + l, to + together + l);
        });
      }
    }
  }

  /// Transforms 4 columns from x on and calls use(re, im), which may change their points. If `rows`
  /// is not 0, then transforms the columns back and stores their first `rows` rows in the tile.
  template <class Use>
  void transform_columns(std::int64_t x, std::int64_t rows, const Use& use) {
    const Doubles d;
    for (std::int64_t y = 0; y < height(); y += together) {
      const double* from = tile_.get() + x * pitch_ + 2 * y;
      each_lane([&](std::int64_t l) {
        for (const auto& [part, to] :
             {std::pair{from + l, re_.get()}, std::pair{from + together + l, im_.get()}}) {
          hn::StoreInterleaved4(hn::Load(d, part), hn::Load(d, part + pitch_),
                                hn::Load(d, part + 2 * pitch_), hn::Load(d, part + 3 * pitch_), d,
                                to + together * (y + l));
        }
      });
    }
    column_.forward(re_.get(), im_.get());
    use(re_.get(), im_.get());
    if (rows == 0) return;
    column_.inverse(re_.get(), im_.get());
    for (std::int64_t y = 0; y < rows; y += together) {
      double* to = tile_.get() + x * pitch_ + 2 * y;
      each_lane([&](std::int64_t l) {
        for (const auto& [from, part] :
             {std::pair{re_.get(), to + l}, std::pair{im_.get(), to + together + l}}) {
          DoubleVector a, b, c, e;
          hn::LoadInterleaved4(d, from + together * (y + l), a, b, c, e);
          hn::Store(a, d, part), hn::Store(b, d, part + pitch_);
          hn::Store(c, d, part + 2 * pitch_), hn::Store(e, d, part + 3 * pitch_);
        }
      });
    }
  }

  /// Transforms back the 4 rows from y on and rounds them to integers. Stores `columns` real parts
  /// of each row, then `columns` imaginary parts. May overwrite up to 4 elements after these.
  void inverse_rows(std::int64_t y, std::int64_t columns,
                    std::array<std::vector<std::uint64_t>, together>& sums) {
    for (std::int64_t x = 0; x < width(); ++x) {
      const double* from = tile_.get() + x * pitch_ + 2 * y;
      each_lane([&](std::int64_t l) {
        ComplexVector::load(from + l, from + together + l)
            .store(re_.get() + together * x + l, im_.get() + together * x + l);
      });
    }
    row_.inverse(re_.get(), im_.get());
    store_integers(re_.get(), columns, 0, sums);
    store_integers(im_.get(), columns, columns, sums);
  }

 private:
  template <class Use>
  static void each_lane(const Use& use) {
    for (std::int64_t l = 0; l < together; l += static_cast<std::int64_t>(hn::Lanes(Doubles())))
      use(l);
  }

  void load_rows(ConstHostView image, std::int64_t x, std::int64_t y, double* to) {
    const std::int64_t count = std::clamp<std::int64_t>(image.width() - x, 0, width());
    for (std::int64_t r = 0; r < together; ++r) {
      std::uint8_t* row = bytes_[static_cast<std::size_t>(r)].data();
      const std::int64_t inside = y + r < image.height() ? count : 0;
      if (inside > 0) std::memcpy(row, image.row(y + r) + x, static_cast<std::size_t>(inside));
      std::fill(row + inside, row + width(), std::uint8_t{0});
    }
    const Doubles d;
    const hn::Rebind<std::int32_t, Doubles> d32;
    const hn::Rebind<std::uint8_t, Doubles> d8;
    for (std::int64_t i = 0; i < width(); i += static_cast<std::int64_t>(hn::Lanes(d))) {
      const auto pixels = [&](std::size_t r) {
        return hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(d8, bytes_[r].data() + i)));
      };
      hn::StoreInterleaved4(pixels(0), pixels(1), pixels(2), pixels(3), d, to + together * i);
    }
  }

  static void store_integers(const double* from, std::int64_t columns, std::int64_t at,
                             std::array<std::vector<std::uint64_t>, together>& sums) {
    const Doubles d;
    const hn::Repartition<std::uint64_t, Doubles> du;
    // Adding this number to a small one leaves the nearest integer in the low bits.
    const auto rounding = hn::Set(d, 0x1.8p52);
    const auto integer = [&](DoubleVector v) {
      return hn::Sub(hn::BitCast(du, hn::Add(v, rounding)), hn::BitCast(du, rounding));
    };
    for (std::int64_t x = 0; x < columns; x += static_cast<std::int64_t>(hn::Lanes(d))) {
      DoubleVector rows[together];
      hn::LoadInterleaved4(d, from + together * x, rows[0], rows[1], rows[2], rows[3]);
      const auto put = [&](std::size_t r, DoubleVector v) {
        hn::StoreU(integer(v), du, sums[r].data() + at + x);
      };
      put(0, rows[0]), put(1, rows[1]), put(2, rows[2]), put(3, rows[3]);
    }
  }

  LineTransform row_;
  LineTransform column_;
  std::int64_t pitch_;  ///< doubles from column to column: a column's, and a cache line of padding
  hwy::AlignedFreeUniquePtr<double[]> tile_;
  hwy::AlignedFreeUniquePtr<double[]> re_;  ///< buffer of 4 lines
  hwy::AlignedFreeUniquePtr<double[]> im_;
  std::array<std::vector<std::uint8_t>, together> bytes_;
};

/// The conjugate of the template's transform, divided by a tile's number of points. An image tile's
/// transform times this one is the transform of their correlation.
class TemplateTransform {
 public:
  TemplateTransform(ConstHostView templ, const TileSize& size)
      : values_(doubles(std::int64_t{2} << (size.log_width + size.log_height))) {
    ComplexTile tile(size);
    tile.transform_rows(templ, templ.width());
    const double scale = std::ldexp(1.0, -size.log_width - size.log_height);
    const std::int64_t column_points = together * tile.height();
    for (std::int64_t x = 0; x < tile.width(); x += together) {
      tile.transform_columns(x, 0, [&](const double* re, const double* im) {
        double* to = values_.get() + 2 * x * tile.height();
        for (std::int64_t i = 0; i < column_points; ++i) {
          to[i] = re[i] * scale;
          to[column_points + i] = im[i] * scale;
        }
      });
    }
  }

  /// Multiplies the points of a tile's columns x to x + 3 by the same columns of this transform.
  void apply(std::int64_t x, std::int64_t height, double* re, double* im) const {
    const Doubles d;
    const std::int64_t column_points = together * height;
    const double* own = values_.get() + 2 * x * height;
    for (std::int64_t i = 0; i < column_points; i += static_cast<std::int64_t>(hn::Lanes(d))) {
      const auto own_value = ComplexVector::load(own + i, own + column_points + i);
      ComplexVector::load(re + i, im + i).template times<true>(own_value).store(re + i, im + i);
    }
  }

 private:
  hwy::AlignedFreeUniquePtr<double[]> values_;
};

/// Scores pairs of neighbouring tiles.
class TransformScorer {
 public:
  TransformScorer(const Problem& p, const TileSize& size, const TemplateTransform& templ)
      : p_(p), size_(size), templ_(templ), tile_(size), scores_(p) {
    const auto columns = static_cast<std::size_t>(2 * size.columns);
    for (auto& row : sums_) row.resize(columns + together);
    window_sum_.resize(columns);
    window_squares_.resize(columns);
  }

  void score(std::int64_t pair, Finding& best) {
    const std::int64_t x = pair % size_.pairs_across * 2 * size_.columns;
    const std::int64_t y = pair / size_.pairs_across * size_.rows;
    const std::int64_t columns = std::min(2 * size_.columns, p_.columns - x);
    const std::int64_t rows = std::min(size_.rows, p_.rows - y);
    const ConstHostView part =
        p_.image.sub_view(x, y, columns + p_.templ.width() - 1, rows + p_.templ.height() - 1);
    tile_.transform_rows(part, size_.columns);
    for (std::int64_t u = 0; u < tile_.width(); u += together) {
      tile_.transform_columns(
          u, rows, [&](double* re, double* im) { templ_.apply(u, tile_.height(), re, im); });
    }
    WindowSums windows(p_.templ, part, 0);
    for (std::int64_t v = 0; v < rows; ++v) {
      if (v % together == 0) tile_.inverse_rows(v, size_.columns, sums_);
      windows.next(window_sum_, window_squares_);
      const std::uint64_t* sums = sums_[static_cast<std::size_t>(v % together)].data();
      for (std::int64_t u = 0; u < columns; u += scored_places) {
        scores_.score(x + u, y + v, std::min(scored_places, columns - u), sums + u,
                      window_sum_.data() + u, window_squares_.data() + u, best);
      }
    }
  }

 private:
  const Problem& p_;
  const TileSize& size_;
  const TemplateTransform& templ_;
  ComplexTile tile_;
  RowScores scores_;
  std::array<std::vector<std::uint64_t>, together> sums_;
  std::vector<std::int64_t> window_sum_;
  std::vector<std::int64_t> window_squares_;
};

}  // namespace
}  // namespace warpwise::detail::find::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
