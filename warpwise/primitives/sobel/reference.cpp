#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "warpwise/primitives/sobel/sobel.hpp"

namespace warpwise::reference {
namespace {

/// Returns the coordinate inside an axis of `size` pixels that replaces `at`; nothing for the
/// constant border.
std::optional<std::int64_t> inside(std::int64_t at, std::int64_t size, Border border) {
  if (at >= 0 && at < size) return at;
  switch (border) {
    case Border::reflect101: return size == 1 ? 0 : at < 0 ? -at : 2 * size - 2 - at;
    case Border::replicate: return std::clamp<std::int64_t>(at, 0, size - 1);
    case Border::constant: return std::nullopt;
  }
  __builtin_unreachable();
}

/// Returns the grey value of pixel (x, y), which may lie outside the image.
template <class Pixel>
Pixel grey_at(ConstHostView src, const SobelOptions& options, std::int64_t x, std::int64_t y) {
  const auto column = inside(x, src.width(), options.border);
  const auto line = inside(y, src.height(), options.border);
  if (!column || !line) return 0;
  const std::byte* row = src.row(*line);
  const std::int64_t first = *column * src.channels();
  if (src.channels() == 1) return load<Pixel>(row, first);
  const bool red_first = src.order().value_or(options.channels) == ChannelOrder::rgb;
  const int red = load<std::uint8_t>(row, first + (red_first ? 0 : 2));
  const int green = load<std::uint8_t>(row, first + 1);
  const int blue = load<std::uint8_t>(row, first + (red_first ? 2 : 0));
  return static_cast<Pixel>((9798 * red + 19235 * green + 3735 * blue + 16384) / 32768);
}

/// Returns sqrt(n) rounded half up: the largest r with (r - 1/2)² <= n, which is r(r - 1) < n for
/// n > 0.
std::int64_t rounded_root(std::int64_t n) {
  auto r = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (r * (r - 1) >= n && r > 0) --r;
  while ((r + 1) * r < n) ++r;
  return r;
}

float magnitude(float dx, float dy, Norm norm) {
  return norm == Norm::l1 ? std::abs(dx) + std::abs(dy) : std::sqrt(dx * dx + dy * dy);
}

std::int64_t magnitude(std::int64_t dx, std::int64_t dy, Norm norm) {
  return norm == Norm::l1 ? std::abs(dx) + std::abs(dy) : rounded_root(dx * dx + dy * dy);
}

template <class Number>
void store_result(HostView dst, std::int64_t x, std::int64_t y, Number value) {
  std::byte* row = dst.row(y);
  switch (dst.type()) {
    case ElementType::u8:
      return store(row, x, static_cast<std::uint8_t>(std::min<Number>(value, 255)));
    case ElementType::u16:
      return store(row, x, static_cast<std::uint16_t>(std::min<Number>(value, 65535)));
    case ElementType::i16: return store(row, x, static_cast<std::int16_t>(value));
    case ElementType::u32: return store(row, x, static_cast<std::uint32_t>(value));
    case ElementType::i32: return store(row, x, static_cast<std::int32_t>(value));
    case ElementType::f32: return store(row, x, static_cast<float>(value));
    case ElementType::f16:
    case ElementType::bf16: break;
  }
  throw InvalidArgument("sobel: no reference for a dst of " + std::string(name_of(dst.type())));
}

template <class Pixel>
void sobel_of(ConstHostView src, HostView dst, const SobelOptions& options) {
  using Number = std::conditional_t<std::is_same_v<Pixel, float>, float, std::int64_t>;
  const Number side = options.kernel == SobelKernel::sobel ? 1 : 3;
  const Number centre = options.kernel == SobelKernel::sobel ? 2 : 10;
  for (std::int64_t y = 0; y < src.height(); ++y) {
    for (std::int64_t x = 0; x < src.width(); ++x) {
      const auto p = [&](std::int64_t i, std::int64_t j) -> Number {
        return grey_at<Pixel>(src, options, x + i, y + j);
      };
      const auto smooth = [&](Number before, Number at, Number behind) -> Number {
        return centre * at + side * (before + behind);
      };
      const auto along = [&](std::int64_t j) -> Number { return p(1, j) - p(-1, j); };
      const Number dx = smooth(along(-1), along(0), along(1));
      const Number dy = smooth(p(-1, 1), p(0, 1), p(1, 1)) - smooth(p(-1, -1), p(0, -1), p(1, -1));
      switch (options.output) {
        case SobelOutput::magnitude:
          store_result(dst, x, y, magnitude(dx, dy, options.norm));
          break;
        case SobelOutput::dx: store_result(dst, x, y, dx); break;
        case SobelOutput::dy: store_result(dst, x, y, dy); break;
      }
    }
  }
}

}  // namespace

void sobel(ConstHostView src, HostView dst, const SobelOptions& options) {
  switch (src.type()) {
    case ElementType::u8: return sobel_of<std::uint8_t>(src, dst, options);
    case ElementType::u16: return sobel_of<std::uint16_t>(src, dst, options);
    case ElementType::f32: return sobel_of<float>(src, dst, options);
    case ElementType::i16:
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::f16:
    case ElementType::bf16: break;
  }
  throw InvalidArgument("sobel: no reference for a src of " + std::string(name_of(src.type())));
}

}  // namespace warpwise::reference
