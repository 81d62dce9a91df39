#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/convert/cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/digits.hpp"
#include "warpwise/primitives/convert/narrow.hpp"

// Each row is processed in chunks that stay in the L1 cache. A chunk is split into planes of bytes,
// transformed, and joined into the destination. There is one loop for each source, transform and
// destination, not one for each combination. Planes are padded to whole vectors. Only
// splitting and joining, which access the caller's memory, stop at the exact end.

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::convert {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Number of pixels in a chunk. It is even, so that a chunk starts with a pixel that has a chroma
/// sample. All planes of Scratch fit the 32 KiB of an L1 cache.
constexpr std::int64_t chunk_pixels = 1024;
/// Bytes of a plane: a chunk, with room for the widest vector and for the additional chroma sample
/// that interpolation reads.
constexpr std::int64_t plane_bytes = chunk_pixels + 128;

struct Planes {
  const std::uint8_t* plane[4];
};
struct MutablePlanes {
  std::uint8_t* plane[4];
};

/// Memory for one chunk. `opaque` is the alpha for pixels without one.
struct Scratch {
  alignas(64) std::uint8_t in[4][plane_bytes] = {};
  alignas(64) std::uint8_t out[3][plane_bytes] = {};
  alignas(64) std::uint8_t packed[4][plane_bytes] = {};
  alignas(64) std::uint8_t near_chroma[2][plane_bytes] = {};
  alignas(64) std::uint8_t far_chroma[2][plane_bytes] = {};
  alignas(64) std::uint8_t opaque[plane_bytes];
  Scratch() { std::memset(opaque, 255, sizeof(opaque)); }
};

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::ScalableTag<std::int32_t>;
using D8Half = hn::Rebind<std::uint8_t, D16>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

const std::uint8_t* bytes_at(const ConstHostFrame& frame, int plane, std::int64_t y,
                             std::int64_t offset) {
  return reinterpret_cast<const std::uint8_t*>(frame.row(plane, y)) + offset;
}

/// Splits n pixels of interleaved bytes into planes.
template <int channels>
void split(const std::uint8_t* HWY_RESTRICT from, std::int64_t n, const MutablePlanes& to) {
  const D8 d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::Vec<D8> a, b, c, e;
    if constexpr (channels == 2) hn::LoadInterleaved2(d, from + 2 * i, a, b);
    if constexpr (channels == 3) hn::LoadInterleaved3(d, from + 3 * i, a, b, c);
    if constexpr (channels == 4) hn::LoadInterleaved4(d, from + 4 * i, a, b, c, e);
    hn::StoreU(a, d, to.plane[0] + i);
    hn::StoreU(b, d, to.plane[1] + i);
    if constexpr (channels >= 3) hn::StoreU(c, d, to.plane[2] + i);
    if constexpr (channels == 4) hn::StoreU(e, d, to.plane[3] + i);
  }
  for (; i < n; ++i) {
    for (int channel = 0; channel < channels; ++channel) {
      to.plane[channel][i] = from[channels * i + channel];
    }
  }
}

/// Joins n pixels from planes into interleaved bytes.
template <int channels>
void join(const Planes& from, std::int64_t n, std::uint8_t* HWY_RESTRICT to) {
  const D8 d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto a = hn::LoadU(d, from.plane[0] + i);
    const auto b = hn::LoadU(d, from.plane[1] + i);
    if constexpr (channels == 2) {
      hn::StoreInterleaved2(a, b, d, to + 2 * i);
    } else {
      const auto c = hn::LoadU(d, from.plane[2] + i);
      if constexpr (channels == 3) {
        hn::StoreInterleaved3(a, b, c, d, to + 3 * i);
      } else {
        hn::StoreInterleaved4(a, b, c, hn::LoadU(d, from.plane[3] + i), d, to + 4 * i);
      }
    }
  }
  for (; i < n; ++i) {
    for (int channel = 0; channel < channels; ++channel) {
      to[channels * i + channel] = from.plane[channel][i];
    }
  }
}

/// Interpolates 2 · samples pixels of chroma from the nearer and the farther row of 4:2:0. Reads
/// one sample beyond the last.
void upsample_linear(const std::uint8_t* near_row, const std::uint8_t* far_row,
                     std::int64_t samples, std::uint8_t* HWY_RESTRICT to) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const auto quarters_at = [&](std::int64_t i) HWY_ATTR {
    const auto near_value = hn::PromoteTo(d, hn::LoadU(d8, near_row + i));
    const auto far_value = hn::PromoteTo(d, hn::LoadU(d8, far_row + i));
    return hn::Add(hn::Add(near_value, far_value), hn::ShiftLeft<1>(near_value));
  };
  const auto half = hn::Set(d, 4);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < samples; i += lanes) {
    const auto here = quarters_at(i);
    const auto between = hn::Add(here, quarters_at(i + 1));
    const auto even = hn::ShiftRight<3>(hn::Add(hn::Add(here, here), half));
    const auto odd = hn::ShiftRight<3>(hn::Add(between, half));
    // An even and an odd pixel are the low and high byte of one 16-bit lane.
    const auto pair = hn::Or(even, hn::ShiftLeft<8>(odd));
    hn::StoreU(pair, d, reinterpret_cast<std::uint16_t*>(to + 2 * i));
  }
}

/// Loads Cb and Cr samples [first, first + samples) of one chroma row of a planar format.
void load_chroma(const ConstHostFrame& src, std::int64_t row, std::int64_t first,
                 std::int64_t samples, std::uint8_t* cb, std::uint8_t* cr) {
  if (src.format() == PixelFormat::i420) {
    std::memcpy(cb, bytes_at(src, 1, row, first), static_cast<std::size_t>(samples));
    std::memcpy(cr, bytes_at(src, 2, row, first), static_cast<std::size_t>(samples));
    return;
  }
  if (src.format() == PixelFormat::nv21) std::swap(cb, cr);
  split<2>(bytes_at(src, 1, row, 2 * first), samples, {{cb, cr, nullptr, nullptr}});
}

/// Loads Y, Cb, Cr of pixels [x, x + n) of a subsampled row into scratch.in.
void load_subsampled(const ConstHostFrame& src, ChromaUpsampling upsampling, std::int64_t y,
                     std::int64_t x, std::int64_t n, Scratch& scratch) {
  const bool packed = src.format() == PixelFormat::yuyv || src.format() == PixelFormat::uyvy;
  const bool linear = upsampling == ChromaUpsampling::linear;
  const std::int64_t samples = (n + 1) / 2;
  // Linear interpolation reads one sample to the right; at the edge it reads the last one again.
  const std::int64_t available = (src.width() + 1) / 2 - x / 2;
  const std::int64_t loaded = linear ? std::min(samples + 1, available) : samples;
  auto& near_chroma = scratch.near_chroma;
  auto& far_chroma = scratch.far_chroma;
  if (packed) {
    auto& luma = scratch.packed;
    const MutablePlanes order =
        src.format() == PixelFormat::yuyv
            ? MutablePlanes{{luma[0], near_chroma[0], luma[1], near_chroma[1]}}
            : MutablePlanes{{near_chroma[0], luma[0], near_chroma[1], luma[1]}};
    split<4>(bytes_at(src, 0, y, 2 * x), loaded, order);
    join<2>({{luma[0], luma[1], nullptr, nullptr}}, samples, scratch.in[0]);
  } else {
    std::memcpy(scratch.in[0], bytes_at(src, 0, y, x), static_cast<std::size_t>(n));
    load_chroma(src, y / 2, x / 2, loaded, near_chroma[0], near_chroma[1]);
    if (linear) {
      const std::int64_t other =
          std::clamp<std::int64_t>(y / 2 + (y % 2 == 0 ? -1 : 1), 0, (src.height() - 1) / 2);
      load_chroma(src, other, x / 2, loaded, far_chroma[0], far_chroma[1]);
    }
  }
  for (const int c : {0, 1}) {
    if (linear) {
      near_chroma[c][loaded] = near_chroma[c][loaded - 1];
      far_chroma[c][loaded] = far_chroma[c][loaded - 1];
      upsample_linear(near_chroma[c], packed ? near_chroma[c] : far_chroma[c], samples,
                      scratch.in[1 + c]);
    } else {
      join<2>({{near_chroma[c], near_chroma[c], nullptr, nullptr}}, samples, scratch.in[1 + c]);
    }
  }
}

/// Loads pixels [x, x + n) of a row and returns pointers to the planes of their channels.
Planes load_row(const ConstHostFrame& src, ChromaUpsampling upsampling, std::int64_t y,
                std::int64_t x, std::int64_t n, Scratch& scratch) {
  auto& in = scratch.in;
  const auto packed = [&](int bytes) { return bytes_at(src, 0, y, bytes * x); };
  switch (src.format()) {
    case PixelFormat::gray8:
      std::memcpy(in[0], packed(1), static_cast<std::size_t>(n));
      return {{in[0], in[0], in[0], scratch.opaque}};
    case PixelFormat::rgb24:
      split<3>(packed(3), n, {{in[0], in[1], in[2], nullptr}});
      return {{in[0], in[1], in[2], scratch.opaque}};
    case PixelFormat::bgr24:
      split<3>(packed(3), n, {{in[2], in[1], in[0], nullptr}});
      return {{in[0], in[1], in[2], scratch.opaque}};
    case PixelFormat::rgba32:
      split<4>(packed(4), n, {{in[0], in[1], in[2], in[3]}});
      return {{in[0], in[1], in[2], in[3]}};
    case PixelFormat::bgra32:
      split<4>(packed(4), n, {{in[2], in[1], in[0], in[3]}});
      return {{in[0], in[1], in[2], in[3]}};
    case PixelFormat::ycbcr32:
      split<4>(packed(4), n, {{in[0], in[1], in[2], in[3]}});
      return {{in[0], in[1], in[2], scratch.opaque}};
    default:
      load_subsampled(src, upsampling, y, x, n, scratch);
      return {{in[0], in[1], in[2], scratch.opaque}};
  }
}

void store_row(const Planes& p, const HostFrame& dst, std::int64_t y, std::int64_t x,
               std::int64_t n) {
  const auto at = [&](int plane, int bytes) {
    return reinterpret_cast<std::uint8_t*>(dst.row(plane, y)) + bytes * x;
  };
  const auto [a, b, c, alpha] = p.plane;
  switch (dst.format()) {
    case PixelFormat::rgb24: return join<3>({{a, b, c, nullptr}}, n, at(0, 3));
    case PixelFormat::bgr24: return join<3>({{c, b, a, nullptr}}, n, at(0, 3));
    case PixelFormat::ycrcb24: return join<3>({{a, c, b, nullptr}}, n, at(0, 3));
    case PixelFormat::bgra32: return join<4>({{c, b, a, alpha}}, n, at(0, 4));
    case PixelFormat::rgba32:
    case PixelFormat::ycbcr32: return join<4>(p, n, at(0, 4));
    default:
      for (int plane = 0; plane < plane_count(dst.format()); ++plane) {
        std::memcpy(at(plane, 1), p.plane[plane], static_cast<std::size_t>(n));
      }
  }
}

#if HWY_TARGET == HWY_SCALAR
// For a CPU without SSE4. Highway's vectors then have one lane, so that the products of two
// neighbouring lanes cannot be added.

/// Computes the first `rows` channels of n pixels by the map Linear (plan.hpp).
template <int rows>
void transform_linear(const Digits& digits, const Planes& in, std::int64_t n,
                      std::uint8_t (*out)[plane_bytes]) {
  const bool encode = digits.shape == Shape::encode;
  for (std::int64_t i = 0; i < n; ++i) {
    const int scaled = in.plane[encode ? 1 : 0][i] * 257 * digits.luma_scale >> 16;
    const int main = std::max(scaled - digits.luma_black, 0);
    const int zero = encode ? main : 128;
    const int u = in.plane[encode ? 0 : 1][i] - zero, v = in.plane[2][i] - zero;
    for (int row = 0; row < rows; ++row) {
      int sum = 0;
      for (int level = 2; level >= 0; --level) {
        const auto& differences = digits.differences[row][level];
        const auto& main_and_one = digits.main_and_one[row][level];
        sum = (sum >> 16) + differences.first * u + differences.second * v +
              main_and_one.first * main + main_and_one.second;
      }
      sum = (sum + digits.offset[row]) >> digits.shift;
      out[row][i] = static_cast<std::uint8_t>(std::clamp(sum, 0, 255));
    }
  }
}

/// Computes OpenCV's chroma: the difference of a channel and the luma, scaled.
void opencv_chroma(const std::uint8_t* channel, const std::uint8_t* luma, int factor,
                   std::int64_t n, std::uint8_t* HWY_RESTRICT out) {
  for (std::int64_t i = 0; i < n; ++i) {
    const int value = ((channel[i] - luma[i]) * factor + opencv_chroma_offset) >> 14;
    out[i] = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
  }
}
#else
/// Adds the products of neighbours: lane i is a[2i] · b[2i] + a[2i+1] · b[2i+1] + sum[i].
HWY_INLINE V32 add_pair_products(V16 a, V16 b, V32 sum) {
  const D32 d;
  V32 rest = hn::Zero(d);
  const V32 most = hn::ReorderWidenMulAccumulate(d, a, b, hn::Zero(d), rest);
  // Adds the sum after RearrangeToOddPlusEven(): before it, NEON has the products in another
  // order.
  return hn::Add(sum, hn::RearrangeToOddPlusEven(most, rest));
}

HWY_INLINE V16 pair_vector(Digits::Pair pair) {
  const auto low = static_cast<std::uint16_t>(pair.first);
  const auto high = static_cast<std::uint16_t>(pair.second);
  return hn::BitCast(D16(), hn::Set(hn::Repartition<std::uint32_t, D16>(),
                                    low | static_cast<std::uint32_t>(high) << 16));
}

/// Computes the first `rows` channels of n pixels by the map Linear (plan.hpp).
template <Shape shape, int rows, int levels, int shift>
void transform_linear(const Digits& digits, const Planes& in, std::int64_t n,
                      std::uint8_t (*HWY_RESTRICT out)[plane_bytes]) {
  const D16 d;
  const D32 d32;
  const hn::RebindToUnsigned<D16> du;
  const D8Half d8;
  constexpr bool encode = shape == Shape::encode;
  V16 difference_factors[rows][levels], main_factors[levels];
  V32 offset[rows][levels];
  for (int level = 0; level < levels; ++level) {
    main_factors[level] = pair_vector(digits.main_and_one[0][level]);
    for (int row = 0; row < rows; ++row) {
      difference_factors[row][level] = pair_vector(digits.differences[row][level]);
      offset[row][level] =
          hn::Set(d32, level == 0 ? digits.offset[row] : digits.main_and_one[row][level].second);
    }
  }
  const auto luma_scale = hn::Set(du, digits.luma_scale);
  const auto luma_black = hn::Set(du, digits.luma_black);
  const V16 one = hn::Set(d, 1), middle = hn::Set(d, 128);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < n; i += lanes) {
    V16 main = hn::PromoteTo(d, hn::LoadU(d8, in.plane[encode ? 1 : 0] + i));
    if constexpr (shape == Shape::decode) {
      const auto luma = hn::BitCast(du, main);
      const auto scaled = hn::MulHigh(hn::Or(luma, hn::ShiftLeft<8>(luma)), luma_scale);
      main = hn::BitCast(d, hn::SaturatedSub(scaled, luma_black));
    }
    const V16 zero = encode ? main : middle;
    const V16 u = hn::Sub(hn::PromoteTo(d, hn::LoadU(d8, in.plane[encode ? 0 : 1] + i)), zero);
    const V16 v = hn::Sub(hn::PromoteTo(d, hn::LoadU(d8, in.plane[2] + i)), zero);

    // Interleaving and packing both work within 128 bits, so packing restores the order.
    const V16 differences[2] = {hn::InterleaveLower(d, u, v), hn::InterleaveUpper(d, u, v)};
    const V16 main_and_one[2] = {hn::InterleaveLower(d, main, one),
                                 hn::InterleaveUpper(d, main, one)};
    V32 of_main[2][levels];
    for (int level = 0; level < levels; ++level) {
      const V32 start = level == 0 ? offset[0][0] : hn::Zero(d32);
      of_main[0][level] = add_pair_products(main_and_one[0], main_factors[level], start);
      of_main[1][level] = add_pair_products(main_and_one[1], main_factors[level], start);
    }
    const auto sum_of = [&](int row, int half) HWY_ATTR {
      V32 sum = hn::Zero(d32);
      for (int level = levels - 1; level >= 0; --level) {
        const bool has_main = shape == Shape::decode || row == 0;
        const V32 start = has_main ? of_main[half][level] : offset[row][level];
        if (level < levels - 1) sum = hn::Add(hn::ShiftRight<16>(sum), start);
        if (level == levels - 1) sum = start;
        sum = add_pair_products(differences[half], difference_factors[row][level], sum);
      }
      return hn::ShiftRight<shift>(sum);
    };
    const auto store_row_of = [&](int row) HWY_ATTR {
      const V16 packed = hn::ReorderDemote2To(d, sum_of(row, 0), sum_of(row, 1));
      hn::StoreU(hn::DemoteTo(d8, packed), d8, out[row] + i);
    };
    store_row_of(0);
    if constexpr (rows == 3) {
      store_row_of(1);
      store_row_of(2);
    }
  }
}

template <int rows>
void transform_linear(const Digits& digits, const Planes& in, std::int64_t n,
                      std::uint8_t (*out)[plane_bytes]) {
  switch (digits.shape) {
    case Shape::encode:
      if (digits.shift == 15) {
        return transform_linear<Shape::encode, rows, 2, 15>(digits, in, n, out);
      }
      return transform_linear<Shape::encode, rows, 2, 13>(digits, in, n, out);
    case Shape::rescale: return transform_linear<Shape::rescale, rows, 3, 13>(digits, in, n, out);
    case Shape::decode:
      if (digits.levels == 2) {
        return transform_linear<Shape::decode, rows, 2, 13>(digits, in, n, out);
      }
      return transform_linear<Shape::decode, rows, 3, 13>(digits, in, n, out);
  }
}

/// Computes OpenCV's chroma: the difference of a channel and the luma, scaled.
void opencv_chroma(const std::uint8_t* channel, const std::uint8_t* luma, int factor,
                   std::int64_t n, std::uint8_t* HWY_RESTRICT out) {
  const D16 d;
  const D8Half d8;
  const auto digit = static_cast<std::int16_t>(factor);
  const V16 factors = pair_vector({digit, static_cast<std::int16_t>(-digit)});
  const V32 offset = hn::Set(D32(), opencv_chroma_offset);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < n; i += lanes) {
    const V16 c = hn::PromoteTo(d, hn::LoadU(d8, channel + i));
    const V16 y = hn::PromoteTo(d, hn::LoadU(d8, luma + i));
    const V32 lower = add_pair_products(hn::InterleaveLower(d, c, y), factors, offset);
    const V32 upper = add_pair_products(hn::InterleaveUpper(d, c, y), factors, offset);
    const V16 packed =
        hn::ReorderDemote2To(d, hn::ShiftRight<14>(lower), hn::ShiftRight<14>(upper));
    hn::StoreU(hn::DemoteTo(d8, packed), d8, out + i);
  }
}
#endif

Planes transformed(Transform transform, const Digits& digits, PixelFormat to, const Planes& in,
                   std::int64_t n, Scratch& scratch) {
  auto& out = scratch.out;
  const Planes result{{out[0], out[1], out[2], scratch.opaque}};
  switch (transform) {
    case Transform::none: return in;
    case Transform::linear:
      if (to == PixelFormat::gray8) {
        transform_linear<1>(digits, in, n, out);
      } else {
        transform_linear<3>(digits, in, n, out);
      }
      return result;
    case Transform::opencv_ycrcb:
      transform_linear<1>(digits, in, n, out);
      opencv_chroma(in.plane[2], out[0], opencv_cb_factor, n, out[1]);
      opencv_chroma(in.plane[0], out[0], opencv_cr_factor, n, out[2]);
      return result;
  }
  __builtin_unreachable();
}

void convert_rows(const ConstHostFrame& src, const HostFrame& dst, ChromaUpsampling upsampling,
                  Transform transform, const Digits& digits, std::int64_t first,
                  std::int64_t last) {
  Scratch scratch;
  for (std::int64_t y = first; y < last; ++y) {
    for (std::int64_t x = 0; x < src.width(); x += chunk_pixels) {
      const std::int64_t n = std::min(chunk_pixels, src.width() - x);
      const Planes in = load_row(src, upsampling, y, x, n, scratch);
      store_row(transformed(transform, digits, dst.format(), in, n, scratch), dst, y, x, n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace warpwise::detail::convert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::convert {

HWY_EXPORT(convert_rows);

namespace {

/// Values that all rows of a conversion need, computed once.
struct Prepared {
  Conversion conversion;
  Transform transform;
  Digits digits;
  Narrow numbers;
};

Prepared prepare(const Conversion& conversion) {
  const Plan plan = plan_of(conversion);
  const bool from_yuv = holds_yuv(conversion.from);
  const bool to_luma = holds_yuv(conversion.to) || conversion.to == PixelFormat::gray8;
  const Digits digits = cut(plan.linear, !from_yuv ? Shape::encode
                                         : to_luma ? Shape::rescale
                                                   : Shape::decode);
  const bool shares_chroma =
      is_subsampled(conversion.from) && conversion.upsampling == ChromaUpsampling::replicate;
  const bool direct = plan.transform == Transform::linear && (shares_chroma ? !to_luma : !from_yuv);
  return {conversion, plan.transform, digits, direct ? narrow(plan.linear, !to_luma) : Narrow{}};
}

/// Returns the values for a conversion from a cache: each thread keeps those of its last call. To
/// compute them takes as long as converting a small frame, because narrow() checks all chroma
/// values. Returns a copy. While a call waits for its rows, oneTBB may start another call on its
/// thread and so replace the cached values.
Prepared prepare_once(const Conversion& conversion) {
  thread_local std::optional<Prepared> last;
  if (!last || last->conversion != conversion) last = prepare(conversion);
  return *last;
}

}  // namespace

void convert_cpu(ConstHostFrame src, HostFrame dst, const Conversion& conversion) {
  const Prepared prepared = prepare_once(conversion);
  const auto rows = HWY_DYNAMIC_DISPATCH(convert_rows);
  // A task takes pairs of rows, because two rows may share their chroma. A pair has up to 16 bytes
  // in each column: 8 in the source and 8 in the destination.
  cpu::parallel_rows((src.height() + 1) / 2, 16 * src.width(), [&](auto pair, auto last_pair) {
    const std::int64_t first = 2 * pair, last = std::min(2 * last_pair, src.height());
    if (convert_direct(src, dst, prepared.numbers, first, last)) return;
    rows(src, dst, conversion.upsampling, prepared.transform, prepared.digits, first, last);
  });
}

}  // namespace warpwise::detail::convert
#endif  // HWY_ONCE
