#include <algorithm>
#include <array>
#include <cmath>

#include "warpwise/primitives/convert/plan.hpp"
#include "warpwise/primitives/shared/pixel.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise::reference {
namespace {

using detail::convert::Conversion;

/// R, G, B or Y, Cb, Cr, and alpha.
struct Pixel {
  std::int64_t a, b, c;
  std::int64_t alpha = 255;
};

std::int64_t saturated(std::int64_t value) { return std::clamp<std::int64_t>(value, 0, 255); }
Pixel saturated(const Pixel& p) {
  return {saturated(p.a), saturated(p.b), saturated(p.c), p.alpha};
}

// ---- Reading

std::int64_t byte_at(const ConstHostFrame& frame, int plane, std::int64_t y, std::int64_t x) {
  return std::to_integer<std::int64_t>(frame.row(plane, y)[x]);
}

/// Returns chroma sample (x, y) of a subsampled frame: Cb for which = 0, Cr for 1.
std::int64_t chroma_sample(const ConstHostFrame& frame, int which, std::int64_t x, std::int64_t y) {
  switch (frame.format()) {
    case PixelFormat::yuyv: return byte_at(frame, 0, y, 4 * x + 1 + 2 * which);
    case PixelFormat::uyvy: return byte_at(frame, 0, y, 4 * x + 2 * which);
    case PixelFormat::nv12: return byte_at(frame, 1, y, 2 * x + which);
    case PixelFormat::nv21: return byte_at(frame, 1, y, 2 * x + 1 - which);
    default: return byte_at(frame, 1 + which, y, x);
  }
}

std::int64_t chroma_at(const ConstHostFrame& frame, ChromaUpsampling upsampling, int which,
                       std::int64_t x, std::int64_t y) {
  const bool packed = frame.format() == PixelFormat::yuyv || frame.format() == PixelFormat::uyvy;
  const std::int64_t column = x / 2;
  const std::int64_t row = packed ? y : y / 2;
  if (upsampling == ChromaUpsampling::replicate) return chroma_sample(frame, which, column, row);
  const std::int64_t next_column = std::min(column + x % 2, (frame.width() - 1) / 2);
  // In 4:2:0 a sample lies between two rows of luma. The second nearest sample is above even rows
  // and below odd ones.
  const std::int64_t other_row =
      packed ? y
             : std::clamp<std::int64_t>(row + (y % 2 == 0 ? -1 : 1), 0, (frame.height() - 1) / 2);
  const std::int64_t eighths = 3 * chroma_sample(frame, which, column, row) +
                               3 * chroma_sample(frame, which, next_column, row) +
                               chroma_sample(frame, which, column, other_row) +
                               chroma_sample(frame, which, next_column, other_row);
  return (eighths + 4) / 8;
}

Pixel read(const ConstHostFrame& frame, ChromaUpsampling upsampling, std::int64_t x,
           std::int64_t y) {
  const auto at = [&](std::int64_t i) { return byte_at(frame, 0, y, i); };
  const auto with_chroma = [&](std::int64_t luma) -> Pixel {
    return {luma, chroma_at(frame, upsampling, 0, x, y), chroma_at(frame, upsampling, 1, x, y)};
  };
  switch (frame.format()) {
    case PixelFormat::gray8: return {at(x), at(x), at(x)};
    case PixelFormat::rgb24: return {at(3 * x), at(3 * x + 1), at(3 * x + 2)};
    case PixelFormat::bgr24: return {at(3 * x + 2), at(3 * x + 1), at(3 * x)};
    case PixelFormat::rgba32: return {at(4 * x), at(4 * x + 1), at(4 * x + 2), at(4 * x + 3)};
    case PixelFormat::bgra32: return {at(4 * x + 2), at(4 * x + 1), at(4 * x), at(4 * x + 3)};
    case PixelFormat::ycbcr32: return {at(4 * x), at(4 * x + 1), at(4 * x + 2)};
    case PixelFormat::yuyv: return with_chroma(at(2 * x));
    case PixelFormat::uyvy: return with_chroma(at(2 * x + 1));
    default: return with_chroma(at(x));
  }
}

void write(const HostFrame& frame, std::int64_t x, std::int64_t y, const Pixel& p) {
  const auto put = [&](int plane, std::int64_t i, std::int64_t value) {
    frame.row(plane, y)[i] = static_cast<std::byte>(value);
  };
  const auto put_all = [&](std::initializer_list<std::int64_t> values) {
    std::int64_t i = x * static_cast<std::int64_t>(values.size());
    for (const std::int64_t value : values) put(0, i++, value);
  };
  switch (frame.format()) {
    case PixelFormat::ycbcr32: return put_all({p.a, p.b, p.c, 255});
    case PixelFormat::ycrcb24: return put_all({p.a, p.c, p.b});
    case PixelFormat::gray8: return put_all({p.a});
    case PixelFormat::rgb24: return put_all({p.a, p.b, p.c});
    case PixelFormat::bgr24: return put_all({p.c, p.b, p.a});
    case PixelFormat::rgba32: return put_all({p.a, p.b, p.c, p.alpha});
    case PixelFormat::bgra32: return put_all({p.c, p.b, p.a, p.alpha});
    default:
      put(0, x, p.a);
      put(1, x, p.b);
      put(2, x, p.c);
  }
}

// ---- exact: the textbook's formula over a common denominator, with a single division

/// Divides integers below 2^53 and rounds half up. Ties are exact in double.
std::int64_t divide_half_up(std::int64_t numerator, std::int64_t denominator) {
  const double quotient = static_cast<double>(numerator) / static_cast<double>(denominator);
  return static_cast<std::int64_t>(std::floor(quotient + 0.5));
}

struct Weights {
  std::int64_t r, g, b, sum;
};

Weights weights(Matrix matrix) {
  if (matrix == Matrix::bt601) return {299, 587, 114, 1000};
  if (matrix == Matrix::bt709) return {2126, 7152, 722, 10000};
  return {2627, 6780, 593, 10000};
}

std::int64_t black(Range range) { return range == Range::full ? 0 : 16; }
std::int64_t luma_span(Range range) { return range == Range::full ? 255 : 219; }
std::int64_t chroma_span(Range range) { return range == Range::full ? 255 : 224; }

Pixel exact_to_yuv(const Pixel& rgb, Matrix matrix, Range range) {
  const Weights k = weights(matrix);
  const std::int64_t luma = k.r * rgb.a + k.g * rgb.b + k.b * rgb.c;
  const auto chroma = [&](std::int64_t channel, std::int64_t weight) {
    return 128 + divide_half_up((k.sum * channel - luma) * chroma_span(range),
                                255 * 2 * (k.sum - weight));
  };
  return {black(range) + divide_half_up(luma * luma_span(range), 255 * k.sum), chroma(rgb.c, k.b),
          chroma(rgb.a, k.r)};
}

Pixel exact_to_rgb(const Pixel& yuv, Matrix matrix, Range range) {
  const Weights k = weights(matrix);
  const std::int64_t ys = luma_span(range), cs = chroma_span(range);
  const std::int64_t y = 255 * cs * (yuv.a - black(range));
  const std::int64_t cb = 255 * ys * 2 * (k.sum - k.b) * (yuv.b - 128);
  const std::int64_t cr = 255 * ys * 2 * (k.sum - k.r) * (yuv.c - 128);
  return {divide_half_up(y * k.sum + cr, ys * cs * k.sum),
          divide_half_up(y * k.sum * k.g - k.b * cb - k.r * cr, ys * cs * k.sum * k.g),
          divide_half_up(y * k.sum + cb, ys * cs * k.sum)};
}

Pixel exact_rescale(const Pixel& yuv, Range from, Range to) {
  const auto chroma = [&](std::int64_t c) {
    return 128 + divide_half_up((c - 128) * chroma_span(to), chroma_span(from));
  };
  return {black(to) + divide_half_up((yuv.a - black(from)) * luma_span(to), luma_span(from)),
          chroma(yuv.b), chroma(yuv.c)};
}

// ---- the conventions' integer formulas, as their own projects write them

Pixel opencv_to_yuv(const Pixel& rgb) {
  const std::int64_t y = (4899 * rgb.a + 9617 * rgb.b + 1868 * rgb.c + 8192) >> 14;
  const std::int64_t delta = (128 << 14) + 8192;
  return {y, ((rgb.c - y) * 9241 + delta) >> 14, ((rgb.a - y) * 11682 + delta) >> 14};
}

Pixel opencv_to_rgb(const Pixel& yuv, Range range) {
  const std::int64_t u = yuv.b - 128, v = yuv.c - 128;
  if (range == Range::full) {
    return {yuv.a + ((v * 22987 + 8192) >> 14), yuv.a + ((-u * 5636 - v * 11698 + 8192) >> 14),
            yuv.a + ((u * 29049 + 8192) >> 14)};
  }
  const std::int64_t y = std::max<std::int64_t>(0, yuv.a - 16) * 1220542 + (1 << 19);
  return {(y + 1673527 * v) >> 20, (y - 852492 * v - 409993 * u) >> 20, (y + 2116026 * u) >> 20};
}

Pixel libyuv_to_yuv(const Pixel& rgb, Matrix matrix, Range range) {
  const auto dot = [&](std::int64_t r, std::int64_t g, std::int64_t b, std::int64_t add) {
    return (r * rgb.a + g * rgb.b + b * rgb.c + add) >> 8;
  };
  const std::int64_t half = 0x8000;
  if (matrix == Matrix::bt601 && range == Range::limited) {
    return {dot(66, 129, 25, 0x1080), dot(-38, -74, 112, half), dot(112, -94, -18, half)};
  }
  if (matrix == Matrix::bt601) {
    return {dot(77, 150, 29, 128), dot(-43, -84, 127, half + 128), dot(127, -107, -20, half + 128)};
  }
  if (range == Range::limited) {
    return {dot(47, 157, 16, 0x1080), dot(-26, -86, 112, half), dot(112, -102, -10, half)};
  }
  return {dot(54, 183, 19, 128), dot(-29, -99, 128, half), dot(128, -116, -12, half)};
}

Pixel libyuv_to_rgb(const Pixel& yuv, Matrix matrix, Range range) {
  const bool full = range == Range::full;
  const std::int64_t y = ((yuv.a * 0x0101 * (full ? 16320 : 18997)) >> 16) + (full ? 32 : -1160);
  const std::int64_t u = yuv.b - 128, v = yuv.c - 128;
  const auto rgb = [&](std::int64_t ub, std::int64_t ug, std::int64_t vg,
                       std::int64_t vr) -> Pixel {
    return {(y + vr * v) >> 6, (y - ug * u - vg * v) >> 6, (y + ub * u) >> 6};
  };
  if (matrix == Matrix::bt601) return full ? rgb(113, 22, 46, 90) : rgb(128, 25, 52, 102);
  return full ? rgb(119, 12, 30, 101) : rgb(128, 14, 34, 115);
}

/// Converts a real coefficient to libjpeg's 16 fractional bits.
std::int64_t fix(double value) { return static_cast<std::int64_t>(value * 65536 + 0.5); }

Pixel jfif_to_yuv(const Pixel& rgb) {
  const std::int64_t chroma = (128 << 16) + 32767;
  return {(fix(0.29900) * rgb.a + fix(0.58700) * rgb.b + fix(0.11400) * rgb.c + 32768) >> 16,
          (-fix(0.16874) * rgb.a - fix(0.33126) * rgb.b + fix(0.5) * rgb.c + chroma) >> 16,
          (fix(0.5) * rgb.a - fix(0.41869) * rgb.b - fix(0.08131) * rgb.c + chroma) >> 16};
}

Pixel jfif_to_rgb(const Pixel& yuv) {
  const std::int64_t cb = yuv.b - 128, cr = yuv.c - 128;
  return {yuv.a + ((fix(1.40200) * cr + 32768) >> 16),
          yuv.a + ((-fix(0.34414) * cb - fix(0.71414) * cr + 32768) >> 16),
          yuv.a + ((fix(1.77200) * cb + 32768) >> 16)};
}

Pixel to_yuv(const Pixel& rgb, const Conversion& c) {
  switch (c.convention) {
    case Convention::exact: return exact_to_yuv(rgb, c.matrix, c.to_range);
    case Convention::libyuv: return libyuv_to_yuv(rgb, c.matrix, c.to_range);
    case Convention::jfif: return jfif_to_yuv(rgb);
    case Convention::opencv:
      if (c.to != PixelFormat::gray8 || c.gray_is_luma) return opencv_to_yuv(rgb);
      return {
          opencv_grey(static_cast<int>(rgb.a), static_cast<int>(rgb.b), static_cast<int>(rgb.c)), 0,
          0};
  }
  __builtin_unreachable();
}

Pixel to_rgb(const Pixel& yuv, const Conversion& c) {
  switch (c.convention) {
    case Convention::exact: return exact_to_rgb(yuv, c.matrix, c.from_range);
    case Convention::libyuv: return libyuv_to_rgb(yuv, c.matrix, c.from_range);
    case Convention::jfif: return jfif_to_rgb(yuv);
    case Convention::opencv: return opencv_to_rgb(yuv, c.from_range);
  }
  __builtin_unreachable();
}

Pixel transformed(const Pixel& p, const Conversion& c) {
  const bool from_yuv = detail::convert::holds_yuv(c.from);
  const bool to_luma = detail::convert::holds_yuv(c.to) || c.to == PixelFormat::gray8;
  if (from_yuv && to_luma) {
    return c.from_range == c.to_range ? p : exact_rescale(p, c.from_range, c.to_range);
  }
  if (from_yuv) return to_rgb(p, c);
  return to_luma ? to_yuv(p, c) : p;
}

}  // namespace

void convert(ConstHostFrame src, HostFrame dst, const ConvertOptions& options) {
  const Conversion conversion = detail::convert::resolve(src.format(), dst.format(), options);
  detail::require_same_size("convert", src, dst);
  for (std::int64_t y = 0; y < src.height(); ++y) {
    for (std::int64_t x = 0; x < src.width(); ++x) {
      const Pixel in = read(src, options.upsampling, x, y);
      write(dst, x, y, saturated(transformed(in, conversion)));
    }
  }
}

}  // namespace warpwise::reference
