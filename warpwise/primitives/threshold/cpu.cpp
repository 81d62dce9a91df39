#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/threshold/cpu.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/threshold/backends.hpp"
#include "warpwise/primitives/threshold/cpu_gaussian-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::threshold::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ---- mean and exact_mean
//
// Down the columns, a window's sum follows from the row above: one row comes in, one goes out.
// Along a row, it is the difference of two prefix sums of the column sums. Neither cost depends on
// the window. Sum is uint32_t, or uint64_t for a rule that needs 64 bits. Sums may wrap around;
// differences are still right. Column is a column sum's type: 16 bits for u8 and windows to 257.

/// Vectors have at most 256 bits: a prefix sum across more 16-byte blocks gains nothing.
template <class Sum>
using SumTag = hn::CappedTag<Sum, 32 / sizeof(Sum)>;

template <class Pixel>
HWY_INLINE auto load_pixels(SumTag<std::uint32_t> d, const std::byte* row, std::int64_t x) {
  const hn::Rebind<Pixel, decltype(d)> narrow;
  return hn::PromoteTo(d, hn::LoadU(narrow, reinterpret_cast<const Pixel*>(row) + x));
}

template <class Pixel>
HWY_INLINE auto load_pixels(SumTag<std::uint64_t> d, const std::byte* row, std::int64_t x) {
  const hn::Rebind<std::uint32_t, decltype(d)> middle;
  const hn::Rebind<Pixel, decltype(d)> narrow;
  return hn::PromoteTo(
      d, hn::PromoteTo(middle, hn::LoadU(narrow, reinterpret_cast<const Pixel*>(row) + x)));
}

#if HWY_TARGET == HWY_SCALAR

template <class D, class V>
HWY_INLINE V inclusive_prefix(D, V v) {
  return v;
}

template <class D, class V>
HWY_INLINE V broadcast_last(D, V v) {
  return v;
}

#else

/// Adds to each lane all lanes before it: within blocks of 16 bytes, then across the two blocks.
template <class D, class V>
HWY_INLINE V inclusive_prefix(D d, V v) {
  constexpr int lanes_per_block = 16 / sizeof(hn::TFromD<D>);
  v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
  if constexpr (lanes_per_block == 4) v = hn::Add(v, hn::ShiftLeftLanes<2>(d, v));
  if constexpr (hn::MaxLanes(D()) > lanes_per_block) {
    const V ends = hn::Broadcast<lanes_per_block - 1>(v);
    v = hn::Add(v, hn::ConcatLowerLower(d, ends, hn::Zero(d)));
  }
  return v;
}

/// Copies the last lane to all lanes.
template <class D, class V>
HWY_INLINE V broadcast_last(D d, V v) {
  constexpr int lanes_per_block = 16 / sizeof(hn::TFromD<D>);
  v = hn::Broadcast<lanes_per_block - 1>(v);
  if constexpr (hn::MaxLanes(D()) > lanes_per_block) v = hn::ConcatUpperUpper(d, v, v);
  return v;
}

#endif

/// columns[x] += factor * row[x].
template <class Pixel, class Column>
void add_row(const std::byte* row, Column factor, Column* HWY_RESTRICT columns,
             std::int64_t width) {
  for (std::int64_t x = 0; x < width; ++x) columns[x] += factor * load<Pixel>(row, x);
}

template <class Pixel, class Column>
void add_row(const std::byte* row, Column* HWY_RESTRICT columns, std::int64_t width) {
  for (std::int64_t x = 0; x < width; ++x) columns[x] += load<Pixel>(row, x);
}

/// Finishes slide_and_scan() from column x on, one column at a time.
template <class Pixel, class Column, class Sum>
void slide_and_scan_rest(const std::byte* in, const std::byte* out, Column* columns, Sum* prefix,
                         std::int64_t x, std::int64_t width) {
  Sum total = x == 0 ? 0 : prefix[x - 1];
  for (; x < width; ++x) {
    columns[x] += static_cast<Column>(load<Pixel>(in, x)) - load<Pixel>(out, x);
    prefix[x] = total += columns[x];
  }
}

/// columns[x] += in[x] - out[x]; prefix[x] = columns[0] + … + columns[x].
template <class Pixel, class Sum>
void slide_and_scan(const std::byte* in, const std::byte* out, Sum* HWY_RESTRICT columns,
                    Sum* HWY_RESTRICT prefix, std::int64_t width) {
  const SumTag<Sum> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto carry = hn::Zero(d);
  std::int64_t x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto change = hn::Sub(load_pixels<Pixel>(d, in, x), load_pixels<Pixel>(d, out, x));
    const auto sums = hn::Add(hn::LoadU(d, columns + x), change);
    hn::StoreU(sums, d, columns + x);
    const auto scanned = inclusive_prefix(d, sums);
    hn::StoreU(hn::Add(carry, scanned), d, prefix + x);
    carry = hn::Add(carry, broadcast_last(d, scanned));
  }
  slide_and_scan_rest<Pixel>(in, out, columns, prefix, x, width);
}

/// The same for column sums of 16 bits. It adds up pairs of neighbouring columns and scans the sums
/// of these pairs, so that the scan has half as many numbers.
template <class Pixel>
void slide_and_scan(const std::byte* in, const std::byte* out, std::uint16_t* HWY_RESTRICT columns,
                    std::uint32_t* HWY_RESTRICT prefix, std::int64_t width) {
  std::int64_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const SumTag<std::uint32_t> d;
  const hn::Repartition<std::uint16_t, decltype(d)> narrow;
  const hn::Rebind<Pixel, decltype(narrow)> pixels;
  const auto load_row = [&](const std::byte* row) HWY_ATTR {
    return hn::PromoteTo(narrow, hn::LoadU(pixels, reinterpret_cast<const Pixel*>(row) + x));
  };
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(narrow));
  auto carry = hn::Zero(d);
  for (; x + lanes <= width; x += lanes) {
    const auto change = hn::Sub(load_row(in), load_row(out));
    const auto sums = hn::Add(hn::LoadU(narrow, columns + x), change);
    hn::StoreU(sums, narrow, columns + x);
    const auto words = hn::BitCast(d, sums);
    const auto odd_columns = hn::ShiftRight<16>(words);
    const auto scanned =
        inclusive_prefix(d, hn::Add(hn::And(words, hn::Set(d, 0xffff)), odd_columns));
    const auto odd = hn::Add(carry, scanned);
    hn::StoreInterleaved2(hn::Sub(odd, odd_columns), odd, d, prefix + x);
    carry = hn::Add(carry, broadcast_last(d, scanned));
  }
#endif
  slide_and_scan_rest<Pixel>(in, out, columns, prefix, x, width);
}

#if HWY_TARGET != HWY_SCALAR
/// Reorders bytes from the order in which classify() packs its masks to the order of memory.
template <class D>
HWY_INLINE hn::Vec<D> to_memory_order(D d, hn::Vec<D> bytes) {
  alignas(16) static constexpr std::uint8_t in_block[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                            1, 3, 5, 7, 9, 11, 13, 15};
  bytes = hn::TableLookupBytes(bytes, hn::LoadDup128(d, in_block));
  if constexpr (hn::MaxLanes(D()) > 16) {
    const hn::Repartition<std::uint32_t, D> d32;
    alignas(32) static constexpr std::uint32_t order[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    const auto words = hn::BitCast(d32, bytes);
    bytes = hn::BitCast(d, hn::TableLookupLanes(words, hn::SetTableIndices(d32, order)));
  }
  return bytes;
}
#endif

/// Sets dst[x] to `above` where src[x] * area - sum + bias >= 0; the sum is upper[x] - lower[x].
template <class Pixel, class Sum>
void classify(const std::byte* src, std::byte* dst, const Sum* HWY_RESTRICT upper,
              const Sum* HWY_RESTRICT lower, const detail::threshold::WindowRule& rule,
              std::int64_t width) {
  using Signed = std::make_signed_t<Sum>;
  const auto area = static_cast<Sum>(rule.area);
  const auto limit = static_cast<Signed>(-rule.bias - 1);  // the comparison includes the bias
  const auto below = static_cast<Pixel>(rule.values.below);
  const auto flip = static_cast<Pixel>(rule.values.above ^ rule.values.below);
  std::int64_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(Pixel) == 1 && sizeof(Sum) == 4) {
    const SumTag<Sum> d;
    const hn::RebindToSigned<decltype(d)> d32;
    const hn::Repartition<std::int16_t, decltype(d)> d16;
    const hn::Repartition<std::uint8_t, decltype(d)> d8;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (; x + 4 * lanes <= width; x += 4 * lanes) {
      const auto mask = [&](std::int64_t i) HWY_ATTR {
        const auto sum = hn::Sub(hn::LoadU(d, upper + i), hn::LoadU(d, lower + i));
        const auto own = hn::Mul(load_pixels<Pixel>(d, src, i), hn::Set(d, area));
        const auto excess = hn::BitCast(d32, hn::Sub(own, sum));
        return hn::VecFromMask(d32, hn::Gt(excess, hn::Set(d32, limit)));
      };
      const auto first = hn::ReorderDemote2To(d16, mask(x), mask(x + lanes));
      const auto second = hn::ReorderDemote2To(d16, mask(x + 2 * lanes), mask(x + 3 * lanes));
      const auto masks =
          to_memory_order(d8, hn::OddEven(hn::BitCast(d8, second), hn::BitCast(d8, first)));
      const auto values = hn::Xor(hn::Set(d8, below), hn::And(hn::Set(d8, flip), masks));
      hn::StoreU(values, d8, reinterpret_cast<std::uint8_t*>(dst) + x);
    }
  }
#endif
  for (; x < width; ++x) {
    const Sum excess = load<Pixel>(src, x) * area - upper[x] + lower[x];
    const int mask = -static_cast<int>(static_cast<Signed>(excess) > limit);
    store(dst, x, static_cast<Pixel>(below ^ (flip & mask)));
  }
}

/// Writes the mean image's row. 32-bit sums are divided in double: the quotient's whole part is
/// exact, and SIMD has this division.
template <class Pixel, class Sum>
void store_means(HostView mean, std::int64_t y, const Sum* upper, const Sum* lower, Sum area) {
  std::byte* row = mean.row(y);
  const bool rounded = mean.type() != ElementType::f32;
  for (std::int64_t x = 0; x < mean.width(); ++x) {
    const Sum sum = upper[x] - lower[x];
    if (!rounded) {
      store(row, x, static_cast<float>(static_cast<double>(sum) / static_cast<double>(area)));
    } else if constexpr (sizeof(Sum) == 4) {
      const double quotient = static_cast<double>(sum + area / 2) / static_cast<double>(area);
      store(row, x, static_cast<Pixel>(static_cast<std::int32_t>(quotient)));
    } else {
      store(row, x, static_cast<Pixel>((sum + area / 2) / area));
    }
  }
}

/// Strips of the rows of dst, with each strip's column sums. A strip's first window is computed
/// from these sums instead of from all rows of the window.
template <class Column>
struct Strips {
  std::int64_t first = 0;  ///< row of src that belongs to dst's first row
  std::int64_t rows = 0;   ///< number of rows of every strip except the last
  std::int64_t count = 0;
  /// One entry for each strip; empty unless there are several strips, dst is the whole image and
  /// windows are higher than a strip.
  std::vector<std::vector<Column>> sums;
};

/// State of a strip while it slides down.
template <class Pixel, class Column, class Sum>
class Slider {
 public:
  Slider(ConstHostView src, const detail::threshold::WindowRule& rule)
      : src_(src), rule_(rule), ramp_(std::min(rule.half, src.width())),
        lead_((ramp_ + 1 + lead_step - 1) / lead_step * lead_step),
        columns_(hwy::AllocateAligned<Column>(static_cast<std::size_t>(src.width()))),
        prefix_(hwy::AllocateAligned<Sum>(static_cast<std::size_t>(lead_ + src.width() + ramp_))) {
    if (columns_ == nullptr || prefix_ == nullptr) throw std::bad_alloc();
  }

  void run(HostView dst, std::optional<HostView> mean, const Strips<Column>& strips,
           std::int64_t strip) {
    const std::int64_t begin = strip * strips.rows;
    const std::int64_t end = std::min(begin + strips.rows, dst.height());
    start(strips.first + begin, strips);
    for (std::int64_t to = begin; to < end; ++to) {
      const std::int64_t y = strips.first + to;
      // start() has computed the first row's sums. They stay unchanged, because the same row comes
      // in and goes out.
      const std::int64_t in = to == begin ? 0 : clamped_row(y + rule_.half);
      const std::int64_t out = to == begin ? 0 : clamped_row(y - rule_.half - 1);
      sum_row(src_.row(in), src_.row(out));
      decide_row(src_.row(y), to, dst, mean);
    }
  }

 private:
  std::int64_t clamped_row(std::int64_t y) const {
    return std::clamp<std::int64_t>(y, 0, src_.height() - 1);
  }

  /// Computes the column sums of the window around row `centre`.
  void start(std::int64_t centre, const Strips<Column>& strips) {
    const std::int64_t width = src_.width();
    const std::int64_t height = src_.height();
    const std::int64_t first = centre - rule_.half;
    const std::int64_t end = centre + rule_.half + 1;
    Column* const columns = columns_.get();
    std::fill(columns, columns + width, Column{0});
    if (first < 0) add_row<Pixel>(src_.row(0), static_cast<Column>(-first), columns, width);
    if (end > height) {
      add_row<Pixel>(src_.row(height - 1), static_cast<Column>(end - height), columns, width);
    }
    const std::int64_t inner_end = std::min(end, height);
    for (std::int64_t y = std::max<std::int64_t>(first, 0); y < inner_end;) {
      if (!strips.sums.empty() && y % strips.rows == 0 && y + strips.rows <= inner_end) {
        const std::vector<Column>& sums = strips.sums[static_cast<std::size_t>(y / strips.rows)];
        for (std::int64_t x = 0; x < width; ++x) columns[x] += sums[x];
        y += strips.rows;
      } else {
        add_row<Pixel>(src_.row(y), columns, width);
        ++y;
      }
    }
  }

  void sum_row(const std::byte* in, const std::byte* out) {
    Sum* const prefix = prefix_.get() + lead_;
    slide_and_scan<Pixel>(in, out, columns_.get(), prefix, src_.width());
    extend(prefix);
  }

  void decide_row(const std::byte* src, std::int64_t to, HostView dst,
                  std::optional<HostView> mean) {
    const Sum* upper = prefix_.get() + lead_ + ramp_;
    const Sum* lower = prefix_.get() + lead_ - ramp_ - 1;
    classify<Pixel>(src, dst.row(to), upper, lower, rule_, src_.width());
    if (mean) store_means<Pixel>(*mean, to, upper, lower, static_cast<Sum>(rule_.area));
  }

  /// Continues the prefix sums beyond both ends of the row, by ramp_ sums each. The end columns
  /// repeat there, so each sum differs from the one before by the same column sum. If `half`
  /// exceeds the row's width, both ends of every window lie beyond the row. The `skipped` sums next
  /// to the row are then never read, and are left out of the array.
  void extend(Sum* prefix) const {
    const std::int64_t last = src_.width() - 1;
    const auto skipped = static_cast<Sum>(rule_.half - ramp_);
    const Sum left = columns_[0];
    const Sum right = columns_[static_cast<std::size_t>(last)];
    prefix[-1] = 0;
    Sum before = Sum{0} - skipped * left;
    for (std::int64_t i = 1; i <= ramp_; ++i) prefix[-1 - i] = before -= left;
    Sum beyond = prefix[last] + skipped * right;
    for (std::int64_t i = 1; i <= ramp_; ++i) prefix[last + i] = beyond += right;
  }

  /// Number of sums in a cache line. The row's first prefix sum lies at the start of a line,
  /// because a store across two lines costs twice as much.
  static constexpr std::int64_t lead_step = 64 / sizeof(Sum);

  ConstHostView src_;
  const detail::threshold::WindowRule& rule_;
  std::int64_t ramp_;  ///< number of prefix sums beyond each end of the row
  std::int64_t lead_;  ///< number of elements of prefix_ before the row's first prefix sum
  hwy::AlignedFreeUniquePtr<Column[]> columns_;
  hwy::AlignedFreeUniquePtr<Sum[]> prefix_;
};

/// Cuts the rows into strips, at most four for each thread. If there are several for each thread, a
/// slow thread takes fewer of them. A strip first adds up the rows of a window. There are therefore
/// more strips than threads only if each strip is at least four windows high.
template <class Column>
Strips<Column> cut_into_strips(HostView dst, std::int64_t first, std::int64_t window) {
  const std::int64_t tasks = dst.height() * dst.row_bytes() / cpu::bytes_per_task;
  const std::int64_t threads = cpu::concurrency();
  const std::int64_t several =
      threads == 1 ? 1 : std::clamp(dst.height() / (4 * window), threads, 4 * threads);
  const std::int64_t most = std::min(dst.height(), several);
  Strips<Column> strips;
  strips.first = first;
  const std::int64_t wanted = std::clamp<std::int64_t>(tasks, 1, most);
  strips.rows = (dst.height() + wanted - 1) / wanted;
  strips.count = (dst.height() + strips.rows - 1) / strips.rows;
  return strips;
}

template <class Pixel, class Column, class Sum>
void threshold_by_sums(ConstHostView src, HostView dst, const detail::threshold::WindowRule& rule,
                       std::optional<HostView> mean, std::int64_t first_row) {
  Strips<Column> strips = cut_into_strips<Column>(dst, first_row, 2 * rule.half + 1);
  constexpr std::int64_t one_strip_a_task = cpu::bytes_per_task + 1;
  const bool whole = dst.height() == src.height();
  if (whole && strips.count > 1 && 2 * rule.half + 1 > strips.rows) {
    strips.sums.resize(static_cast<std::size_t>(strips.count));
    cpu::parallel_rows(strips.count, one_strip_a_task, [&](auto first, auto last) {
      for (std::int64_t strip = first; strip < last; ++strip) {
        std::vector<Column> sums(static_cast<std::size_t>(src.width()));
        const std::int64_t end = std::min((strip + 1) * strips.rows, src.height());
        for (std::int64_t y = strip * strips.rows; y < end; ++y) {
          add_row<Pixel>(src.row(y), sums.data(), src.width());
        }
        strips.sums[static_cast<std::size_t>(strip)] = std::move(sums);
      }
    });
  }
  cpu::parallel_rows(strips.count, one_strip_a_task, [&](auto first, auto last) {
    Slider<Pixel, Column, Sum> slider(src, rule);
    for (std::int64_t strip = first; strip < last; ++strip) slider.run(dst, mean, strips, strip);
  });
}

void window_entry(ConstHostView src, HostView dst, const detail::threshold::WindowRule& rule,
                  std::optional<HostView> mean, std::int64_t first) {
  using u8 = std::uint8_t;
  using u16 = std::uint16_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  const auto run = [&](auto by_sums) { by_sums(src, dst, rule, mean, first); };
  if (src.type() != ElementType::u8) {
    rule.wide ? run(threshold_by_sums<u16, u64, u64>) : run(threshold_by_sums<u16, u32, u32>);
  } else if ((2 * rule.half + 1) * std::numeric_limits<u8>::max() <=
             std::numeric_limits<u16>::max()) {
    run(threshold_by_sums<u8, u16, u32>);
  } else {
    rule.wide ? run(threshold_by_sums<u8, u64, u64>) : run(threshold_by_sums<u8, u32, u32>);
  }
}

void gaussian_entry(ConstHostView src, HostView dst, const detail::threshold::GaussianRule& rule,
                    std::optional<HostView> mean, std::int64_t first) {
  if (src.type() == ElementType::u8) {
    threshold_by_gaussian<std::uint8_t>(src, dst, rule, mean, first);
  } else {
    threshold_by_gaussian<std::uint16_t>(src, dst, rule, mean, first);
  }
}

}  // namespace
}  // namespace warpwise::detail::threshold::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::threshold {

HWY_EXPORT(window_entry);
HWY_EXPORT(gaussian_entry);

void threshold_cpu(ConstHostView src, HostView dst, const WindowRule& rule,
                   std::optional<HostView> mean, std::int64_t first) {
  HWY_DYNAMIC_DISPATCH(window_entry)(src, dst, rule, mean, first);
}

void threshold_cpu(ConstHostView src, HostView dst, const GaussianRule& rule,
                   std::optional<HostView> mean, std::int64_t first) {
  HWY_DYNAMIC_DISPATCH(gaussian_entry)(src, dst, rule, mean, first);
}

}  // namespace warpwise::detail::threshold
#endif
