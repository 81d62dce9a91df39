// Gaussian mean and its comparison: a part of the CPU path, compiled once for each SIMD target.
#if defined(WARPWISE_PRIMITIVES_THRESHOLD_CPU_GAUSSIAN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_THRESHOLD_CPU_GAUSSIAN_INL_HPP
#undef WARPWISE_PRIMITIVES_THRESHOLD_CPU_GAUSSIAN_INL_HPP
#else
#define WARPWISE_PRIMITIVES_THRESHOLD_CPU_GAUSSIAN_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::threshold::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Rows of floats are padded to a multiple of this number, and so to whole steps of weigh().
constexpr std::int64_t weigh_step = detail::threshold::gaussian_step;

/// out[x] = weights[0] line(0)[x] + sum over i of weights[i] (line(-i)[x] + line(i)[x]), in this
/// order and without fused operations, as every backend does it.
template <class Line>
void weigh(const std::vector<float>& weights, const Line& line, float* out, std::int64_t width) {
  const hn::CappedTag<float, weigh_step / 4> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto taps = static_cast<std::int64_t>(weights.size());
  for (std::int64_t x = 0; x < width; x += 4 * lanes) {
    const float* centre = line(0) + x;
    auto weight = hn::Set(d, weights[0]);
    auto sum0 = hn::Mul(weight, hn::LoadU(d, centre));
    auto sum1 = hn::Mul(weight, hn::LoadU(d, centre + lanes));
    auto sum2 = hn::Mul(weight, hn::LoadU(d, centre + 2 * lanes));
    auto sum3 = hn::Mul(weight, hn::LoadU(d, centre + 3 * lanes));
    for (std::int64_t i = 1; i < taps; ++i) {
      weight = hn::Set(d, weights[static_cast<std::size_t>(i)]);
      const float* a = line(-i) + x;
      const float* b = line(i) + x;
      const auto pair = [&](std::int64_t k) HWY_ATTR {
        return hn::Mul(weight, hn::Add(hn::LoadU(d, a + k * lanes), hn::LoadU(d, b + k * lanes)));
      };
      sum0 = hn::Add(sum0, pair(0));
      sum1 = hn::Add(sum1, pair(1));
      sum2 = hn::Add(sum2, pair(2));
      sum3 = hn::Add(sum3, pair(3));
    }
    hn::StoreU(sum0, d, out + x);
    hn::StoreU(sum1, d, out + x + lanes);
    hn::StoreU(sum2, d, out + x + 2 * lanes);
    hn::StoreU(sum3, d, out + x + 3 * lanes);
  }
}

/// A tile of columns of the image, worked from top to bottom. The weighed rows of a window stay in
/// a cache near the core: 15 KiB for a window of 15, at most 512 KiB for windows up to 2047.
template <class Pixel>
class GaussianTile {
 public:
  GaussianTile(ConstHostView src, HostView dst, const detail::threshold::GaussianRule& rule,
               std::optional<HostView> mean, std::int64_t dst_first, std::int64_t columns)
      : src_(src), dst_(dst), rule_(rule), mean_(mean), dst_first_(dst_first),
        half_(static_cast<std::int64_t>(rule.weights.size()) - 1), columns_(columns),
        kept_(std::min(2 * half_ + 1, src.height())),
        line_(static_cast<std::size_t>(half_ + columns + half_)),
        rows_(hwy::AllocateAligned<float>(static_cast<std::size_t>(kept_ * columns))),
        window_(static_cast<std::size_t>(2 * half_ + 1)),
        means_(hwy::AllocateAligned<float>(static_cast<std::size_t>(columns))) {
    if (rows_ == nullptr || means_ == nullptr) throw std::bad_alloc();
  }

  /// Processes rows [first, last) of src in `count` columns from x on.
  void run(std::int64_t x, std::int64_t count, std::int64_t first, std::int64_t last) {
    const std::int64_t height = src_.height();
    std::int64_t next = std::max<std::int64_t>(0, first - half_);
    for (std::int64_t y = first; y < last; ++y) {
      for (; next <= std::min(y + half_, height - 1); ++next) weigh_row(next, x, count);
      // The window moves on by one row.
      if (y > first) std::copy(window_.begin() + 1, window_.end(), window_.begin());
      for (std::int64_t i = y == first ? -half_ : half_; i <= half_; ++i) {
        window_[static_cast<std::size_t>(half_ + i)] =
            weighed(std::clamp<std::int64_t>(y + i, 0, height - 1));
      }
      const float* const* const centre = window_.data() + half_;
      weigh(rule_.weights, [centre](std::int64_t i) { return centre[i]; }, means_.get(), count);
      decide(y, x, count);
    }
  }

 private:
  float* weighed(std::int64_t y) { return rows_.get() + y % kept_ * columns_; }

  /// Computes the weighted means along row y of src, for `count` columns from x on.
  void weigh_row(std::int64_t y, std::int64_t x, std::int64_t count) {
    const std::byte* const row = src_.row(y);
    const std::int64_t first = x - half_, end = x + count + half_;
    const std::int64_t inside = std::max<std::int64_t>(first, 0);
    const std::int64_t inside_end = std::min(end, src_.width());
    float* const HWY_RESTRICT line = line_.data();
    std::fill(line, line + (inside - first), static_cast<float>(load<Pixel>(row, 0)));
    for (std::int64_t i = inside; i < inside_end; ++i) line[i - first] = load<Pixel>(row, i);
    std::fill(line + (inside_end - first), line + (end - first),
              static_cast<float>(load<Pixel>(row, src_.width() - 1)));
    const float* const start = line + half_;
    weigh(rule_.weights, [start](std::int64_t i) { return start + i; }, weighed(y), count);
  }

  void decide(std::int64_t y, std::int64_t x, std::int64_t count) {
    constexpr auto largest = static_cast<float>(std::numeric_limits<Pixel>::max());
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> d32;
    const hn::Rebind<Pixel, decltype(d)> narrow;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t to_row = y - dst_first_;
    float* const means = means_.get();
    if (mean_ && mean_->type() == ElementType::f32) {
      std::memcpy(mean_->row(to_row) + x * std::int64_t{sizeof(float)}, means,
                  static_cast<std::size_t>(count) * sizeof(float));
    }
    const auto* const from = reinterpret_cast<const Pixel*>(src_.row(y)) + x;
    auto* const to = reinterpret_cast<Pixel*>(dst_.row(to_row)) + x;
    const auto shift = static_cast<float>(rule_.shift);
    const auto above = hn::Set(d32, static_cast<std::int32_t>(rule_.values.above));
    const auto below = hn::Set(d32, static_cast<std::int32_t>(rule_.values.below));
    for (std::int64_t i = 0; i < count; i += lanes) {
      const auto rounded = hn::Min(hn::Round(hn::Load(d, means + i)), hn::Set(d, largest));
      hn::Store(rounded, d, means + i);
      if (i + lanes > count) break;
      const auto value = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(narrow, from + i)));
      const auto is_above = hn::Gt(hn::Add(value, hn::Set(d, shift)), rounded);
      const auto result = hn::IfThenElse(hn::RebindMask(d32, is_above), above, below);
      hn::StoreU(hn::DemoteTo(narrow, result), narrow, to + i);
    }
    for (std::int64_t i = count / lanes * lanes; i < count; ++i) {
      const float value = static_cast<float>(load<Pixel>(src_.row(y), x + i));
      store(dst_.row(to_row), x + i,
            static_cast<Pixel>(value + shift > means[i] ? rule_.values.above : rule_.values.below));
    }
    if (mean_ && mean_->type() != ElementType::f32) {
      for (std::int64_t i = 0; i < count; ++i) {
        store(mean_->row(to_row), x + i, static_cast<Pixel>(means[i]));
      }
    }
  }

  ConstHostView src_;
  HostView dst_;
  const detail::threshold::GaussianRule& rule_;
  std::optional<HostView> mean_;
  std::int64_t dst_first_;  ///< row of src that belongs to dst's first row
  std::int64_t half_;
  std::int64_t columns_;  ///< the most columns of a tile, in whole steps
  std::int64_t kept_;     ///< number of weighed rows kept: a window's, at most the image's
  std::vector<float> line_;
  hwy::AlignedFreeUniquePtr<float[]> rows_;
  std::vector<const float*> window_;  ///< the weighed rows around the current one
  hwy::AlignedFreeUniquePtr<float[]> means_;
};

template <class Pixel>
void threshold_by_gaussian(ConstHostView src, HostView dst,
                           const detail::threshold::GaussianRule& rule,
                           std::optional<HostView> mean, std::int64_t dst_first) {
  const auto taps = static_cast<std::int64_t>(rule.weights.size());
  const detail::threshold::GaussianTiles tiles = detail::threshold::gaussian_tiles(
      src.width(), dst.height(), taps, cpu::concurrency(), cpu::bytes_per_task);
  const std::int64_t columns = tiles.columns, rows = tiles.rows, across = tiles.across;
  const std::int64_t bytes = rows * columns * detail::threshold::gaussian_pixel_bytes(taps);
  cpu::parallel_rows(tiles.strips * across, bytes, [&](auto first, auto last) {
    GaussianTile<Pixel> tile(src, dst, rule, mean, dst_first, columns);
    for (std::int64_t t = first; t < last; ++t) {
      const std::int64_t x = t % across * columns, y = t / across * rows;
      tile.run(x, std::min(columns, src.width() - x), dst_first + y,
               dst_first + std::min(y + rows, dst.height()));
    }
  });
}

}  // namespace
}  // namespace warpwise::detail::threshold::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
