#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/match/cpu.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "warpwise/base/image.hpp"
#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/match/backends.hpp"
#include "warpwise/primitives/match/cpu_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::match::HWY_NAMESPACE {
namespace {

// Most candidates of a tile along each axis. For blocks of usual sizes, a tile's search area stays
// in the first-level cache, and its sums take 16 KiB.
constexpr std::int64_t tile_candidates = 64;
constexpr std::int64_t cache_line = 64;

/// Computes Σb and Σb² over the target's pixels under the block, at every candidate of a tile.
///
/// `columns` holds the sums of the columns of `height` pixels. For the next row of candidates, it
/// adds the row of pixels that enters and subtracts the one that leaves. Along a row of candidates,
/// the window's sum changes by one entering and one leaving column.
void window_sums(Plane<std::int16_t> area, std::int64_t width, std::int64_t height,
                 const Tile& tile, std::vector<std::uint32_t>& columns, std::uint32_t* sums,
                 std::uint32_t* squares) {
  const std::int64_t area_width = tile.columns() + width - 1;
  columns.assign(static_cast<std::size_t>(2 * area_width), 0);
  std::uint32_t* HWY_RESTRICT column_sums = columns.data();
  std::uint32_t* HWY_RESTRICT column_squares = columns.data() + area_width;
  const auto add_row = [&](std::int64_t y, std::uint32_t sign) {
    const std::int16_t* HWY_RESTRICT row = area.data + y * area.pitch;
    for (std::int64_t x = 0; x < area_width; ++x) {
      const auto pixel = static_cast<std::uint32_t>(row[x]);
      column_sums[x] += sign * pixel;
      column_squares[x] += sign * (pixel * pixel);
    }
  };
  for (std::int64_t y = 0; y < height; ++y) add_row(y, 1);
  for (std::int64_t row = 0; row < tile.groups() * group; ++row) {
    if (row > 0) {
      add_row(row - 1, ~std::uint32_t{0});
      add_row(row - 1 + height, 1);
    }
    std::uint32_t sum = 0;
    std::uint32_t square = 0;
    for (std::int64_t x = 0; x < width - 1; ++x) {
      sum += column_sums[x];
      square += column_squares[x];
    }
    for (std::int64_t column = 0; column < tile.columns(); ++column) {
      sum += column_sums[column + width - 1];
      square += column_squares[column + width - 1];
      sums[tile.index(column, row)] = sum;
      squares[tile.index(column, row)] = square;
      sum -= column_sums[column];
      square -= column_squares[column];
    }
  }
}

/// Offers all candidates of a tile to `best`; the greatest score wins.
template <class ScoreOf>
void pick_greatest(const Tile& tile, const ScoreOf& score_of, Best<double>& best) {
  for (int dy = tile.y.first; dy <= tile.y.last; ++dy) {
    for (int dx = tile.x.first; dx <= tile.x.last; ++dx) {
      const double score = score_of(tile.index(dx - tile.x.first, dy - tile.y.first));
      best.offer(score > best.score, score, dx, dy);
    }
  }
}

/// Copies width × height pixels of an image from (x0, y0) on; outside the image the edge pixel is
/// repeated.
template <class Pixel>
void gather(ConstHostView image, std::int64_t x0, std::int64_t y0, std::int64_t width,
            std::int64_t height, Pixel* out, std::int64_t out_pitch) {
  const auto inside = [&](std::int64_t x) { return std::clamp<std::int64_t>(x, 0, image.width()); };
  const std::int64_t from = inside(x0);
  const std::int64_t to = inside(x0 + width);
  const std::int64_t left = std::clamp<std::int64_t>(-x0, 0, width);
  for (std::int64_t y = 0; y < height; ++y, out += out_pitch) {
    const auto* row = reinterpret_cast<const std::uint8_t*>(
        image.row(std::clamp<std::int64_t>(y0 + y, 0, image.height() - 1)));
    std::fill(out, out + left, static_cast<Pixel>(row[0]));
    Pixel* right = std::copy(row + from, row + to, out + left);
    // Prefetches the next block's area, which lies to the right. Rows of an image are too far apart
    // for the hardware to do that.
    hwy::Prefetch(row + std::min(to + cache_line - 1, image.width() - 1));
    std::fill(right, out + width, static_cast<Pixel>(row[image.width() - 1]));
  }
}

/// Matches blocks one after the other, reusing memory.
template <class Op>
class BlockMatcher {
  using Pixel = typename Op::Pixel;

 public:
  BlockMatcher(ConstHostView reference, ConstHostView target, const MatchOptions& options)
      : reference_(reference), target_(target), options_(options),
        strip_width_(strip_width<Pixel>(options.block_width)),
        padded_width_((options.block_width + strip_width_ - 1) / strip_width_ * strip_width_),
        block_image_(element_type_of<Pixel>, padded_width_ * options.block_height, 1),
        area_image_(element_type_of<Pixel>, most(options.search_x) - 1 + padded_width_,
                    most(options.search_y) + group - 1 + options.block_height),
        block_(pixels_of(block_image_)), area_(pixels_of(area_image_)),
        area_pitch_(area_image_.view().pitch_bytes() / std::int64_t{sizeof(Pixel)}) {
    const auto tile_size =
        static_cast<std::size_t>(most(options.search_x) * (most(options.search_y) + group - 1));
    sums_.resize(tile_size);
    if (options.measure == Measure::sad) return;
    window_sums_.resize(tile_size);
    window_squares_.resize(tile_size);
  }

  void run(std::int64_t column, std::int64_t row, HostView displacement,
           std::optional<HostView> score) {
    const std::int64_t x = column * options_.stride_x;
    const std::int64_t y = row * options_.stride_y;
    SearchRange search_x = options_.search_x;
    SearchRange search_y = options_.search_y;
    if (options_.border == MatchBorder::skip) {
      search_x = detail::match::inside_image(search_x, x, options_.block_width, target_.width());
      search_y = detail::match::inside_image(search_y, y, options_.block_height, target_.height());
    }
    load_block(x, y);
    if (least_is_best(options_.measure)) {
      finish(search<std::uint32_t>(~std::uint32_t{0}, x, y, search_x, search_y), column, row,
             displacement, score);
    } else {
      finish(search<double>(-std::numeric_limits<double>::infinity(), x, y, search_x, search_y),
             column, row, displacement, score);
    }
  }

 private:
  static std::int64_t most(SearchRange range) {
    return std::min<std::int64_t>(range.count(), tile_candidates);
  }

  static Pixel* pixels_of(Image& image) { return reinterpret_cast<Pixel*>(image.view().data()); }

  Strips<Pixel> block() const { return {block_, options_.block_width, options_.block_height}; }
  Plane<Pixel> area() const { return {area_, area_pitch_}; }

  void load_block(std::int64_t x, std::int64_t y) {
    // Pixels beyond the block's width are zero. Products vanish there; for differences, the target
    // is masked too.
    std::fill(block_, block_ + padded_width_ * options_.block_height, Pixel{0});
    block_sum_ = 0;
    block_squares_ = 0;
    for (std::int64_t row = 0; row < options_.block_height; ++row) {
      const auto* in = reinterpret_cast<const std::uint8_t*>(reference_.row(y + row)) + x;
      for (std::int64_t from = 0; from < options_.block_width; from += strip_width_) {
        const std::int64_t to = std::min(from + strip_width_, options_.block_width);
        std::copy(in + from, in + to, block_ + from * options_.block_height + row * strip_width_);
      }
      if (options_.measure == Measure::sad) continue;
      for (std::int64_t i = 0; i < options_.block_width; ++i) {
        const std::uint32_t pixel = in[i];
        block_sum_ += pixel;
        block_squares_ += pixel * pixel;
      }
    }
  }

  template <class Score>
  Best<Score> search(Score worst, std::int64_t x, std::int64_t y, SearchRange search_x,
                     SearchRange search_y) {
    Best<Score> best{worst};
    constexpr int step = static_cast<int>(tile_candidates);
    for (int dy = search_y.first; dy <= search_y.last; dy += step) {
      for (int dx = search_x.first; dx <= search_x.last; dx += step) {
        const Tile tile{{dx, std::min(search_x.last, dx + step - 1)},
                        {dy, std::min(search_y.last, dy + step - 1)}};
        gather(target_, x + dx, y + dy, tile.columns() - 1 + padded_width_,
               tile.groups() * group - 1 + options_.block_height, area_, area_pitch_);
        score_tile(tile, best);
      }
    }
    return best;
  }

  void score_tile(const Tile& tile, Best<std::uint32_t>& best) {
    if constexpr (std::is_same_v<Op, AbsoluteDifferences>) {
      if (rejection_pays(tile)) {
        offer_last(tile, best);
        find_least(block(), area(), tile, sums_.data(), best);
        return;
      }
    }
    sum_tile<Op>(block(), area(), tile, sums_.data());
    if constexpr (std::is_same_v<Op, Products>) {
      find_window_sums(tile);
      // Σ(a − b)² = Σa² + Σb² − 2Σab. The result fits 32 bits even if intermediate values do not.
      const std::int64_t count = tile.groups() * tile.columns() * group;
      for (std::int64_t i = 0; i < count; ++i) {
        sums_[i] = static_cast<std::uint32_t>(block_squares_) + window_squares_[i] - 2 * sums_[i];
      }
    }
    pick_least(sums_.data(), tile, best);
  }

  /// Returns true if it pays to reject a tile's candidates before their sums are complete. If none
  /// can be rejected, only the first row of groups is tested in vain; it must be a small share of
  /// the tile. The rows that are summed before a test must be a small share of the block.
  bool rejection_pays(const Tile& tile) const {
    constexpr std::int64_t many_groups = 4;
    constexpr std::int64_t many_columns = 16;
    return tile.groups() >= many_groups && tile.columns() >= many_columns &&
           padded_width_ / strip_width_ * options_.block_height >= 2 * resident_rows;
  }

  /// Offers the previous block's displacement first. It often fits this block too, and its score
  /// rejects worse candidates early.
  void offer_last(const Tile& tile, Best<std::uint32_t>& best) {
    const std::int64_t column = std::int64_t{last_dx_} - tile.x.first;
    const std::int64_t row = std::int64_t{last_dy_} - tile.y.first;
    if (column < 0 || column >= tile.columns() || row < 0 || row >= tile.y.count()) return;
    const Tile last{{last_dx_, last_dx_}, {last_dy_, last_dy_}};
    sum_tile<Op>(block(), Plane<Pixel>{area_ + row * area_pitch_ + column, area_pitch_}, last,
                 sums_.data());
    pick_least(sums_.data(), last, best);
  }

  void score_tile(const Tile& tile, Best<double>& best) {
    sum_tile<Op>(block(), area(), tile, sums_.data());
    if constexpr (std::is_same_v<Op, Products>) find_window_sums(tile);
    if (options_.measure == Measure::ncc) {
      pick_greatest(
          tile,
          [&](std::int64_t i) { return ncc_score(sums_[i], block_squares_, window_squares_[i]); },
          best);
    } else {
      const std::int64_t pixels = options_.block_width * options_.block_height;
      pick_greatest(
          tile,
          [&](std::int64_t i) {
            return zncc_score(pixels, block_sum_, window_sums_[i], sums_[i], block_squares_,
                              window_squares_[i]);
          },
          best);
    }
  }

  void find_window_sums(const Tile& tile) {
    window_sums(area(), options_.block_width, options_.block_height, tile, columns_,
                window_sums_.data(), window_squares_.data());
  }

  template <class Score>
  void finish(const Best<Score>& best, std::int64_t column, std::int64_t row, HostView displacement,
              std::optional<HostView> score) {
    store(displacement.row(row), 2 * column, static_cast<std::int16_t>(best.dx));
    store(displacement.row(row), 2 * column + 1, static_cast<std::int16_t>(best.dy));
    last_dx_ = best.dx;
    last_dy_ = best.dy;
    using Stored = std::conditional_t<std::is_same_v<Score, double>, float, std::uint32_t>;
    if (score) store(score->row(row), column, static_cast<Stored>(best.score));
  }

  ConstHostView reference_;
  ConstHostView target_;
  MatchOptions options_;
  std::int64_t strip_width_;
  std::int64_t padded_width_;  ///< width of the block, rounded up to whole strips
  Image block_image_;
  Image area_image_;
  Pixel* block_;
  Pixel* area_;  ///< the target's pixels that a tile's candidates cover
  std::int64_t area_pitch_;
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint32_t> window_sums_;
  std::vector<std::uint32_t> window_squares_;
  std::vector<std::uint32_t> columns_;
  std::int64_t block_sum_ = 0;
  std::int64_t block_squares_ = 0;
  int last_dx_ = 0;  ///< dx of the block that was matched last
  int last_dy_ = 0;
};

template <class Op>
void match_blocks(ConstHostView reference, ConstHostView target, HostView displacement,
                  const MatchOptions& options, std::optional<HostView> score) {
  const std::int64_t columns = displacement.width();
  const std::int64_t comparisons = options.block_width * options.block_height *
                                   options.search_x.count() * options.search_y.count();
  cpu::parallel_rows(columns * displacement.height(), comparisons, [&](auto first, auto last) {
    BlockMatcher<Op> matcher(reference, target, options);
    for (std::int64_t i = first; i < last; ++i) {
      matcher.run(i % columns, i / columns, displacement, score);
    }
  });
}

void match_all(ConstHostView reference, ConstHostView target, HostView displacement,
               const MatchOptions& options, std::optional<HostView> score) {
  if (options.measure == Measure::sad) {
    match_blocks<AbsoluteDifferences>(reference, target, displacement, options, score);
  } else {
    match_blocks<Products>(reference, target, displacement, options, score);
  }
}

}  // namespace
}  // namespace warpwise::detail::match::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::match {

HWY_EXPORT(match_all);

void match_cpu(ConstHostView reference, ConstHostView target, HostView displacement,
               const MatchOptions& options, std::optional<HostView> score) {
  HWY_DYNAMIC_DISPATCH(match_all)(reference, target, displacement, options, score);
}

}  // namespace warpwise::detail::match
#endif
