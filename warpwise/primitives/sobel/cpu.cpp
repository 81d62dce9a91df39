#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/sobel/backends.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/sobel/cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::sobel::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Lane>
using Vector = hn::ScalableTag<Lane>;

// Casts for LoadU and StoreU, which take any address.
template <class T>
const T* as(const std::byte* bytes) {
  return reinterpret_cast<const T*>(bytes);
}
template <class T>
T* as(std::byte* bytes) {
  return reinterpret_cast<T*>(bytes);
}

// Rows of the source with the border added. Work is the type that a row is kept in: bytes are
// unchanged, u16 pixels become i32, which holds every sum of them.

template <class Pixel, class WorkType>
struct Widen {
  using Work = WorkType;

  void operator()(const std::byte* from, Work* to, std::int64_t width) const {
    for (std::int64_t x = 0; x < width; ++x) to[x] = load<Pixel>(from, x);
  }
};

/// Computes OpenCV's grey, (9798 R + 19235 G + 3735 B + 2^14) >> 15, in 16-bit lanes. With each
/// weight as 128 · high + low, the grey is (H + (L >> 7)) >> 8:
/// - H = Σ high · colour is at most 255 · 255;
/// - L = Σ low · colour + 2^14 is at most 128 · 255 + 2^14.
template <int channels>
struct Grey {
  using Work = std::uint8_t;
  ChannelOrder order;

  void operator()(const std::byte* from, Work* to, std::int64_t width) const {
    const auto step = static_cast<std::int64_t>(hn::Lanes(Vector<std::uint16_t>()));
    std::int64_t x = 0;
    for (; x + step <= width; x += step) vector(from + x * channels, to + x);
    if (x >= width) return;
    // The image may end here, so the last pixels are read from a copy that fills a vector.
    std::byte tail[HWY_MAX_BYTES * 4] = {};
    std::memcpy(tail, from + x * channels, static_cast<std::size_t>((width - x) * channels));
    vector(tail, to + x);
  }

 private:
  void vector(const std::byte* from, Work* to) const {
    const Vector<std::uint16_t> d16;
    const hn::Rebind<std::uint8_t, Vector<std::int16_t>> d8;
    auto c0 = hn::Zero(d8), c1 = hn::Zero(d8), c2 = hn::Zero(d8), ignored = hn::Zero(d8);
    if constexpr (channels == 3)
      hn::LoadInterleaved3(d8, as<std::uint8_t>(from), c0, c1, c2);
    else
      hn::LoadInterleaved4(d8, as<std::uint8_t>(from), c0, c1, c2, ignored);
    const bool rgb = order == ChannelOrder::rgb;
    const auto red = hn::PromoteTo(d16, rgb ? c0 : c2);
    const auto green = hn::PromoteTo(d16, c1);
    const auto blue = hn::PromoteTo(d16, rgb ? c2 : c0);
    const auto weigh = [&](std::uint16_t r, std::uint16_t g, std::uint16_t b) HWY_ATTR {
      return hn::Add(hn::Add(hn::Mul(red, hn::Set(d16, r)), hn::Mul(green, hn::Set(d16, g))),
                     hn::Mul(blue, hn::Set(d16, b)));
    };
    const auto high = weigh(9798 >> 7, 19235 >> 7, 3735 >> 7);
    const auto low = hn::Add(weigh(9798 & 127, 19235 & 127, 3735 & 127), hn::Set(d16, 1 << 14));
    const auto grey = hn::ShiftRight<8>(hn::Add(high, hn::ShiftRight<7>(low)));
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(Vector<std::int16_t>(), grey)), d8, to);
  }
};

/// Number of adjacent rows of results that a pass writes. A pass loads each source row only once.
constexpr std::int64_t pass_rows = 4;

/// The source rows of a pass and the rows above and below, each with one pixel of border on either
/// side. Every source row is converted once, however many rows need it.
template <class Convert>
class RowWindow {
 public:
  using Work = typename Convert::Work;

  /// Begins with row `first`.
  RowWindow(ConstHostView src, Border border, Convert convert, std::int64_t first)
      : src_(src), border_(border), convert_(convert), next_(first),
        stride_((src.width() + 2 * margin + margin - 1) / margin * margin),
        memory_(static_cast<std::size_t>(rows * stride_)) {}

  /// Returns row y, -1 <= y <= height. It must be one of the last rows asked for, or the next one.
  const Work* row(std::int64_t y) {
    if (y == next_) fill(next_++);
    return place(y);
  }

 private:
  Work* place(std::int64_t y) { return memory_.data() + (y + 1) % rows * stride_ + margin; }

  void fill(std::int64_t y) {
    Work* row = place(y);
    const std::int64_t width = src_.width();
    const std::int64_t line = border_index(y, src_.height(), border_);
    if (line < 0) {
      std::fill(row - 1, row + width + 1, Work{0});
      return;
    }
    convert_(src_.row(line), row, width);
    const std::int64_t left = border_index(-1, width, border_);
    const std::int64_t right = border_index(width, width, border_);
    row[-1] = left < 0 ? Work{0} : row[left];
    row[width] = right < 0 ? Work{0} : row[right];
  }

  static constexpr std::int64_t rows = pass_rows + 2;
  // Elements before and behind a row: room for the border's pixel, and for vectors that extend past
  // the row's end. These extend by at most 64 elements and a neighbour.
  static constexpr std::int64_t margin = 96;

  ConstHostView src_;
  Border border_;
  Convert convert_;
  std::int64_t next_;
  std::int64_t stride_;
  std::vector<Work> memory_;
};

// The gradient.

/// Computes w1 · at + w0 · (before + after). For Sobel's kernel and integers, it adds up the sums
/// before + at and at + after. Each of the two also occurs in a neighbour's result, so that the
/// compiler can reuse it.
template <SobelKernel kernel, class V>
V weigh(V before, V at, V after) {
  const hn::DFromV<V> d;
  if constexpr (kernel == SobelKernel::scharr) {
    return hn::Add(hn::Mul(hn::Set(d, 10), at), hn::Mul(hn::Set(d, 3), hn::Add(before, after)));
  } else if constexpr (std::is_floating_point_v<hn::TFromV<V>>) {
    return hn::Add(hn::Add(at, at), hn::Add(before, after));
  } else {
    return hn::Add(hn::Add(before, at), hn::Add(at, after));
  }
}

enum class Result { dx, dy, l1, l2 };

/// Returns the vector type that a result is computed in. For an L2 magnitude of integers it has
/// fewer lanes, because intermediate results need wider lanes.
template <Result result, class Work>
auto lanes_for() {
  constexpr bool wider = result == Result::l2;
  if constexpr (std::is_same_v<Work, float>)
    return Vector<float>();
  else if constexpr (std::is_same_v<Work, std::int32_t>) {
    if constexpr (wider)
      return hn::Rebind<std::int32_t, Vector<double>>();
    else
      return Vector<std::int32_t>();
  } else {
    if constexpr (wider)
      return hn::Rebind<std::int16_t, Vector<std::int32_t>>();
    else
      return Vector<std::int16_t>();
  }
}

/// Computes sqrt(dx² + dy²) rounded half up, as i32, for components of u8 pixels. The float root is
/// off by less than one; exact integer comparisons correct it.
template <class V>
auto length(std::int16_t, V dx, V dy) {
  const hn::Rebind<std::int32_t, hn::DFromV<V>> d;
  const auto x = hn::PromoteTo(d, dx);
  const auto y = hn::PromoteTo(d, dy);
  const auto n = hn::Add(hn::Mul(x, x), hn::Mul(y, y));
  const auto r = hn::NearestInt(hn::Sqrt(hn::ConvertTo(hn::Rebind<float, decltype(d)>(), n)));
  const auto square = hn::Mul(r, r);
  // A mask is -1 where its condition holds.
  const auto too_low = hn::VecFromMask(d, hn::Gt(n, hn::Add(square, r)));     // n > r(r + 1)
  const auto low_enough = hn::VecFromMask(d, hn::Gt(n, hn::Sub(square, r)));  // n > r(r - 1)
  const auto rounded = hn::Sub(hn::Sub(r, too_low), hn::Add(hn::Set(d, 1), low_enough));
  return hn::Max(rounded, hn::Zero(d));  // rounded is -1 if n is 0
}

/// Computes sqrt(dx² + dy²) rounded half up for u16 pixels. Their components are below 2^21: in
/// double, dx² + dy² is exact, and its root is at least 2^-24 away from every r + 1/2, far more
/// than a double's last place.
template <class V>
V length(std::int32_t, V dx, V dy) {
  const hn::DFromV<V> d;
  const hn::Rebind<double, decltype(d)> real;
  const auto x = hn::PromoteTo(real, dx);
  const auto y = hn::PromoteTo(real, dy);
  const auto root = hn::Sqrt(hn::Add(hn::Mul(x, x), hn::Mul(y, y)));
  return hn::DemoteTo(d, hn::Add(root, hn::Set(real, 0.5)));
}

template <class V>
V length(float, V dx, V dy) {
  return hn::Sqrt(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)));
}

/// Terms e(y) and t(y) of the formulas in sobel.hpp, for a vector of pixels of one row.
template <class V>
struct Terms {
  V e, t;
};

template <SobelKernel kernel, class V>
Terms<V> terms(V before, V at, V after) {
  return {hn::Sub(after, before), weigh<kernel>(before, at, after)};
}

template <Result result, SobelKernel kernel, class V>
auto gradient(const Terms<V>& above, const Terms<V>& at, const Terms<V>& below) {
  const V dx = weigh<kernel>(above.e, at.e, below.e);
  const V dy = hn::Sub(below.t, above.t);
  if constexpr (result == Result::dx)
    return dx;
  else if constexpr (result == Result::dy)
    return dy;
  else if constexpr (result == Result::l1)
    return hn::Add(hn::Abs(dx), hn::Abs(dy));
  else
    return length(hn::TFromV<V>{}, dx, dy);
}

/// One step along a row: loads a vector of a row's pixels, and stores results computed from three
/// rows.
template <class Out, Result result, SobelKernel kernel, class Work>
struct Step {
  using D = decltype(lanes_for<result, Work>());
  static std::int64_t pixels() { return static_cast<std::int64_t>(hn::Lanes(D())); }

  static auto load(const Work* row) {
    const auto at = [row](int offset) HWY_ATTR {
      const hn::Rebind<Work, D> d;
      if constexpr (std::is_same_v<Work, std::uint8_t>) {
        return hn::PromoteTo(D(), hn::LoadU(d, row + offset));
      } else {
        return hn::LoadU(d, row + offset);
      }
    };
    return terms<kernel>(at(-1), at(0), at(1));
  }

  template <class T>
  static void store(const T& above, const T& at, const T& below, std::byte* to) {
    const auto value = gradient<result, kernel>(above, at, below);
    const hn::DFromV<std::remove_const_t<decltype(value)>>
        d;  // i32 lanes for the L2 magnitude of i16 components
    using Lane = hn::TFromD<decltype(d)>;
    if constexpr (sizeof(Out) == sizeof(Lane)) {
      hn::StoreU(value, d, as<Lane>(to));
    } else {
      const hn::Rebind<Out, decltype(d)> narrow;
      hn::StoreU(hn::DemoteTo(narrow, value), narrow, as<Out>(to));
    }
  }
};

#if HWY_TARGET != HWY_SCALAR
/// Computes the sums of pairs of neighbours in 16-bit lanes, by one instruction where it exists.
HWY_INLINE hn::Vec<Vector<std::int16_t>> pair_sums(const std::uint8_t* row) {
  using Sums = hn::Vec<Vector<std::int16_t>>;
  const auto bytes = hn::LoadU(Vector<std::uint8_t>(), row);
#if HWY_TARGET == HWY_SSE4
  return Sums{_mm_maddubs_epi16(bytes.raw, _mm_set1_epi8(1))};
#elif HWY_TARGET == HWY_AVX2
  return Sums{_mm256_maddubs_epi16(bytes.raw, _mm256_set1_epi8(1))};
#elif HWY_TARGET == HWY_AVX3
  return Sums{_mm512_maddubs_epi16(bytes.raw, _mm512_set1_epi8(1))};
#else
  const Vector<std::uint16_t> d;
  const auto words = hn::BitCast(d, bytes);
  const auto sums = hn::Add(hn::And(words, hn::Set(d, 255)), hn::ShiftRight<8>(words));
  return hn::BitCast(hn::DFromV<Sums>(), sums);
#endif
}

/// Interleaves 16-bit lanes of even and odd pixels into bytes, each limited to `most`.
template <class V>
HWY_INLINE auto joined(V even, V odd, std::int16_t most) {
  const auto limit = hn::Set(hn::DFromV<V>(), most);
  return hn::BitCast(Vector<std::uint8_t>(),
                     hn::Or(hn::Min(even, limit), hn::ShiftLeft<8>(hn::Min(odd, limit))));
}

/// The step for bytes, with twice as many pixels as the general one. Even and odd pixels are in
/// separate vectors of 16-bit lanes, which two loads fill without a shuffle.
template <class Out, Result result, SobelKernel kernel>
  requires(result != Result::l2)
struct Step<Out, result, kernel, std::uint8_t> {
  using D = Vector<std::int16_t>;
  using V = hn::Vec<D>;
  struct Pair {
    Terms<V> even, odd;
  };
  static std::int64_t pixels() { return 2 * static_cast<std::int64_t>(hn::Lanes(D())); }

  static Pair load(const std::uint8_t* row) {
    const Vector<std::uint8_t> d8;
    const Vector<std::uint16_t> d16;
    const auto before = hn::BitCast(d16, hn::LoadU(d8, row - 1));
    const auto after = hn::BitCast(d16, hn::LoadU(d8, row + 1));
    const auto low = [&](auto v)
                         HWY_ATTR { return hn::BitCast(D(), hn::And(v, hn::Set(d16, 255))); };
    const auto high = [](auto v) HWY_ATTR { return hn::BitCast(D(), hn::ShiftRight<8>(v)); };
    return {terms<kernel>(low(before), high(before), low(after)),
            terms<kernel>(high(before), low(after), high(after))};
  }

  static void store(const Pair& above, const Pair& at, const Pair& below, std::byte* to) {
    const V even = gradient<result, kernel>(above.even, at.even, below.even);
    const V odd = gradient<result, kernel>(above.odd, at.odd, below.odd);
    if constexpr (sizeof(Out) == 2) {
      hn::StoreInterleaved2(even, odd, D(), as<std::int16_t>(to));
    } else {
      const Vector<std::uint8_t> d8;
      hn::StoreU(joined(even, odd, 255), d8, as<std::uint8_t>(to));
    }
  }
};

/// The step for the L1 magnitude of Sobel's kernel, by sums of two by two pixels. b(x, y) is the
/// sum with its upper left pixel at (x, y). Since |dx| + |dy| = max(|dx + dy|, |dx - dy|), the
/// magnitude is 2 max(|b(x, y) - b(x-1, y-1)|, |b(x, y-1) - b(x-1, y)|).
template <class Out>
struct Step<Out, Result::l1, SobelKernel::sobel, std::uint8_t> {
  using D = Vector<std::int16_t>;
  using V = hn::Vec<D>;
  /// Sums of two adjacent pixels of a row. For each even x, the first of the two is pixel x − 1 in
  /// `before`, x in `even`, and x + 1 in `odd`.
  struct Sums {
    V before, even, odd;
  };
  static Sums sum(const Sums& a, const Sums& b) {
    return {hn::Add(a.before, b.before), hn::Add(a.even, b.even), hn::Add(a.odd, b.odd)};
  }
  static std::int64_t pixels() { return 2 * static_cast<std::int64_t>(hn::Lanes(D())); }

  static Sums load(const std::uint8_t* row) {
    return {pair_sums(row - 1), pair_sums(row), pair_sums(row + 1)};
  }

  static void store(const Sums& above, const Sums& at, const Sums& below, std::byte* to) {
    const Sums upper = sum(above, at), lower = sum(at, below);
    const auto half = [](V b, V diagonal, V c, V antidiagonal) HWY_ATTR {
      return hn::Max(hn::Abs(hn::Sub(b, diagonal)), hn::Abs(hn::Sub(c, antidiagonal)));
    };
    const V even = half(lower.even, upper.before, upper.even, lower.before);
    const V odd = half(lower.odd, upper.even, upper.odd, lower.even);
    if constexpr (sizeof(Out) == 2) {
      hn::StoreInterleaved2(hn::Add(even, even), hn::Add(odd, odd), D(), as<std::int16_t>(to));
    } else {
      const Vector<std::uint8_t> d8;
      const auto bytes = joined(even, odd, 128);
      hn::StoreU(hn::SaturatedAdd(bytes, bytes), d8, as<std::uint8_t>(to));
    }
  }
};
#endif

/// The source rows that a pass reads, and the rows that it writes.
template <class Work>
struct Pass {
  const Work* rows[pass_rows + 2];
  std::byte* to[pass_rows];
};

/// Writes the rows of results from bottom to top. A pass may extend below the last row of
/// results: its rows there share that row's memory. The last row is written later, over them.
template <class Out, Result result, SobelKernel kernel, class Work>
void write_rows(const Pass<Work> pass, std::int64_t width) {
  using Step = Step<Out, result, kernel, Work>;
  constexpr std::int64_t out_bytes = sizeof(Out);
  const auto step = [](const Pass<Work>& at, std::int64_t x) HWY_ATTR {
    auto below = Step::load(at.rows[pass_rows + 1] + x),
         middle = Step::load(at.rows[pass_rows] + x);
    for (std::int64_t i = pass_rows - 1; i >= 0; --i) {
      const auto above = Step::load(at.rows[i] + x);
      Step::store(above, middle, below, at.to[i] + x * out_bytes);
      below = middle;
      middle = above;
    }
  };
  const std::int64_t pixels = Step::pixels();
  if (width >= pixels) {
    for (std::int64_t x = 0; x + pixels < width; x += pixels) step(pass, x);
    return step(pass, width - pixels);  // may write some pixels twice
  }
  std::byte whole[pass_rows][2 * HWY_MAX_BYTES];
  Pass<Work> narrow = pass;
  for (std::int64_t i = 0; i < pass_rows; ++i) narrow.to[i] = whole[i];
  step(narrow, 0);
  for (std::int64_t i = pass_rows - 1; i >= 0; --i) {
    std::memcpy(pass.to[i], whole[i], static_cast<std::size_t>(width * out_bytes));
  }
}

template <class Work>
using PassFunction = void (*)(Pass<Work>, std::int64_t);

/// Chooses the pass for these options. For pixels of bytes, dx and dy are i16. For other pixels
/// they have the type of Work.
template <SobelKernel kernel, class Work>
PassFunction<Work> pass_function(const SobelOptions& options, ElementType dst) {
  constexpr bool bytes = std::is_same_v<Work, std::uint8_t>;
  using Exact = std::conditional_t<bytes, std::int16_t, Work>;
  switch (options.output) {
    case SobelOutput::dx: return &write_rows<Exact, Result::dx, kernel, Work>;
    case SobelOutput::dy: return &write_rows<Exact, Result::dy, kernel, Work>;
    case SobelOutput::magnitude: break;
  }
  const bool l1 = options.norm == Norm::l1;
  if constexpr (bytes) {
    if (dst == ElementType::u8) {
      return l1 ? &write_rows<std::uint8_t, Result::l1, kernel, Work>
                : &write_rows<std::uint8_t, Result::l2, kernel, Work>;
    }
  } else if constexpr (std::is_same_v<Work, std::int32_t>) {
    if (dst == ElementType::u16) {
      return l1 ? &write_rows<std::uint16_t, Result::l1, kernel, Work>
                : &write_rows<std::uint16_t, Result::l2, kernel, Work>;
    }
  }
  // A magnitude is not negative: its bits are the same in a signed and an unsigned type.
  return l1 ? &write_rows<Exact, Result::l1, kernel, Work>
            : &write_rows<Exact, Result::l2, kernel, Work>;
}

/// Writes dst, which holds the result's rows from `first` on. row(y) returns the source's row y; y
/// is at most one row outside the image.
template <class Work, class Row, class Write>
void write_strip(HostView dst, std::int64_t first, const Row& row, const Write& write) {
  const std::int64_t count = dst.height();
  for (std::int64_t y = 0; y < count; y += pass_rows) {
    Pass<Work> pass;
    for (std::int64_t i = 0; i < pass_rows + 2; ++i) {
      pass.rows[i] = row(first + std::min(y - 1 + i, count));
    }
    for (std::int64_t i = 0; i < pass_rows; ++i) pass.to[i] = dst.row(std::min(y + i, count - 1));
    write(pass);
  }
}

template <SobelKernel kernel, class Convert>
void sobel_converted(ConstHostView src, HostView dst, const SobelOptions& options, Convert convert,
                     std::int64_t first) {
  using Work = typename Convert::Work;
  const PassFunction<Work> write = pass_function<kernel, Work>(options, dst.type());
  RowWindow<Convert> window(src, options.border, convert, first - 1);
  write_strip<Work>(
      dst, first, [&](std::int64_t y) { return window.row(y); },
      [&](const Pass<Work>& pass) { write(pass, src.width()); });
}

template <SobelKernel kernel>
void sobel_rows_of(ConstHostView src, HostView dst, const SobelOptions& options,
                   std::int64_t first) {
  const auto strip = [&](auto convert) {
    sobel_converted<kernel>(src, dst, options, convert, first);
  };
  if (src.type() == ElementType::f32)
    strip(Widen<float, float>{});
  else if (src.type() == ElementType::u16)
    strip(Widen<std::uint16_t, std::int32_t>{});
  else if (src.channels() == 3)
    strip(Grey<3>{options.channels});
  else if (src.channels() == 4)
    strip(Grey<4>{options.channels});
  else
    strip(Widen<std::uint8_t, std::uint8_t>{});
}

/// Computes the rows of sobel() from `first` on into all rows of dst.
void sobel_rows(ConstHostView src, HostView dst, const SobelOptions& options, std::int64_t first) {
  switch (options.kernel) {
    case SobelKernel::sobel: return sobel_rows_of<SobelKernel::sobel>(src, dst, options, first);
    case SobelKernel::scharr: return sobel_rows_of<SobelKernel::scharr>(src, dst, options, first);
  }
}

}  // namespace
}  // namespace warpwise::detail::sobel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::sobel {

HWY_EXPORT(sobel_rows);

void sobel_cpu(ConstHostView src, HostView dst, const SobelOptions& options, std::int64_t first) {
  cpu::parallel_rows(dst.height(), src.row_bytes() + dst.row_bytes(), [&](auto begin, auto end) {
    const HostView strip = dst.sub_view(0, begin, dst.width(), end - begin);
    HWY_DYNAMIC_DISPATCH(sobel_rows)(src, strip, options, first + begin);
  });
}

}  // namespace warpwise::detail::sobel
#endif
