// Sums over a block at many candidates, and the least of them. Include after hwy/highway.h in a
// file that foreach_target.h compiles once for each target.
#if defined(WARPWISE_PRIMITIVES_MATCH_CPU_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_MATCH_CPU_SUMS_INL_HPP
#undef WARPWISE_PRIMITIVES_MATCH_CPU_SUMS_INL_HPP
#else
#define WARPWISE_PRIMITIVES_MATCH_CPU_SUMS_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "warpwise/primitives/match/match.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::match::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Candidates are scored in groups of four, one below the other: a vector loaded from the target
// serves all of them, and four sums fill one vector of 16 bytes.
constexpr int group = 4;
// Rows of the block that stay in registers while the target's rows pass by. With the four
// accumulators and the target's vector they fill 13 of the 16 registers of SSE and AVX2.
constexpr int resident_rows = 8;
template <class Pixel>
struct Plane {
  const Pixel* data;
  std::int64_t pitch;  ///< in pixels
};

/// A block's pixels in strips one vector wide, without gaps between rows; zero beyond the block's
/// width.
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
  /// Returns the index of a candidate's sum: four rows of candidates are interleaved.
  std::int64_t index(std::int64_t column, std::int64_t row) const {
    return (row / group * columns() + column) * group + row % group;
  }
};

/// The best candidate so far. BlockMatcher begins with a score that every candidate beats.
template <class Score>
struct Best {
  Score score;
  int dx = no_match;
  int dy = no_match;

  /// Equal scores are decided by place, because tiles are not in raster order.
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

void find_least(Strips<std::uint8_t> block, Plane<std::uint8_t> area, const Tile& tile,
                std::uint32_t* HWY_RESTRICT sums, Best<std::uint32_t>& best) {
  sum_tile<AbsoluteDifferences>(block, area, tile, sums);
  pick_least(sums, tile, best);
}

#else

using Four = hn::Vec<hn::Full128<std::uint32_t> >;

/// Makes the compiler keep the order of additions as written. GCC otherwise groups the additions to
/// one accumulator and has to spill their operands, which takes a third more time.
template <class V>
HWY_INLINE V in_order(V v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
  asm volatile("" : "+x"(v.raw));
#endif
  return v;
}

/// Returns the sum of a vector's 16-byte parts, lane by lane.
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

  /// Returns the totals of four accumulators. Every total is below 2^24, so two totals share a
  /// 64-bit lane.
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

/// Computes Σab of 8-bit pixels, which are stored as i16. A total may need all 32 bits. The sums
/// are i32 while they grow, and totals() returns them as u32.
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

/// Division of a row of a block's pixels into vectors.
template <class D>
struct RowVectors {
  std::int64_t lanes;
  std::int64_t whole;  ///< number of the block's columns that fill whole vectors
  hn::VFromD<D> tail;  ///< masks the remaining columns

  HWY_INLINE RowVectors(D d, std::int64_t width)
      : lanes(static_cast<std::int64_t>(hn::Lanes(d))), whole(width / lanes * lanes),
        tail(hn::VecFromMask(d, hn::FirstN(d, static_cast<std::size_t>(width - whole)))) {}
};

/// Computes the block's sums at the candidates of a row of groups: four rows of `columns`
/// candidates.
template <class Op, class D>
HWY_INLINE void sum_row(D d, const RowVectors<D>& vectors, Strips<typename Op::Pixel> block,
                        Plane<typename Op::Pixel> area, std::int64_t columns,
                        std::uint32_t* HWY_RESTRICT sums) {
  using Pixel = typename Op::Pixel;
  for (std::int64_t column = 0; column < columns; ++column) {
    auto s0 = Op::zero(d), s1 = s0, s2 = s0, s3 = s0;
    const Pixel* corner = area.data + column;
    for (std::int64_t x = 0; x < vectors.whole; x += vectors.lanes) {
      add_strip<Op, false>(d, block.strip(x), Plane<Pixel>{corner + x, area.pitch}, block.height,
                           vectors.tail, s0, s1, s2, s3);
    }
    if (vectors.whole < block.width) {
      add_strip<Op, true>(d, block.strip(vectors.whole),
                          Plane<Pixel>{corner + vectors.whole, area.pitch}, block.height,
                          vectors.tail, s0, s1, s2, s3);
    }
    hn::StoreU(Op::totals(d, s0, s1, s2, s3), hn::Full128<std::uint32_t>(), sums + column * group);
  }
}

template <class Op, class D>
void sum_tile_in_vectors(D d, Strips<typename Op::Pixel> block, Plane<typename Op::Pixel> area,
                         const Tile& tile, std::uint32_t* HWY_RESTRICT sums) {
  const RowVectors<D> vectors(d, block.width);
  for (std::int64_t g = 0; g < tile.groups(); ++g) {
    sum_row<Op>(d, vectors, block, {area.data + g * group * area.pitch, area.pitch}, tile.columns(),
                sums + g * tile.columns() * group);
  }
}

/// Calls action with the tag of the vectors that suit a block. Narrow blocks take narrow vectors,
/// because lanes beyond the block would be wasted.
template <class Pixel, class Action>
HWY_INLINE auto with_vectors_for(std::int64_t block_width, const Action& action) {
  const std::int64_t bytes = block_width * static_cast<std::int64_t>(sizeof(Pixel));
  if (bytes <= 16) return action(hn::CappedTag<Pixel, 16 / sizeof(Pixel)>());
  if (bytes <= 32) return action(hn::CappedTag<Pixel, 32 / sizeof(Pixel)>());
  return action(hn::CappedTag<Pixel, 64 / sizeof(Pixel)>());
}

/// Returns the number of pixels in a strip's row.
template <class Pixel>
std::int64_t strip_width(std::int64_t block_width) {
  return with_vectors_for<Pixel>(
      block_width, [](auto d) HWY_ATTR { return static_cast<std::int64_t>(hn::Lanes(d)); });
}

/// Computes a block's sums[tile.index(…)] for all candidates of a tile.
template <class Op>
void sum_tile(Strips<typename Op::Pixel> block, Plane<typename Op::Pixel> area, const Tile& tile,
              std::uint32_t* HWY_RESTRICT sums) {
  with_vectors_for<typename Op::Pixel>(
      block.width, [&](auto d) HWY_ATTR { sum_tile_in_vectors<Op>(d, block, area, tile, sums); });
}

/// Offers the best candidates of a row of groups (four rows of candidates) to `best`. It finds the
/// least sum of each row of candidates first. It then searches a row for that sum's column, but
/// only if the sum is not greater than the best score. Sums greater than the best score need not be
/// exact.
void pick_least_of_row(const std::uint32_t* row, const Tile& tile, std::int64_t g,
                       Best<std::uint32_t>& best) {
  const hn::Full128<std::uint32_t> d;
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

void pick_least(const std::uint32_t* sums, const Tile& tile, Best<std::uint32_t>& best) {
  for (std::int64_t g = 0; g < tile.groups(); ++g) {
    pick_least_of_row(sums + g * tile.columns() * group, tile, g, best);
  }
}

/// Adds rows `from` to `to` of the strip at x to the sums of the group's four candidates.
/// \param corner  the block's place in the target at the group's first candidate
template <class D, class A>
HWY_INLINE void add_differences(D d, const RowVectors<D>& vectors,
                                const Strips<std::uint8_t>& block, Plane<std::uint8_t> corner,
                                std::int64_t x, std::int64_t from, std::int64_t to, A& s0, A& s1,
                                A& s2, A& s3) {
  using Op = AbsoluteDifferences;
  const std::uint8_t* strip = block.strip(x) + from * vectors.lanes;
  const Plane<std::uint8_t> at{corner.data + from * corner.pitch + x, corner.pitch};
  if (x < vectors.whole)
    add_strip<Op, false>(d, strip, at, to - from, vectors.tail, s0, s1, s2, s3);
  else
    add_strip<Op, true>(d, strip, at, to - from, vectors.tail, s0, s1, s2, s3);
}

/// Computes the sums of absolute differences of a row of groups. Stops summing a group if its four
/// candidates are all worse than `best` after the first rows of the block. Returns the number of
/// groups that it left incomplete.
template <class D>
HWY_INLINE std::int64_t sum_what_may_win(D d, const RowVectors<D>& vectors,
                                         Strips<std::uint8_t> block, Plane<std::uint8_t> area,
                                         std::int64_t columns, std::int64_t first_rows,
                                         std::uint32_t best, std::uint32_t* HWY_RESTRICT row) {
  using Op = AbsoluteDifferences;
  const hn::Full128<std::uint32_t> d32;
  const hn::Full128<std::int32_t> signed32;
  // Sums have at most 24 bits and are compared as signed numbers.
  constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
  const auto limit = hn::Set(signed32, static_cast<std::int32_t>(std::min(best, most)));
  std::int64_t rejected = 0;
  for (std::int64_t column = 0; column < columns; ++column) {
    auto s0 = Op::zero(d), s1 = s0, s2 = s0, s3 = s0;
    const Plane<std::uint8_t> corner{area.data + column, area.pitch};
    add_differences(d, vectors, block, corner, 0, 0, first_rows, s0, s1, s2, s3);
    Four sums = Op::totals(d, s0, s1, s2, s3);
    if (hn::AllTrue(signed32, hn::Gt(hn::BitCast(signed32, sums), limit))) {
      ++rejected;
    } else {
      std::int64_t from = first_rows;
      for (std::int64_t x = 0; x < block.width; x += vectors.lanes, from = 0) {
        add_differences(d, vectors, block, corner, x, from, block.height, s0, s1, s2, s3);
      }
      sums = Op::totals(d, s0, s1, s2, s3);
    }
    hn::StoreU(sums, d32, row + column * group);
  }
  return rejected;
}

/// Offers the best candidate of a tile by sad. After about a quarter of the block's pixels many
/// candidates are worse than the best so far. If less than an eighth of a row's groups is rejected,
/// the test costs more than it saves, so the tile's remaining rows are summed without it.
template <class D>
void find_least_in_vectors(D d, Strips<std::uint8_t> block, Plane<std::uint8_t> area,
                           const Tile& tile, std::uint32_t* HWY_RESTRICT sums,
                           Best<std::uint32_t>& best) {
  const RowVectors<D> vectors(d, block.width);
  const std::int64_t rows = (block.width + vectors.lanes - 1) / vectors.lanes * block.height;
  const std::int64_t first_rows =
      std::min(std::max<std::int64_t>(rows / 4 / resident_rows * resident_rows, resident_rows),
               block.height);
  bool rejects = true;
  for (std::int64_t g = 0; g < tile.groups(); ++g) {
    const Plane<std::uint8_t> at{area.data + g * group * area.pitch, area.pitch};
    std::uint32_t* HWY_RESTRICT row = sums + g * tile.columns() * group;
    if (rejects) {
      rejects = 8 * sum_what_may_win(d, vectors, block, at, tile.columns(), first_rows, best.score,
                                     row) >=
                tile.columns();
    } else {
      sum_row<AbsoluteDifferences>(d, vectors, block, at, tile.columns(), row);
    }
    pick_least_of_row(row, tile, g, best);
  }
}

/// Offers the best candidate of a tile by sad. \param sums  room for all the tile's sums
void find_least(Strips<std::uint8_t> block, Plane<std::uint8_t> area, const Tile& tile,
                std::uint32_t* HWY_RESTRICT sums, Best<std::uint32_t>& best) {
  with_vectors_for<std::uint8_t>(block.width, [&](auto d) HWY_ATTR {
    find_least_in_vectors(d, block, area, tile, sums, best);
  });
}

#endif

}  // namespace
}  // namespace warpwise::detail::match::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
