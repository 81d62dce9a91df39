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
namespace warpwise::detail::HWY_NAMESPACE {
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

// Rows of the source, widened and continued over the border. Work is the type that a row is kept
// in: i16 holds every sum of u8 pixels (16 · 255 = 4080), i32 every sum of u16 pixels.

template <class Pixel, class WorkType>
struct Widen {
  using Work = WorkType;

  void operator()(const std::byte* from, Work* to, std::int64_t width) const {
    for (std::int64_t x = 0; x < width; ++x) to[x] = load<Pixel>(from, x);
  }
};

/// OpenCV's grey, (9798 R + 19235 G + 3735 B + 2^14) >> 15, in 16-bit lanes: with each weight as
/// 128 · high + low, it is (H + (L >> 7)) >> 8, where H = Σ high · colour is at most 255 · 255 and
/// L = Σ low · colour + 2^14 at most 128 · 255 + 2^14.
template <int channels>
struct Grey {
  using Work = std::int16_t;
  ChannelOrder order;

  void operator()(const std::byte* from, Work* to, std::int64_t width) const {
    const auto step = static_cast<std::int64_t>(hn::Lanes(Vector<Work>()));
    std::int64_t x = 0;
    for (; x + step <= width; x += step) vector(from + x * channels, to + x);
    if (x >= width) return;
    // The image may end with this row: its last pixels are read from a copy of a vector's size.
    std::byte tail[HWY_MAX_BYTES * 4] = {};
    std::memcpy(tail, from + x * channels, static_cast<std::size_t>((width - x) * channels));
    vector(tail, to + x);
  }

 private:
  void vector(const std::byte* from, Work* to) const {
    const Vector<Work> d;
    const Vector<std::uint16_t> d16;
    const hn::Rebind<std::uint8_t, Vector<Work>> d8;
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
    hn::StoreU(hn::BitCast(d, hn::ShiftRight<8>(hn::Add(high, hn::ShiftRight<7>(low)))), d, to);
  }
};

/// The three rows around the one in work, each continued by one pixel of border on either side;
/// every source row is widened once, whatever rows need it.
template <class Convert>
class RowWindow {
 public:
  using Work = typename Convert::Work;

  RowWindow(ConstHostView src, Border border, Convert convert)
      : src_(src), border_(border), convert_(convert),
        stride_((src.width() + 2 * margin + margin - 1) / margin * margin),
        memory_(static_cast<std::size_t>(3 * stride_)) {}

  /// Row y, where -1 <= y <= height, once it was filled.
  const Work* row(std::int64_t y) const { return memory_.data() + (y + 1) % 3 * stride_ + margin; }

  /// Puts row y in the place of row y - 3.
  void fill(std::int64_t y) {
    Work* row = memory_.data() + (y + 1) % 3 * stride_ + margin;
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

 private:
  // Elements before and behind a row: the border's pixel, and what the last vectors of a row read
  // or write past its end, at most 64 elements and a neighbour.
  static constexpr std::int64_t margin = 96;

  ConstHostView src_;
  Border border_;
  Convert convert_;
  std::int64_t stride_;
  std::vector<Work> memory_;
};

// The gradient.

template <SobelKernel kernel, class V>
V weigh(V centre, V sides) {
  if constexpr (kernel == SobelKernel::sobel) return hn::Add(hn::Add(centre, centre), sides);
  const hn::DFromV<V> d;
  return hn::Add(hn::Mul(hn::Set(d, 10), centre), hn::Mul(hn::Set(d, 3), sides));
}

enum class Result { dx, dy, l1, l2 };

/// The vectors that a result is computed in: half or quarter ones where an L2 magnitude needs wider
/// lanes in between.
template <Result result, class Work>
auto lanes_for() {
  if constexpr (result != Result::l2 || std::is_same_v<Work, float>) return Vector<Work>();
  else if constexpr (std::is_same_v<Work, std::int16_t>) {
    return hn::Rebind<std::int16_t, Vector<std::int32_t>>();
  } else {
    return hn::Rebind<std::int32_t, Vector<double>>();
  }
}

/// sqrt(dx² + dy²) rounded half up, as i32, of components of u8 pixels. The float root is off by
/// less than one; exact integers say which way.
template <class V>
auto length(std::int16_t, V dx, V dy) {
  const hn::Rebind<std::int32_t, hn::DFromV<V>> d;
  const auto x = hn::PromoteTo(d, dx);
  const auto y = hn::PromoteTo(d, dy);
  const auto n = hn::Add(hn::Mul(x, x), hn::Mul(y, y));
  const auto r = hn::NearestInt(hn::Sqrt(hn::ConvertTo(hn::Rebind<float, decltype(d)>(), n)));
  const auto square = hn::Mul(r, r);
  // Masks are -1 where they hold.
  const auto too_low = hn::VecFromMask(d, hn::Gt(n, hn::Add(square, r)));     // n > r(r + 1)
  const auto low_enough = hn::VecFromMask(d, hn::Gt(n, hn::Sub(square, r)));  // n > r(r - 1)
  const auto rounded = hn::Sub(hn::Sub(r, too_low), hn::Add(hn::Set(d, 1), low_enough));
  return hn::Max(rounded, hn::Zero(d));  // n = 0 is the one root without n > r(r - 1)
}

/// The same of u16 pixels. Their components are below 2^21: in double, dx² + dy² is exact, and its
/// root stays 2^-24 away from every r + 1/2, far more than a double's last place.
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

/// Three rows: above, at and below the one in work.
template <class Work>
struct Rows {
  const Work* above;
  const Work* at;
  const Work* below;
};

/// The result for the vector of pixels from x on: along the rows first, then across them.
template <Result result, SobelKernel kernel, class Work>
auto compute(Rows<Work> rows, std::int64_t x) {
  const auto d = lanes_for<result, Work>();
  const auto difference = [&](const Work* row) HWY_ATTR {
    return hn::Sub(hn::LoadU(d, row + x + 1), hn::LoadU(d, row + x - 1));
  };
  const auto smoothed = [&](const Work* row) HWY_ATTR {
    return weigh<kernel>(hn::LoadU(d, row + x),
                         hn::Add(hn::LoadU(d, row + x - 1), hn::LoadU(d, row + x + 1)));
  };
  const auto dx = weigh<kernel>(difference(rows.at),
                                hn::Add(difference(rows.above), difference(rows.below)));
  const auto dy = hn::Sub(smoothed(rows.below), smoothed(rows.above));
  if constexpr (result == Result::dx) return dx;
  else if constexpr (result == Result::dy) return dy;
  else if constexpr (result == Result::l1) return hn::Add(hn::Abs(dx), hn::Abs(dy));
  else return length(Work{}, dx, dy);
}

/// Stores a vector of results as Out at any address, saturated where Out is narrower.
template <class Out, class V>
void store_as(V value, std::byte* to) {
  const hn::DFromV<V> d;
  using Lane = hn::TFromD<decltype(d)>;
  if constexpr (sizeof(Out) == sizeof(Lane)) {
    hn::StoreU(value, d, as<Lane>(to));
  } else {
    const hn::Rebind<Out, hn::DFromV<V>> narrow;
    hn::StoreU(hn::DemoteTo(narrow, value), narrow, as<Out>(to));
  }
}

template <class Out, Result result, SobelKernel kernel, class Work>
void write_row(Rows<Work> rows, std::int64_t width, std::byte* to) {
  constexpr std::int64_t out_bytes = sizeof(Out);
  const auto step = static_cast<std::int64_t>(hn::Lanes(lanes_for<result, Work>()));
  std::int64_t x = 0;
  for (; x + step <= width; x += step) {
    store_as<Out>(compute<result, kernel>(rows, x), to + x * out_bytes);
  }
  if (x >= width) return;
  std::byte tail[HWY_MAX_BYTES];
  store_as<Out>(compute<result, kernel>(rows, x), tail);
  std::memcpy(to + x * out_bytes, tail, static_cast<std::size_t>((width - x) * out_bytes));
}

template <class Work>
using RowFunction = void (*)(Rows<Work>, std::int64_t, std::byte*);

template <SobelKernel kernel, class Work>
RowFunction<Work> row_function(const SobelOptions& options, ElementType dst) {
  switch (options.output) {
    case SobelOutput::dx: return &write_row<Work, Result::dx, kernel, Work>;
    case SobelOutput::dy: return &write_row<Work, Result::dy, kernel, Work>;
    case SobelOutput::magnitude: break;
  }
  const bool l1 = options.norm == Norm::l1;
  if constexpr (std::is_same_v<Work, std::int16_t>) {
    if (dst == ElementType::u8) {
      return l1 ? &write_row<std::uint8_t, Result::l1, kernel, Work>
                : &write_row<std::uint8_t, Result::l2, kernel, Work>;
    }
  }
  // Not negative, so that the bits of a signed and of an unsigned result are the same.
  return l1 ? &write_row<Work, Result::l1, kernel, Work>
            : &write_row<Work, Result::l2, kernel, Work>;
}

template <SobelKernel kernel, class Convert>
void sobel_strip(ConstHostView src, HostView dst, const SobelOptions& options, Convert convert,
                 std::int64_t first, std::int64_t last) {
  using Work = typename Convert::Work;
  const RowFunction<Work> write = row_function<kernel, Work>(options, dst.type());
  RowWindow<Convert> window(src, options.border, convert);
  window.fill(first - 1);
  window.fill(first);
  for (std::int64_t y = first; y < last; ++y) {
    window.fill(y + 1);
    write({window.row(y - 1), window.row(y), window.row(y + 1)}, src.width(), dst.row(y));
  }
}

template <SobelKernel kernel>
void sobel_rows_of(ConstHostView src, HostView dst, const SobelOptions& options, std::int64_t first,
                   std::int64_t last) {
  const auto strip = [&](auto convert) {
    sobel_strip<kernel>(src, dst, options, convert, first, last);
  };
  if (src.type() == ElementType::f32) strip(Widen<float, float>{});
  else if (src.type() == ElementType::u16) strip(Widen<std::uint16_t, std::int32_t>{});
  else if (src.channels() == 3) strip(Grey<3>{options.channels});
  else if (src.channels() == 4) strip(Grey<4>{options.channels});
  else strip(Widen<std::uint8_t, std::int16_t>{});
}

/// Rows [first, last) of sobel().
void sobel_rows(ConstHostView src, HostView dst, const SobelOptions& options, std::int64_t first,
                std::int64_t last) {
  switch (options.kernel) {
    case SobelKernel::sobel:
      return sobel_rows_of<SobelKernel::sobel>(src, dst, options, first, last);
    case SobelKernel::scharr:
      return sobel_rows_of<SobelKernel::scharr>(src, dst, options, first, last);
  }
}

}  // namespace
}  // namespace warpwise::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail {

HWY_EXPORT(sobel_rows);

void sobel_cpu(ConstHostView src, HostView dst, const SobelOptions& options) {
  cpu::parallel_rows(src.height(), src.row_bytes() + dst.row_bytes(), [&](auto first, auto last) {
    HWY_DYNAMIC_DISPATCH(sobel_rows)(src, dst, options, first, last);
  });
}

}  // namespace warpwise::detail
#endif
