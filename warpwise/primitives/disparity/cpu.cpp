#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/disparity/cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cstring>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/disparity/cpu_picker-inl.hpp"
#include "warpwise/primitives/shared/matching-inl.hpp"

// A thread walks along each row, with the displacements in the lanes of vectors. For every
// displacement two kinds of sums slide. The sum over a column of an image block's height moves down
// by one row. The sum over the whole block moves right by one column. A block of any size therefore
// costs two terms and four additions for each displacement of a pixel. The lane with the best score
// gives the best displacement.

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::disparity::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using detail::HWY_NAMESPACE::load_as_double;
using detail::HWY_NAMESPACE::normalised_lanes;

/// How two pixels contribute to the sum over a block. Each contribution fits a 16-bit lane.
enum class Term { difference, square, product };

template <Term term, class D, class V>
V term_of(D d, V a, V b) {
  if constexpr (term == Term::product) return hn::Mul(a, b);
  const hn::RebindToSigned<D> di;
  const V difference = hn::BitCast(d, hn::Abs(hn::BitCast(di, hn::Sub(a, b))));
  return term == Term::square ? hn::Mul(difference, difference) : difference;
}

/// A ring buffer of each image's latest block + 1 rows with replicated borders. They include the
/// row that enters the sums and the one that leaves them. Right rows are stored mirrored, so that
/// addresses grow with displacements.
class Rows {
 public:
  explicit Rows(const Shape& s)
      : shape_(s), mirrored_(s.padded + s.stride),
        left_(zeros<std::uint8_t>((s.block + 2) * s.padded)),
        right_(zeros<std::uint8_t>((s.block + 2) * mirrored_)) {}

  /// Stores row y (beyond the image: the edge row) in the place of row y − block − 1.
  void take(ConstHostView left, ConstHostView right, std::int64_t y) {
    const std::int64_t inside = std::clamp<std::int64_t>(y, 0, shape_.height - 1);
    std::uint8_t* l = left_.get() + slot(y) * shape_.padded;
    std::uint8_t* r = right_.get() + slot(y) * mirrored_;
    pad(left.row(inside), l);
    pad(right.row(inside), r);
    std::reverse(r, r + shape_.padded);
  }

  const std::uint8_t* left(std::int64_t y) const { return left_.get() + slot(y) * shape_.padded; }
  const std::uint8_t* right(std::int64_t y) const { return right_.get() + slot(y) * mirrored_; }
  /// Return a row of zeros for each image. It replaces the leaving row while the first block's rows
  /// enter, because zeros do not change the sums.
  const std::uint8_t* no_left() const { return left_.get() + (shape_.block + 1) * shape_.padded; }
  const std::uint8_t* no_right() const { return right_.get() + (shape_.block + 1) * mirrored_; }

 private:
  std::int64_t slot(std::int64_t y) const { return (y + shape_.block) % (shape_.block + 1); }

  void pad(const std::byte* row, std::uint8_t* to) const {
    const auto half = static_cast<std::size_t>(shape_.half);
    const auto width = static_cast<std::size_t>(shape_.width);
    std::memset(to, load<std::uint8_t>(row, 0), half);
    std::memcpy(to + half, row, width);
    std::memset(to + half + width, load<std::uint8_t>(row, shape_.width - 1), half);
  }

  Shape shape_;
  std::int64_t mirrored_;
  Array<std::uint8_t> left_;
  Array<std::uint8_t> right_;
};

/// The sums of one image's own pixels that ncc and zncc divide by. With the n pixels b of a block,
/// `sum` is Σb and `power` is n Σb² − (Σb)² for zncc; they are 0 and Σb² for ncc. All are whole
/// numbers below 2^48, which doubles hold exactly.
class Energy {
 public:
  Energy(const Shape& s, bool zero_mean)
      : shape_(s), zero_mean_(zero_mean), column_sum_(zeros<std::uint32_t>(s.padded)),
        column_squares_(zeros<std::uint32_t>(s.padded)), sum_(zeros<double>(s.width + s.stride)),
        power_(zeros<double>(s.width + s.stride)) {}

  void slide(const std::uint8_t* enters, const std::uint8_t* leaves) {
    for (std::int64_t u = 0; u < shape_.padded; ++u) {
      const std::uint32_t in = enters[u], out = leaves[u];
      column_sum_[u] += in - out;
      column_squares_[u] += in * in - out * out;
    }
    std::uint32_t sum = 0, squares = 0;
    const double n = static_cast<double>(shape_.block * shape_.block);
    for (std::int64_t u = 0; u < shape_.padded; ++u) {
      sum += column_sum_[u];
      squares += column_squares_[u];
      const std::int64_t x = u + 1 - shape_.block;
      if (x < 0) continue;
      const double s = sum;
      sum_[x] = zero_mean_ ? s : 0;
      power_[x] = zero_mean_ ? n * squares - s * s : squares;
      sum -= column_sum_[x];
      squares -= column_squares_[x];
    }
  }

  const double* sum() const { return sum_.get(); }
  const double* power() const { return power_.get(); }

 private:
  Shape shape_;
  bool zero_mean_;
  Array<std::uint32_t> column_sum_;
  Array<std::uint32_t> column_squares_;
  Array<double> sum_;
  Array<double> power_;
};

/// Sums of one term over the blocks of a row, for every displacement. They slide from row to row
/// and from pixel to pixel. T must hold the sum over a block.
template <class T, Term term>
class Sums {
 public:
  explicit Sums(const Shape& s)
      : shape_(s), columns_(zeros<T>((s.block + s.padded) * s.stride)), block_(zeros<T>(s.stride)) {
  }

  /// Moves the sums of all columns down by one row, from left to right. Calls pixel(x, sums) once
  /// all columns of pixel x's block have moved; sums[d] is the block's sum at displacement d.
  template <class Pixel>
  void slide(const Rows& rows, std::int64_t enters, const std::uint8_t* left_leaves,
             const std::uint8_t* right_leaves, const Pixel& pixel) {
    const std::uint8_t* left_enters = rows.left(enters);
    const std::uint8_t* right_enters = rows.right(enters);
    std::memset(block_.get(), 0, static_cast<std::size_t>(shape_.stride) * sizeof(T));
    for (std::int64_t u = 0; u < shape_.padded; ++u) {
      const std::int64_t mirrored = shape_.padded - 1 - u;
      slide_column(u, left_enters[u], right_enters + mirrored, left_leaves[u],
                   right_leaves + mirrored);
      if (u + 1 >= shape_.block) pixel(u + 1 - shape_.block, block_.get());
    }
  }

 private:
  void slide_column(std::int64_t u, std::uint8_t left_in, const std::uint8_t* right_in,
                    std::uint8_t left_out, const std::uint8_t* right_out) {
    const hn::ScalableTag<T> d;
    const hn::Rebind<std::uint16_t, decltype(d)> d16;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    // The columns start with a block's width of zeros, which the first pixels' blocks subtract.
    T* HWY_RESTRICT column = columns_.get() + (shape_.block + u) * shape_.stride;
    const T* HWY_RESTRICT leaves = columns_.get() + u * shape_.stride;
    T* HWY_RESTRICT block = block_.get();
    const auto in = hn::Set(d16, left_in), out = hn::Set(d16, left_out);
    for (std::int64_t i = 0; i < shape_.stride; i += lanes) {
      const auto added = widen(d, term_of<term>(d16, in, load_pixels(right_in + i)));
      const auto taken = widen(d, term_of<term>(d16, out, load_pixels(right_out + i)));
      const auto sum = hn::Add(hn::Load(d, column + i), hn::Sub(added, taken));
      hn::Store(sum, d, column + i);
      hn::Store(hn::Add(hn::Load(d, block + i), hn::Sub(sum, hn::Load(d, leaves + i))), d,
                block + i);
    }
  }

  static auto load_pixels(const std::uint8_t* from) {
    const hn::ScalableTag<T> d;
    const hn::Rebind<std::uint8_t, decltype(d)> d8;
    const hn::Rebind<std::uint16_t, decltype(d)> d16;
    return hn::PromoteTo(d16, hn::LoadU(d8, from));
  }

  template <class D, class V>
  static auto widen(D d, V v) {
    if constexpr (sizeof(T) == 2)
      return v;
    else
      return hn::PromoteTo(d, v);
  }

  Shape shape_;
  Array<T> columns_;
  Array<T> block_;
};

struct Problem {
  ConstHostView left;
  ConstHostView right;
  HostView dst;
  DisparityOptions options;
  Shape shape;
};

/// Calls `slide(y, enters, leaving left row, leaving right row, wanted)` for each row y of
/// [first, last) in order, with `wanted` true. Row `enters` enters the column sums. Calls it before
/// that for the block − 1 rows above `first`, which only fill the column sums: `wanted` is false.
template <class Slide>
void sweep(const Problem& p, Rows& rows, std::int64_t first, std::int64_t last,
           const Slide& slide) {
  const std::int64_t start = first - 2 * p.shape.half;
  for (std::int64_t y = start; y < last; ++y) {
    const std::int64_t enters = y + p.shape.half;
    const std::int64_t leaves = y - p.shape.half - 1;
    const bool full = leaves >= start + p.shape.half;
    rows.take(p.left, p.right, enters);
    slide(y, enters, full ? rows.left(leaves) : rows.no_left(),
          full ? rows.right(leaves) : rows.no_right(), y >= first);
  }
}

template <class T, Term term>
void sum_rows(const Problem& p, std::int64_t first, std::int64_t last) {
  Rows rows(p.shape);
  Sums<T, term> sums(p.shape);
  Picker<T, true> picker(p.shape);
  sweep(p, rows, first, last, [&](auto y, auto enters, auto left_out, auto right_out, bool wanted) {
    picker.start_row();
    sums.slide(rows, enters, left_out, right_out, [&](std::int64_t x, const T* block) {
      if (!wanted) return;
      picker.pick(x, p.options, [&](auto d, std::int64_t i) { return hn::Load(d, block + i); });
    });
    if (wanted) picker.finish_row(p.dst.row(y), p.options.check);
  });
}

void correlate_rows(const Problem& p, std::int64_t first, std::int64_t last) {
  const bool zero_mean = p.options.measure == Measure::zncc;
  const double n = zero_mean ? static_cast<double>(p.shape.block * p.shape.block) : 1;
  Rows rows(p.shape);
  Sums<std::uint32_t, Term::product> sums(p.shape);
  Energy left(p.shape, zero_mean), right(p.shape, zero_mean);
  Picker<double, false> picker(p.shape);
  sweep(p, rows, first, last, [&](auto y, auto enters, auto left_out, auto right_out, bool wanted) {
    picker.start_row();
    left.slide(rows.left(enters), left_out);
    right.slide(rows.right(enters), right_out);  // right rows are mirrored, hence the sums too
    sums.slide(rows, enters, left_out, right_out, [&](std::int64_t x, const std::uint32_t* block) {
      if (!wanted) return;
      const double sum = left.sum()[x], power = left.power()[x];
      const double* right_sum = right.sum() + (p.shape.width - 1 - x);
      const double* right_power = right.power() + (p.shape.width - 1 - x);
      picker.pick(x, p.options, [&](auto d, std::int64_t i) {
        const auto products = hn::Mul(hn::Set(d, n), load_as_double(d, block + i));
        const auto means = hn::Mul(hn::Set(d, sum), hn::LoadU(d, right_sum + i));
        return normalised_lanes(d, hn::Sub(products, means), hn::Set(d, power),
                                hn::LoadU(d, right_power + i));
      });
    });
    if (wanted) picker.finish_row(p.dst.row(y), p.options.check);
  });
}

void disparity_rows(const Problem& p, std::int64_t first, std::int64_t last) {
  switch (p.options.measure) {
    case Measure::sad:
      // 255 · 15² is the largest sum of a square block that fits 16 bits.
      if (p.options.block <= 15) return sum_rows<std::uint16_t, Term::difference>(p, first, last);
      return sum_rows<std::uint32_t, Term::difference>(p, first, last);
    case Measure::ssd: return sum_rows<std::uint32_t, Term::square>(p, first, last);
    case Measure::ncc:
    case Measure::zncc: return correlate_rows(p, first, last);
  }
}

Shape shape_of(ConstHostView left, const DisparityOptions& options) {
  Shape s{};
  s.width = left.width();
  s.height = left.height();
  s.block = options.block;
  s.half = options.block / 2;
  s.candidates = std::min<std::int64_t>(options.max_disparity, s.width - 1) + 1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<std::uint16_t>()));
  s.stride = (s.candidates + lanes - 1) / lanes * lanes;
  s.padded = s.width + 2 * s.half;
  return s;
}

void disparity_all(ConstHostView left, ConstHostView right, HostView dst,
                   const DisparityOptions& options) {
  const Problem problem{left, right, dst, options, shape_of(left, options)};
  const Shape& s = problem.shape;
  // Each strip starts with block − 1 rows that only fill the sums. Therefore a thread gets at most
  // one strip.
  const std::int64_t threads = cpu::concurrency();
  const std::int64_t strip = std::max((s.height + threads - 1) / threads, s.block);
  const std::int64_t strips = (s.height + strip - 1) / strip;
  cpu::parallel_rows(strips, strip * s.padded * s.stride, [&](auto first, auto last) {
    disparity_rows(problem, first * strip, std::min(last * strip, s.height));
  });
}

}  // namespace
}  // namespace warpwise::detail::disparity::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::disparity {

HWY_EXPORT(disparity_all);

void disparity_cpu(ConstHostView left, ConstHostView right, HostView dst,
                   const DisparityOptions& options) {
  HWY_DYNAMIC_DISPATCH(disparity_all)(left, right, dst, options);
}

}  // namespace warpwise::detail::disparity
#endif
