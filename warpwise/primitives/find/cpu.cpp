#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/find/cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <vector>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/find/backends.hpp"
#include "warpwise/primitives/find/cpu_scores-inl.hpp"
#include "warpwise/primitives/find/cpu_transforms-inl.hpp"

// Direct correlation scores a tile of a few rows of places at once. For products, each vector of
// the image is loaded and widened once for all these rows. Large templates use transforms instead.

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::find::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET != HWY_SCALAR
using detail::HWY_NAMESPACE::absolute_differences_of_8;
using detail::HWY_NAMESPACE::add_products_of_pairs;
#endif

// Rows of places in a tile. Each row has two vectors of accumulators, so the accumulators of all
// rows take 8 of 16 registers.
constexpr std::int64_t tile_rows = 4;
constexpr std::int64_t tile_columns = scored_places;
// Largest number of template pixels summed in 32 bits: 65536 · 255² < 2^32.
constexpr std::int64_t piece_pixels = 65536;

using TileSums = std::array<std::array<std::uint64_t, tile_columns>, tile_rows>;

/// A rectangle of the template that is small enough for 32-bit sums, stored as inner loops read it.
struct Piece {
  std::int64_t x, y, width, height;
  std::int64_t stride;              ///< elements from row to row in `bytes` and `words`
  std::vector<std::uint8_t> bytes;  ///< rows padded with zeros to whole vectors
  /// the same rows, with tile_rows − 1 rows of zeros above and below
  std::vector<std::int16_t> words;
};

Piece cut(ConstHostView templ, std::int64_t x, std::int64_t y, std::int64_t width,
          std::int64_t height) {
  Piece p{x, y, width, height, (width + tile_columns - 1) / tile_columns * tile_columns, {}, {}};
  p.bytes.resize(static_cast<std::size_t>(p.stride * height));
  p.words.resize(static_cast<std::size_t>(p.stride * (height + 2 * (tile_rows - 1))));
  for (std::int64_t j = 0; j < height; ++j) {
    for (std::int64_t i = 0; i < width; ++i) {
      const auto pixel = load<std::uint8_t>(templ.row(y + j), x + i);
      p.bytes[static_cast<std::size_t>(j * p.stride + i)] = pixel;
      p.words[static_cast<std::size_t>((j + tile_rows - 1) * p.stride + i)] = pixel;
    }
  }
  return p;
}

std::vector<Piece> pieces_of(ConstHostView templ) {
  std::vector<Piece> pieces;
  const std::int64_t width = std::min(templ.width(), piece_pixels);
  const std::int64_t height = std::max<std::int64_t>(piece_pixels / width, 1);
  for (std::int64_t y = 0; y < templ.height(); y += height) {
    for (std::int64_t x = 0; x < templ.width(); x += width) {
      pieces.push_back(cut(templ, x, y, std::min(width, templ.width() - x),
                           std::min(height, templ.height() - y)));
    }
  }
  return pieces;
}

#if HWY_TARGET == HWY_SCALAR

// Adds the terms place by place, on a CPU for which Highway has no vectors.
template <class Term>
void add_terms(const Piece& p, const std::uint8_t* image, std::int64_t pitch, std::int64_t rows,
               TileSums& sums, const Term& term) {
  for (std::int64_t q = 0; q < rows; ++q) {
    for (std::int64_t x = 0; x < tile_columns; ++x) {
      std::uint32_t sum = 0;
      for (std::int64_t j = 0; j < p.height; ++j) {
        const std::uint8_t* wanted = p.bytes.data() + j * p.stride;
        for (std::int64_t i = 0; i < p.width; ++i)
          sum += term(wanted[i], image[(q + j) * pitch + x + i]);
      }
      sums[static_cast<std::size_t>(q)][static_cast<std::size_t>(x)] += sum;
    }
  }
}

void add_differences(const Piece& p, const std::uint8_t* image, std::int64_t pitch,
                     std::int64_t rows, TileSums& sums) {
  add_terms(p, image, pitch, rows, sums,
            [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; });
}

void add_products(const Piece& p, const std::uint8_t* image, std::int64_t pitch, std::int64_t rows,
                  TileSums& sums) {
  add_terms(p, image, pitch, rows, sums, [](std::uint32_t a, std::uint32_t b) { return a * b; });
}

#else

/// Adds Σ|a − b| to the sum at each place of the tile's first `rows` rows. The pixels a are those
/// of piece `p` of the template, b those of the image below it. `image` points to the pixel below
/// the piece's first pixel at the tile's first place.
void add_differences(const Piece& p, const std::uint8_t* image, std::int64_t pitch,
                     std::int64_t rows, TileSums& sums) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr int places = 8;  // adjacent places, which share each vector of the template
  for (std::int64_t q = 0; q < rows; ++q) {
    for (std::int64_t x = 0; x < tile_columns; x += places) {
      auto s0 = hn::Zero(d64), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
      for (std::int64_t j = 0; j < p.height; ++j) {
        const std::uint8_t* row = image + (q + j) * pitch + x;
        const std::uint8_t* wanted = p.bytes.data() + j * p.stride;
        const auto add = [&](std::int64_t i, auto mask) {
          const auto t = hn::LoadU(d, wanted + i);
          const auto term = [&](int k) {
            return absolute_differences_of_8(d, t, mask(hn::LoadU(d, row + i + k)));
          };
          s0 = hn::Add(s0, term(0)), s1 = hn::Add(s1, term(1)), s2 = hn::Add(s2, term(2));
          s3 = hn::Add(s3, term(3)), s4 = hn::Add(s4, term(4)), s5 = hn::Add(s5, term(5));
          s6 = hn::Add(s6, term(6)), s7 = hn::Add(s7, term(7));
        };
        std::int64_t i = 0;
        for (; i + lanes <= p.width; i += lanes) add(i, [](auto v) { return v; });
        if (i == p.width) continue;
        const auto inside = hn::FirstN(d, static_cast<std::size_t>(p.width - i));
        add(i, [&](auto v) { return hn::IfThenElseZero(inside, v); });
      }
      std::uint64_t* to = sums[static_cast<std::size_t>(q)].data() + x;
      const auto total = [&](auto v) { return hn::GetLane(hn::SumOfLanes(d64, v)); };
      to[0] += total(s0), to[1] += total(s1), to[2] += total(s2), to[3] += total(s3);
      to[4] += total(s4), to[5] += total(s5), to[6] += total(s6), to[7] += total(s7);
    }
  }
}

/// Adds Σab to the sum at each place of the tile's first `rows` rows, with the arguments of
/// add_differences(). Sums in the tile's other rows are meaningless afterwards.
void add_products(const Piece& p, const std::uint8_t* image, std::int64_t pitch, std::int64_t rows,
                  TileSums& sums) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d16));
  HWY_ALIGN std::uint32_t lane[2][HWY_MAX_BYTES / 4];
  for (std::int64_t x = 0; x < tile_columns; x += lanes) {
    // 32-bit lane l of `even` sums place x + 2l, lane l of `odd` place x + 2l + 1. Each instruction
    // adds the products of two adjacent pixels.
    auto even0 = hn::Zero(d32), even1 = even0, even2 = even0, even3 = even0;
    auto odd0 = even0, odd1 = even0, odd2 = even0, odd3 = even0;
    for (std::int64_t j = 0; j < p.height + rows - 1; ++j) {
      const std::uint8_t* row = image + j * pitch + x;
      // For places in row q, row j of the image is below row j − q of the piece. p.words has zeros
      // where the piece has no such row.
      const std::int16_t* wanted = p.words.data() + (j + tile_rows - 1) * p.stride;
      for (std::int64_t i = 0; i < p.width; i += 2) {
        const auto pixels = hn::PromoteTo(d16, hn::LoadU(d8, row + i));
        const auto next = hn::PromoteTo(d16, hn::LoadU(d8, row + i + 1));
        const auto add = [&](std::int64_t q, auto& even, auto& odd) {
          std::int32_t pair;
          std::memcpy(&pair, wanted - q * p.stride + i, sizeof(pair));
          const auto t = hn::BitCast(d16, hn::Set(d32, pair));
          even = add_products_of_pairs(d32, even, pixels, t);
          odd = add_products_of_pairs(d32, odd, next, t);
        };
        add(0, even0, odd0), add(1, even1, odd1), add(2, even2, odd2), add(3, even3, odd3);
      }
    }
    const auto put = [&](std::size_t q, auto even, auto odd) {
      const hn::RebindToUnsigned<decltype(d32)> du;
      hn::Store(hn::BitCast(du, even), du, lane[0]);
      hn::Store(hn::BitCast(du, odd), du, lane[1]);
      for (std::int64_t l = 0; l < lanes; ++l) {
        sums[q][static_cast<std::size_t>(x + l)] += lane[l % 2][l / 2];
      }
    };
    put(0, even0, odd0), put(1, even1, odd1), put(2, even2, odd2), put(3, even3, odd3);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

/// The pixels for a tile's inner loops: the image itself, or a copy if the loops would read beyond
/// its rows.
class TileSource {
 public:
  TileSource(ConstHostView image, std::int64_t piece_width)
      // reach_ is the number of columns that the inner loops may read for a tile. The window of the
      // tile's last place ends before column tile_columns + piece_width. A vector that starts at
      // the window's last pixel has up to tile_columns bytes.
      : image_(image), reach_(tile_columns + piece_width + tile_columns) {}

  struct Pixels {
    const std::uint8_t* data;
    std::int64_t pitch;
  };

  Pixels at(std::int64_t x, std::int64_t y, std::int64_t rows) {
    if (x + reach_ <= image_.width()) {
      return {reinterpret_cast<const std::uint8_t*>(image_.row(y)) + x, image_.pitch_bytes()};
    }
    copy_.resize(static_cast<std::size_t>(rows * reach_));
    const std::int64_t bytes = std::min(reach_, image_.width() - x);
    for (std::int64_t j = 0; j < rows; ++j) {
      std::memcpy(copy_.data() + j * reach_, image_.row(y + j) + x,
                  static_cast<std::size_t>(bytes));
    }
    return {copy_.data(), reach_};
  }

 private:
  ConstHostView image_;
  std::int64_t reach_;
  std::vector<std::uint8_t> copy_;
};

/// Scores strips of rows of places.
class Scorer {
 public:
  Scorer(const Problem& p, const std::vector<Piece>& pieces, std::int64_t first)
      : p_(p), pieces_(pieces), source_(p.image, pieces.front().width),
        windows_(p.templ, p.image, first), scores_(p) {
    for (auto* rows : {&window_sum_, &window_squares_}) {
      for (auto& row : *rows) row.resize(static_cast<std::size_t>(p.columns));
    }
  }

  /// Scores rows [y, y + rows), rows ≤ tile_rows, which must follow the rows of the last call.
  /// `best` is the best place so far.
  void score(std::int64_t y, std::int64_t rows, Finding& best) {
    if (p_.measure != Measure::sad) {
      for (std::int64_t q = 0; q < rows; ++q) {
        const auto i = static_cast<std::size_t>(q);
        windows_.next(window_sum_[i], window_squares_[i]);
      }
    }
    for (std::int64_t x = 0; x < p_.columns; x += tile_columns) {
      for (auto& row : sums_) row.fill(0);
      for (const Piece& piece : pieces_) {
        const auto from = source_.at(x + piece.x, y + piece.y, rows + piece.height - 1);
        if (p_.measure == Measure::sad) {
          add_differences(piece, from.data, from.pitch, rows, sums_);
        } else {
          add_products(piece, from.data, from.pitch, rows, sums_);
        }
      }
      const std::int64_t count = std::min(tile_columns, p_.columns - x);
      for (std::int64_t q = 0; q < rows; ++q) {
        const auto i = static_cast<std::size_t>(q);
        scores_.score(x, y + q, count, sums_[i].data(), window_sum_[i].data() + x,
                      window_squares_[i].data() + x, best);
      }
    }
  }

 private:
  const Problem& p_;
  const std::vector<Piece>& pieces_;
  TileSource source_;
  WindowSums windows_;
  RowScores scores_;
  std::array<std::vector<std::int64_t>, tile_rows> window_sum_;
  std::array<std::vector<std::int64_t>, tile_rows> window_squares_;
  TileSums sums_{};
};

/// Returns the best place of all units of work. Each task makes a scorer by make(its first unit)
/// and calls score(scorer, unit, best) for each of its units.
template <class Make, class Score>
Finding best_of(std::int64_t units, std::int64_t unit_bytes, Measure measure, const Make& make,
                const Score& score) {
  const Finding worst{0, 0, worst_score(measure)};
  Finding best = worst;
  std::mutex best_mutex;
  cpu::parallel_rows(units, unit_bytes, [&](auto first, auto last) {
    auto scorer = make(first);
    Finding mine = worst;
    for (std::int64_t unit = first; unit < last; ++unit) score(scorer, unit, mine);
    const std::lock_guard lock(best_mutex);
    if (ranks_before(mine, best, measure)) best = mine;
  });
  return best;
}

Finding find_all(ConstHostView templ, ConstHostView image, const std::optional<HostView>& map,
                 Measure measure) {
  const Problem problem(templ, image, map, measure);
  if (const auto size = transform_tiles(templ, image, measure)) {
    const TemplateTransform transform(templ, *size);
    // A pair of tiles takes far longer than the shortest useful task, so each pair is a task.
    return best_of(
        size->pairs, 2 * cpu::bytes_per_task, measure,
        [&](auto) { return TransformScorer(problem, *size, transform); },
        [](auto& scorer, auto pair, Finding& best) { scorer.score(pair, best); });
  }
  const std::vector<Piece> pieces = pieces_of(templ);
  // Estimates the cost of a row of tiles in bytes of memory traffic. At a place, 16 pixels of the
  // template take about as long as one byte.
  return best_of((problem.rows + tile_rows - 1) / tile_rows,
                 image.width() * tile_rows * (problem.n / 16 + 1), measure,
                 [&](auto first) { return Scorer(problem, pieces, first * tile_rows); },
                 [&](auto& scorer, auto tile, Finding& best) {
                   const std::int64_t y = tile * tile_rows;
                   scorer.score(y, std::min(tile_rows, problem.rows - y), best);
                 });
}

}  // namespace
}  // namespace warpwise::detail::find::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::find {

HWY_EXPORT(find_all);

Finding find_cpu(ConstHostView templ, ConstHostView image, const std::optional<HostView>& map,
                 Measure measure) {
  return HWY_DYNAMIC_DISPATCH(find_all)(templ, image, map, measure);
}

}  // namespace warpwise::detail::find
#endif
