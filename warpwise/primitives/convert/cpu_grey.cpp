#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/convert/cpu_grey.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cstring>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/convert/grey_backends.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::convert {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Computes a vector of grey of 16-bit pixels. The sums are below 2^31, because the weights' sum is
/// 2^15.
struct GreyOfU16 {
  using Pixel = std::uint16_t;
  using Wide = hn::ScalableTag<std::uint32_t>;
  using Pixels = hn::Rebind<Pixel, Wide>;
  using V = hn::Vec<Pixels>;

  V operator()(V red, V green, V blue) const {
    const Wide d;
    const auto times = [&](V colour, std::uint32_t weight) {
      return hn::Mul(hn::PromoteTo(d, colour), hn::Set(d, weight));
    };
    const auto sum = hn::Add(hn::Add(times(red, 9798), times(green, 19235)),
                             hn::Add(times(blue, 3735), hn::Set(d, 1U << 14)));
    return hn::TruncateTo(Pixels(), hn::ShiftRight<15>(sum));
  }
};

struct GreyOfF32 {
  using Pixel = float;
  using Pixels = hn::ScalableTag<float>;
  using V = hn::Vec<Pixels>;

  V operator()(V red, V green, V blue) const {
    const Pixels d;
    const auto two = hn::Add(hn::Mul(red, hn::Set(d, 0.299F)), hn::Mul(green, hn::Set(d, 0.587F)));
    return hn::Add(two, hn::Mul(blue, hn::Set(d, 0.114F)));
  }
};

template <int channels, class Grey>
void grey_row(const std::byte* src, std::byte* dst, std::int64_t width, bool blue_first,
              Grey grey) {
  using Pixel = Grey::Pixel;
  const typename Grey::Pixels d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto vector = [&](const std::byte* from, std::byte* to) {
    const auto* colours = reinterpret_cast<const Pixel*>(from);
    auto red = hn::Zero(d), green = hn::Zero(d), blue = hn::Zero(d), ignored = hn::Zero(d);
    if constexpr (channels == 3) hn::LoadInterleaved3(d, colours, red, green, blue);
    if constexpr (channels == 4) hn::LoadInterleaved4(d, colours, red, green, blue, ignored);
    const auto result = blue_first ? grey(blue, green, red) : grey(red, green, blue);
    hn::StoreU(result, d, reinterpret_cast<Pixel*>(to));
  };
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(Pixel));
  std::int64_t x = 0;
  for (; x + lanes <= width; x += lanes) vector(src + x * channels * bytes, dst + x * bytes);
  if (x >= width) return;
  // The memory may end with this row, so its last pixels go through buffers of a vector's size.
  std::byte from[HWY_MAX_BYTES * 4] = {};
  std::byte to[HWY_MAX_BYTES];
  std::memcpy(from, src + x * channels * bytes,
              static_cast<std::size_t>((width - x) * channels * bytes));
  vector(from, to);
  std::memcpy(dst + x * bytes, to, static_cast<std::size_t>((width - x) * bytes));
}

template <class Grey>
void rows_of(ConstHostView src, HostView dst, Grey grey) {
  const bool blue_first = src.order() == ChannelOrder::bgr;
  for (std::int64_t y = 0; y < dst.height(); ++y) {
    if (src.channels() == 3) {
      grey_row<3>(src.row(y), dst.row(y), dst.width(), blue_first, grey);
    } else {
      grey_row<4>(src.row(y), dst.row(y), dst.width(), blue_first, grey);
    }
  }
}

void grey_rows(ConstHostView src, HostView dst) {
  if (src.type() == ElementType::u16) return rows_of(src, dst, GreyOfU16());
  rows_of(src, dst, GreyOfF32());
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace warpwise::detail::convert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::convert {

HWY_EXPORT(grey_rows);

void grey_cpu(ConstHostView src, HostView dst) {
  cpu::parallel_rows(dst.height(), src.row_bytes() + dst.row_bytes(), [&](auto begin, auto end) {
    HWY_DYNAMIC_DISPATCH(grey_rows)
    (src.sub_view(0, begin, src.width(), end - begin),
     dst.sub_view(0, begin, dst.width(), end - begin));
  });
}

}  // namespace warpwise::detail::convert
#endif
