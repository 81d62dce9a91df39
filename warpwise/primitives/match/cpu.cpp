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

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::match::HWY_NAMESPACE {
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
constexpr std::int64_t cache_line = 64;

template <class Pixel>
struct Plane {
  const Pixel* data;
  std::int64_t pitch;  ///< in pixels
};

/// A block's pixels in strips one vector wide, each without gaps between its rows; zero beyond the
/// block's width.
template <class Pixel>
struct Strips {
  const Pixel* data;
  std::int64_t width;  ///< of the block
  std::int64_t height;

  const Pixel* strip(std::int64_t x) const { return data + x * height; }
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

template <class Pixel>
std::int64_t strip_width(std::int64_t) {
  return 1;
}

struct AbsoluteDifferences {
  using Pixel = std::uint8_t;
  static std::uint32_t term(int a, int b) {
    return static_cast<std::uint32_t>(a > b ? a - b : b - a);
  }
};

struct Products {
  using Pixel = std::int16_t;
  static std::uint32_t term(int a, int b) { return static_cast<std::uint32_t>(a * b); }
};

template <class Op>
void sum_tile(Strips<typename Op::Pixel> block, Plane<typename Op::Pixel> area, const Tile& tile,
              std::uint32_t* HWY_RESTRICT sums) {
  for (std::int64_t row = 0; row < tile.groups() * group; ++row) {
    for (std::int64_t column = 0; column < tile.columns(); ++column) {
      std::uint32_t sum = 0;
      for (std::int64_t x = 0; x < block.width; ++x) {
        for (std::int64_t y = 0; y < block.height; ++y) {
          sum += Op::term(block.strip(x)[y], area.data[(row + y) * area.pitch + column + x]);
        }
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

using Four = hn::Vec<hn::Full128<std::uint32_t> >;

/// Holds the compiler to the order of additions as written. GCC otherwise gathers those of one
/// accumulator, for which it must spill what it adds: a third more time.
template <class V>
HWY_INLINE V in_order(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
  asm volatile("" : "+x"(v.raw));
#endif
  return v;
}

/// The sum of a vector's blocks of 16 bytes.
template <class D, class V>
HWY_INLINE Four sum_of_blocks([[maybe_unused]] D d, V v) {
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
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
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
    return in_order(hn::Add(sum, sums_of_8(a, b)));
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
    return in_order(hn::Add(hn::ReorderWidenMulAccumulate(d32, a, b, sum, odd), odd));
  }

  template <class D, class A>
  static HWY_INLINE Four totals(D, A a, A b, A c, A d) {
    const hn::Repartition<std::int32_t, D> d32;
    const hn::Repartition<std::uint32_t, D> du32;
    const hn::Repartition<std::uint64_t, D> d64;
    const auto ab =
        hn::BitCast(d64, hn::Add(hn::InterleaveLower(d32, a, b), hn::InterleaveUpper(d32, a, b)));
    const auto cd =
        hn::BitCast(d64, hn::Add(hn::InterleaveLower(d32, c, d), hn::InterleaveUpper(d32, c, d)));
    const auto lower = hn::InterleaveLower(d64, ab, cd);
    const auto upper = hn::InterleaveUpper(d64, ab, cd);
    return sum_of_blocks(du32, hn::Add(hn::BitCast(du32, lower), hn::BitCast(du32, upper)));
  }
};

/// Adds `rows` rows of a strip to the sums of the group's four candidates.
template <class Op, int rows, bool masked, class D, class Pixel, class V, class A>
HWY_INLINE void add_rows(D d, const Pixel* strip, Plane<Pixel> area, V mask, A& s0, A& s1, A& s2,
                         A& s3) {
  V resident[rows];
  HWY_UNROLL(8)
  for (int y = 0; y < rows; ++y) resident[y] = hn::LoadU(d, strip + y * hn::Lanes(d));
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

template <class Op, bool masked, class D, class Pixel, class V, class A>
HWY_INLINE void add_strip(D d, const Pixel* strip, Plane<Pixel> area, std::int64_t height, V mask,
                          A& s0, A& s1, A& s2, A& s3) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t y = 0;
  for (; y + resident_rows <= height; y += resident_rows) {
    add_rows<Op, resident_rows, masked>(d, strip + y * lanes, area, mask, s0, s1, s2, s3);
    area.data += resident_rows * area.pitch;
  }
  for (; y < height; ++y) {
    add_rows<Op, 1, masked>(d, strip + y * lanes, area, mask, s0, s1, s2, s3);
    area.data += area.pitch;
  }
}

template <class Op, class D>
void sum_tile_in_vectors(D d, Strips<typename Op::Pixel> block, Plane<typename Op::Pixel> area,
                         const Tile& tile, std::uint32_t* HWY_RESTRICT sums) {
  using Pixel = typename Op::Pixel;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t whole = block.width / lanes * lanes;
  const auto tail =
      hn::VecFromMask(d, hn::FirstN(d, static_cast<std::size_t>(block.width - whole)));
  for (std::int64_t g = 0; g < tile.groups(); ++g) {
    for (std::int64_t column = 0; column < tile.columns(); ++column) {
      auto s0 = Op::zero(d), s1 = s0, s2 = s0, s3 = s0;
      const Pixel* corner = area.data + g * group * area.pitch + column;
      for (std::int64_t x = 0; x < whole; x += lanes) {
        add_strip<Op, false>(d, block.strip(x), Plane<Pixel>{corner + x, area.pitch}, block.height,
                             tail, s0, s1, s2, s3);
      }
      if (whole < block.width) {
        add_strip<Op, true>(d, block.strip(whole), Plane<Pixel>{corner + whole, area.pitch},
                            block.height, tail, s0, s1, s2, s3);
      }
      hn::StoreU(Op::totals(d, s0, s1, s2, s3), hn::Full128<std::uint32_t>(),
                 sums + (g * tile.columns() + column) * group);
    }
  }
}

/// Calls action with the tag of the vectors that suit a block: narrow blocks go in narrow vectors,
/// because the lanes beyond the block would be work for nothing.
template <class Pixel, class Action>
HWY_INLINE auto with_vectors_for(std::int64_t block_width, const Action& action) {
  const std::int64_t bytes = block_width * static_cast<std::int64_t>(sizeof(Pixel));
  if (bytes <= 16) return action(hn::CappedTag<Pixel, 16 / sizeof(Pixel)>());
  if (bytes <= 32) return action(hn::CappedTag<Pixel, 32 / sizeof(Pixel)>());
  return action(hn::CappedTag<Pixel, 64 / sizeof(Pixel)>());
}

/// The pixels of a strip's row.
template <class Pixel>
std::int64_t strip_width(std::int64_t block_width) {
  return with_vectors_for<Pixel>(
      block_width, [](auto d) HWY_ATTR { return static_cast<std::int64_t>(hn::Lanes(d)); });
}

/// sums[tile.index(…)] of a block for all candidates of a tile.
template <class Op>
void sum_tile(Strips<typename Op::Pixel> block, Plane<typename Op::Pixel> area, const Tile& tile,
              std::uint32_t* HWY_RESTRICT sums) {
  with_vectors_for<typename Op::Pixel>(
      block.width, [&](auto d) HWY_ATTR { sum_tile_in_vectors<Op>(d, block, area, tile, sums); });
}

/// Takes the least sum of a tile. Only a row that may hold the best one is searched for its place.
void pick_least(const std::uint32_t* sums, const Tile& tile, Best<std::uint32_t>& best) {
  const hn::Full128<std::uint32_t> d;
  for (std::int64_t g = 0; g < tile.groups(); ++g) {
    const std::uint32_t* row = sums + g * tile.columns() * group;
    Four least = hn::LoadU(d, row);
    for (std::int64_t column = 1; column < tile.columns(); ++column) {
      least = hn::Min(least, hn::LoadU(d, row + column * group));
    }
    std::uint32_t scores[group];
    hn::StoreU(least, d, scores);
    const std::int64_t rows = std::min<std::int64_t>(group, tile.y.count() - g * group);
    for (int k = 0; k < rows; ++k) {
      if (scores[k] > best.score) continue;
      int column = 0;
      while (row[column * group + k] != scores[k]) ++column;
      best.offer(scores[k] < best.score, scores[k], tile.x.first + column,
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

/// Copies width × height pixels of an image from (x0, y0) on, the edge pixel standing for what lies
/// outside.
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
    // The next block's area goes on to the right: rows of an image are too far apart for the
    // hardware to foresee that.
    hwy::Prefetch(row + std::min(to + cache_line - 1, image.width() - 1));
    std::fill(right, out + width, static_cast<Pixel>(row[image.width() - 1]));
  }
}

/// Matches blocks one after the other, in memory that they share.
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
    // Zero beyond the block: there, products vanish, and differences meet a masked target.
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
    sum_tile<Op>(block(), area(), tile, sums_.data());
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
    using Stored = std::conditional_t<std::is_same_v<Score, double>, float, std::uint32_t>;
    if (score) store(score->row(row), column, static_cast<Stored>(best.score));
  }

  ConstHostView reference_;
  ConstHostView target_;
  MatchOptions options_;
  std::int64_t strip_width_;
  std::int64_t padded_width_;  ///< the block's, in whole strips
  Image block_image_;
  Image area_image_;
  Pixel* block_;
  Pixel* area_;  ///< the target's pixels that a tile of candidates covers
  std::int64_t area_pitch_;
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
