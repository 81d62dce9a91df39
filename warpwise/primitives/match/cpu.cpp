#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/match/cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "warpwise/base/image.hpp"
#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/match/backends.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Candidates are scored in groups of four, one below the other: a vector loaded from the target
// serves all of them, and four sums fill one vector of 16 bytes.
constexpr int group = 4;
// Rows of the block that stay in registers while the target's rows pass by: with the four
// accumulators and the target's vector they fill 13 of the 16 registers of SSE and AVX2.
constexpr int resident_rows = 8;
// Candidates of a tile along each axis: the search area of a tile stays in the first-level cache
// for blocks of the usual sizes, and the sums of a tile take 16 KiB.
constexpr std::int64_t tile_candidates = 64;

template <class Pixel>
struct Plane {
  const Pixel* data;
  std::int64_t pitch;  ///< in pixels
};

/// A rectangle of displacements.
struct Tile {
  SearchRange x;
  SearchRange y;

  std::int64_t columns() const { return x.count(); }
  std::int64_t groups() const { return (y.count() + group - 1) / group; }
  /// Where the sum of a candidate lies: four rows of candidates interleaved.
  std::int64_t index(std::int64_t column, std::int64_t row) const {
    return (row / group * columns() + column) * group + row % group;
  }
};

/// The best candidate so far; as match() initialises it, any candidate is better.
template <class Score>
struct Best {
  Score score;
  int dx = no_match;
  int dy = no_match;

  /// Tiles do not follow each other in raster order, so equal scores are told apart by place.
  void offer(bool better, Score candidate, int x, int y) {
    if (!better && !(candidate == score && (y < dy || (y == dy && x < dx)))) return;
    score = candidate;
    dx = x;
    dy = y;
  }
};

#if HWY_TARGET == HWY_SCALAR

struct AbsoluteDifferences {
  using Pixel = std::uint8_t;
  static std::uint32_t term(int a, int b) { return static_cast<std::uint32_t>(a > b ? a - b : b - a); }
};

struct Products {
  using Pixel = std::int16_t;
  static std::uint32_t term(int a, int b) { return static_cast<std::uint32_t>(a * b); }
};

template <class Op>
void sum_tile(Plane<typename Op::Pixel> block, Plane<typename Op::Pixel> area, std::int64_t width,
              std::int64_t height, const Tile& tile, std::uint32_t* HWY_RESTRICT sums) {
  for (std::int64_t row = 0; row < tile.groups() * group; ++row) {
    for (std::int64_t column = 0; column < tile.columns(); ++column) {
      std::uint32_t sum = 0;
      for (std::int64_t y = 0; y < height; ++y) {
        const auto* a = block.data + y * block.pitch;
        const auto* b = area.data + (row + y) * area.pitch + column;
        for (std::int64_t x = 0; x < width; ++x) sum += Op::term(a[x], b[x]);
      }
      sums[tile.index(column, row)] = sum;
    }
  }
}

void pick_least(const std::uint32_t* sums, const Tile& tile, Best<std::uint32_t>& best) {
  for (int dy = tile.y.first; dy <= tile.y.last; ++dy) {
    for (int dx = tile.x.first; dx <= tile.x.last; ++dx) {
      const std::uint32_t sum = sums[tile.index(dx - tile.x.first, dy - tile.y.first)];
      best.offer(sum < best.score, sum, dx, dy);
    }
  }
}

#else

using Four = hn::Vec<hn::Full128<std::uint32_t>>;

/// The sum of a vector's blocks of 16 bytes.
template <class D, class V>
HWY_INLINE Four sum_of_blocks(D d, V v) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    return sum_of_blocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return v;
  }
}

/// Σ|a − b| of u8.
struct AbsoluteDifferences {
  using Pixel = std::uint8_t;

  template <class V>
  static HWY_INLINE auto sums_of_8(V a, V b) {
#if HWY_ARCH_X86
    if constexpr (sizeof(a.raw) == 16) {
      return hn::Vec128<std::uint64_t>{_mm_sad_epu8(a.raw, b.raw)};
    }
#if HWY_TARGET <= HWY_AVX2
    if constexpr (sizeof(a.raw) == 32) {
      return hn::Vec256<std::uint64_t>{_mm256_sad_epu8(a.raw, b.raw)};
    }
#endif
#if HWY_TARGET <= HWY_AVX3
    if constexpr (sizeof(a.raw) == 64) {
      return hn::Vec512<std::uint64_t>{_mm512_sad_epu8(a.raw, b.raw)};
    }
#endif
#else
    return hn::SumsOf8(hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a)));
#endif
  }

  template <class D>
  static HWY_INLINE auto zero(D) {
    return hn::Zero(hn::Repartition<std::uint64_t, D>());
  }

  template <class D, class V, class A>
  static HWY_INLINE A add(D, A sum, V a, V b) {
    return hn::Add(sum, sums_of_8(a, b));
  }

  /// The totals of four accumulators. Every total is below 2^24, so that two share a 64-bit lane.
  template <class D, class A>
  static HWY_INLINE Four totals(D, A a, A b, A c, A d) {
    const hn::Repartition<std::uint64_t, D> d64;
    const hn::Repartition<std::uint32_t, D> d32;
    const A ab = hn::Or(a, hn::ShiftLeft<32>(b));
    const A cd = hn::Or(c, hn::ShiftLeft<32>(d));
    const A lower = hn::InterleaveLower(d64, ab, cd);
    const A upper = hn::InterleaveUpper(d64, ab, cd);
    return sum_of_blocks(d32, hn::Add(hn::BitCast(d32, lower), hn::BitCast(d32, upper)));
  }
};

/// Σab of u8 held in i16. Sums of 32 bits may pass through the sign bit: they are read unsigned.
struct Products {
  using Pixel = std::int16_t;

  template <class D>
  static HWY_INLINE auto zero(D) {
    return hn::Zero(hn::Repartition<std::int32_t, D>());
  }

  template <class D, class V, class A>
  static HWY_INLINE A add(D, A sum, V a, V b) {
    const hn::Repartition<std::int32_t, D> d32;
    A odd = hn::Zero(d32);  // stays zero on x86, where the instruction adds neighbours
    return hn::Add(hn::ReorderWidenMulAccumulate(d32, a, b, sum, odd), odd);
  }

  template <class D, class A>
  static HWY_INLINE Four totals(D, A a, A b, A c, A d) {
    const hn::Repartition<std::int32_t, D> d32;
    const hn::Repartition<std::uint32_t, D> du32;
    const hn::Repartition<std::uint64_t, D> d64;
    const auto ab = hn::BitCast(
        d64, hn::Add(hn::InterleaveLower(d32, a, b), hn::InterleaveUpper(d32, a, b)));
    const auto cd = hn::BitCast(
        d64, hn::Add(hn::InterleaveLower(d32, c, d), hn::InterleaveUpper(d32, c, d)));
    const auto lower = hn::InterleaveLower(d64, ab, cd);
    const auto upper = hn::InterleaveUpper(d64, ab, cd);
    return sum_of_blocks(du32, hn::Add(hn::BitCast(du32, lower), hn::BitCast(du32, upper)));
  }
};

/// Adds `rows` rows of one vector's width to the sums of the group's four candidates.
template <class Op, int rows, bool masked, class D, class Pixel, class V, class A>
HWY_INLINE void add_rows(D d, Plane<Pixel> block, Plane<Pixel> area, V mask, A& s0, A& s1, A& s2,
                         A& s3) {
  V resident[rows];
  HWY_UNROLL(8)
  for (int y = 0; y < rows; ++y) resident[y] = hn::LoadU(d, block.data + y * block.pitch);
  HWY_UNROLL(16)
  for (int t = 0; t < rows + group - 1; ++t) {
    V v = hn::LoadU(d, area.data + t * area.pitch);
    if constexpr (masked) v = hn::And(v, mask);
    if (t < rows) s0 = Op::add(d, s0, resident[t], v);
    if (t >= 1 && t < rows + 1) s1 = Op::add(d, s1, resident[t - 1], v);
    if (t >= 2 && t < rows + 2) s2 = Op::add(d, s2, resident[t - 2], v);
    if (t >= 3) s3 = Op::add(d, s3, resident[t - 3], v);
  }
}

/// A strip of the block, one vector wide.
template <class Op, bool masked, class D, class Pixel, class V, class A>
HWY_INLINE void add_strip(D d, Plane<Pixel> block, Plane<Pixel> area, std::int64_t height, V mask,
                          A& s0, A& s1, A& s2, A& s3) {
  std::int64_t y = 0;
  for (; y + resident_rows <= height; y += resident_rows) {
    add_rows<Op, resident_rows, masked>(d, Plane<Pixel>{block.data + y * block.pitch, block.pitch},
                                        Plane<Pixel>{area.data + y * area.pitch, area.pitch}, mask,
                                        s0, s1, s2, s3);
  }
  for (; y < height; ++y) {
    add_rows<Op, 1, masked>(d, Plane<Pixel>{block.data + y * block.pitch, block.pitch},
                            Plane<Pixel>{area.data + y * area.pitch, area.pitch}, mask, s0, s1, s2,
                            s3);
  }
}

template <class Op, class D>
void sum_tile_in_vectors(D d, Plane<typename Op::Pixel> block, Plane<typename Op::Pixel> area,
              std::int64_t width, std::int64_t height, const Tile& tile,
              std::uint32_t* HWY_RESTRICT sums) {
  using Pixel = typename Op::Pixel;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t whole = width / lanes * lanes;
  const auto tail = hn::VecFromMask(d, hn::FirstN(d, static_cast<std::size_t>(width - whole)));
  for (std::int64_t g = 0; g < tile.groups(); ++g) {
    for (std::int64_t column = 0; column < tile.columns(); ++column) {
      auto s0 = Op::zero(d), s1 = s0, s2 = s0, s3 = s0;
      const Pixel* corner = area.data + g * group * area.pitch + column;
      for (std::int64_t x = 0; x < whole; x += lanes) {
        add_strip<Op, false>(d, Plane<Pixel>{block.data + x, block.pitch},
                             Plane<Pixel>{corner + x, area.pitch}, height, tail, s0, s1, s2, s3);
      }
      if (whole < width) {
        add_strip<Op, true>(d, Plane<Pixel>{block.data + whole, block.pitch},
                            Plane<Pixel>{corner + whole, area.pitch}, height, tail, s0, s1, s2, s3);
      }
      hn::StoreU(Op::totals(d, s0, s1, s2, s3), hn::Full128<std::uint32_t>(),
                 sums + (g * tile.columns() + column) * group);
    }
  }
}

/// sums[tile.index(…)] of a block for all candidates of a tile.
template <class Op>
void sum_tile(Plane<typename Op::Pixel> block, Plane<typename Op::Pixel> area, std::int64_t width,
              std::int64_t height, const Tile& tile, std::uint32_t* HWY_RESTRICT sums) {
  using Pixel = typename Op::Pixel;
  const auto in_vectors_of = [&](auto d) HWY_ATTR {
    sum_tile_in_vectors<Op>(d, block, area, width, height, tile, sums);
  };
  // Narrow blocks in narrow vectors: the lanes beyond the block would be work for nothing.
  const std::int64_t bytes = width * static_cast<std::int64_t>(sizeof(Pixel));
  if (bytes <= 16) return in_vectors_of(hn::CappedTag<Pixel, 16 / sizeof(Pixel)>());
  if (bytes <= 32) return in_vectors_of(hn::CappedTag<Pixel, 32 / sizeof(Pixel)>());
  in_vectors_of(hn::CappedTag<Pixel, 64 / sizeof(Pixel)>());
}

/// Takes the least sum of a tile.
void pick_least(const std::uint32_t* sums, const Tile& tile, Best<std::uint32_t>& best) {
  const hn::Full128<std::uint32_t> d;
  for (std::int64_t g = 0; g < tile.groups(); ++g) {
    const std::uint32_t* row = sums + g * tile.columns() * group;
    Four least = hn::LoadU(d, row);
    Four place = hn::Zero(d);
    for (std::int64_t column = 1; column < tile.columns(); ++column) {
      const Four candidate = hn::LoadU(d, row + column * group);
      const auto less = hn::Lt(candidate, least);
      least = hn::IfThenElse(less, candidate, least);
      place = hn::IfThenElse(less, hn::Set(d, static_cast<std::uint32_t>(column)), place);
    }
    std::uint32_t scores[group];
    std::uint32_t places[group];
    hn::StoreU(least, d, scores);
    hn::StoreU(place, d, places);
    const std::int64_t rows = std::min<std::int64_t>(group, tile.y.count() - g * group);
    for (int k = 0; k < rows; ++k) {
      best.offer(scores[k] < best.score, scores[k], tile.x.first + static_cast<int>(places[k]),
                 tile.y.first + static_cast<int>(g * group + k));
    }
  }
}

#endif

/// Σb and Σb² of a block's window at every candidate of a tile: column sums that slide down, and
/// running sums of these along the row.
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

/// Takes the greatest score of a tile.
template <class ScoreOf>
void pick_greatest(const Tile& tile, const ScoreOf& score_of, Best<double>& best) {
  for (int dy = tile.y.first; dy <= tile.y.last; ++dy) {
    for (int dx = tile.x.first; dx <= tile.x.last; ++dx) {
      const double score = score_of(tile.index(dx - tile.x.first, dy - tile.y.first));
      best.offer(score > best.score, score, dx, dy);
    }
  }
}

/// dst(x, y) = src(x0 + x, y0 + y), the edge pixel standing for what lies outside of src.
template <class Pixel>
void gather(ConstHostView src, std::int64_t x0, std::int64_t y0, HostView dst) {
  const auto inside = [&](std::int64_t x) {
    return std::clamp<std::int64_t>(x, 0, src.width());
  };
  const std::int64_t from = inside(x0);
  const std::int64_t to = inside(x0 + dst.width());
  for (std::int64_t y = 0; y < dst.height(); ++y) {
    const auto* row = reinterpret_cast<const std::uint8_t*>(
        src.row(std::clamp<std::int64_t>(y0 + y, 0, src.height() - 1)));
    auto* out = reinterpret_cast<Pixel*>(dst.row(y));
    const std::int64_t left = std::clamp<std::int64_t>(-x0, 0, dst.width());
    const std::int64_t middle = std::max<std::int64_t>(to - from, 0);
    std::fill(out, out + left, static_cast<Pixel>(row[0]));
    std::copy(row + from, row + from + middle, out + left);
    std::fill(out + left + middle, out + dst.width(), static_cast<Pixel>(row[src.width() - 1]));
  }
}

/// Matches blocks one after the other, in memory that they share.
template <class Op>
class BlockMatcher {
  using Pixel = typename Op::Pixel;

 public:
  BlockMatcher(ConstHostView reference, ConstHostView target, const MatchOptions& options)
      : reference_(reference), target_(target), options_(options),
        block_(element_type_of<Pixel>, padded_width(), options.block_height),
        area_(element_type_of<Pixel>, most(options.search_x) - 1 + padded_width(),
              most(options.search_y) + group - 1 + options.block_height) {
    const auto tile_size = static_cast<std::size_t>(most(options.search_x) *
                                                    (most(options.search_y) + group - 1));
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
      search_x = detail::inside_image(search_x, x, options_.block_width, target_.width());
      search_y = detail::inside_image(search_y, y, options_.block_height, target_.height());
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

  /// The block's width in whole vectors of any size.
  std::int64_t padded_width() const {
    constexpr auto widest = static_cast<std::int64_t>(64 / sizeof(Pixel));
    return (options_.block_width + widest - 1) / widest * widest;
  }

  Plane<Pixel> plane(const Image& image) const {
    return {reinterpret_cast<const Pixel*>(image.view().data()),
            image.view().pitch_bytes() / static_cast<std::int64_t>(sizeof(Pixel))};
  }

  void load_block(std::int64_t x, std::int64_t y) {
    // Zero beyond the block: there, products vanish, and differences meet a masked target.
    for (std::int64_t row = 0; row < options_.block_height; ++row) {
      auto* out = reinterpret_cast<Pixel*>(block_.view().row(row));
      const auto* in = reinterpret_cast<const std::uint8_t*>(reference_.row(y + row)) + x;
      std::copy(in, in + options_.block_width, out);
      std::fill(out + options_.block_width, out + block_.width(), Pixel{0});
    }
    block_sum_ = 0;
    block_squares_ = 0;
    if (options_.measure == Measure::sad) return;
    for (std::int64_t row = 0; row < options_.block_height; ++row) {
      const auto* in = reinterpret_cast<const Pixel*>(block_.view().row(row));
      for (std::int64_t i = 0; i < options_.block_width; ++i) {
        const auto pixel = static_cast<std::uint32_t>(in[i]);
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
        const std::int64_t area_width = tile.columns() - 1 + padded_width();
        const std::int64_t area_height = tile.groups() * group - 1 + options_.block_height;
        gather<Pixel>(target_, x + dx, y + dy, area_.view().sub_view(0, 0, area_width, area_height));
        score_tile(tile, best);
      }
    }
    return best;
  }

  void sum(const Tile& tile) {
    sum_tile<Op>(plane(block_), plane(area_), options_.block_width, options_.block_height, tile,
                 sums_.data());
  }

  void score_tile(const Tile& tile, Best<std::uint32_t>& best) {
    sum(tile);
    if constexpr (std::is_same_v<Op, Products>) {
      find_window_sums(tile);
      // Σ(a − b)² = Σa² + Σb² − 2Σab, which fits 32 bits whatever its parts do.
      const std::int64_t count = tile.groups() * tile.columns() * group;
      for (std::int64_t i = 0; i < count; ++i) {
        sums_[i] = static_cast<std::uint32_t>(block_squares_) + window_squares_[i] - 2 * sums_[i];
      }
    }
    pick_least(sums_.data(), tile, best);
  }

  void score_tile(const Tile& tile, Best<double>& best) {
    sum(tile);
    if constexpr (std::is_same_v<Op, Products>) find_window_sums(tile);
    if (options_.measure == Measure::ncc) {
      pick_greatest(tile, [&](std::int64_t i) {
        return ncc_score(sums_[i], block_squares_, window_squares_[i]);
      }, best);
    } else {
      const std::int64_t pixels = options_.block_width * options_.block_height;
      pick_greatest(tile, [&](std::int64_t i) {
        return zncc_score(pixels, block_sum_, window_sums_[i], sums_[i], block_squares_,
                          window_squares_[i]);
      }, best);
    }
  }

  void find_window_sums(const Tile& tile) {
    window_sums(plane(area_), options_.block_width, options_.block_height, tile, columns_,
                window_sums_.data(), window_squares_.data());
  }

  template <class Score>
  void finish(const Best<Score>& best, std::int64_t column, std::int64_t row,
              HostView displacement, std::optional<HostView> score) {
    store(displacement.row(row), 2 * column, static_cast<std::int16_t>(best.dx));
    store(displacement.row(row), 2 * column + 1, static_cast<std::int16_t>(best.dy));
    using Stored = std::conditional_t<std::is_same_v<Score, double>, float, std::uint32_t>;
    if (score) store(score->row(row), column, static_cast<Stored>(best.score));
  }

  ConstHostView reference_;
  ConstHostView target_;
  MatchOptions options_;
  Image block_;
  Image area_;  ///< the target's pixels around the block that a tile of candidates covers
  std::vector<std::uint32_t> sums_;
  std::vector<std::uint32_t> window_sums_;
  std::vector<std::uint32_t> window_squares_;
  std::vector<std::uint32_t> columns_;
  std::int64_t block_sum_ = 0;
  std::int64_t block_squares_ = 0;
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
}  // namespace warpwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail {

HWY_EXPORT(match_all);

void match_cpu(ConstHostView reference, ConstHostView target, HostView displacement,
               const MatchOptions& options, std::optional<HostView> score) {
  HWY_DYNAMIC_DISPATCH(match_all)(reference, target, displacement, options, score);
}

}  // namespace warpwise::detail
#endif
