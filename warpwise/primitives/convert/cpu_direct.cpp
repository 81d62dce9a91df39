#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/convert/cpu_direct.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/cpu_layouts-inl.hpp"
#include "warpwise/primitives/convert/cpu_transforms-inl.hpp"
#include "warpwise/primitives/convert/narrow.hpp"

// The most common conversions need no planes in memory: a vector of pixels is loaded, transformed
// in registers and stored. Sources, transforms and destinations are types. Formats that differ only
// in the order of bytes share a type and differ in their tables of byte positions.

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::convert {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
bool convert_rows_direct(const ConstHostFrame&, const HostFrame&, const Narrow&, std::int64_t,
                         std::int64_t) {
  return false;
}
#else

/// Buffer for the end of a row, where whole steps would read or write past the caller's memory.
struct Ends {
  static constexpr std::int64_t bytes = 2 * step_pixels * 4 + 64;
  std::uint8_t in[3][bytes];
  std::uint8_t out[3][bytes];
};

template <class Planes>
HWY_INLINE Planes advanced(Planes planes, const std::array<int, 3>& bytes_of_two, std::int64_t x) {
  for (int p = 0; p < 3; ++p) {
    if (bytes_of_two[p] != 0) planes[p] += bytes_of_two[p] * (x / 2);
  }
  return planes;
}

/// Converts pixels [first, end) step by step. Takes all constants by value, so that the compiler
/// knows that stores do not change them.
template <bool past_caches, class Source, class Transform, class Destination>
HWY_INLINE void convert_steps(const Source source, const Transform transform,
                              const Destination destination, const From from, const To to,
                              std::int64_t first, std::int64_t end) {
  for (std::int64_t x = first; x < end; x += step_pixels) {
    const From at = advanced(from, Source::bytes_of_two, x);
    destination.template store<past_caches>(transform(source.load(at)),
                                            advanced(to, Destination::bytes_of_two, x));
  }
}

/// Returns the number of pixels before the first aligned store; 0 if no store is aligned.
template <class Destination>
HWY_INLINE std::int64_t unaligned_pixels(const To& to) {
  const auto missing = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to[0]) %
                                                 static_cast<std::uintptr_t>(step_pixels));
  // Must be even, because two pixels may share their chroma.
  return missing % (2 * Destination::aligned_bytes) == 0 ? missing / Destination::aligned_bytes : 0;
}

/// Stores bypass the caches if the destination has more bytes than this. That was faster at 48 MiB
/// on an EPYC with 32 MiB of third-level cache. The limit itself is a choice, not a measurement.
constexpr std::int64_t past_caches_bytes = std::int64_t{24} << 20;

/// Least number of steps in a row at which aligned stores gain more than the aligning step costs.
constexpr std::int64_t least_aligned_steps = 32;

/// Converts all whole steps of a row before `width`, with aligned stores if that pays. Returns the
/// index of the pixel after the last step.
template <class Source, class Transform, class Destination>
HWY_INLINE std::int64_t convert_whole_steps(const Source& source, const Transform& transform,
                                            const Destination& destination, const From& from,
                                            const To& to, std::int64_t width, bool past_caches) {
  std::int64_t head = 0;
  if constexpr (Destination::aligned_bytes > 0) {
    if (past_caches || width >= least_aligned_steps * step_pixels) {
      head = unaligned_pixels<Destination>(to);
    }
    if (width - head < step_pixels) head = 0;
    if (head > 0) convert_steps<false>(source, transform, destination, from, to, 0, 1);
  }
  const std::int64_t end = head + (width - head) / step_pixels * step_pixels;
  if constexpr (Destination::aligned_bytes > 0) {
    const auto aligned = [&](int p) {
      const auto* const at = to[p] + head * Destination::aligned_bytes;
      return Destination::bytes_of_two[p] == 0 ||
             reinterpret_cast<std::uintptr_t>(at) % step_pixels == 0;
    };
    if (past_caches && aligned(0) && aligned(1)) {
      convert_steps<true>(source, transform, destination, from, to, head, end);
      return end;
    }
  }
  convert_steps<false>(source, transform, destination, from, to, head, end);
  return end;
}

/// Converts the part of a row that steps can convert without leaving its `width` pixels. Returns
/// the index of the pixel after that part.
template <class Source, class Transform, class Destination>
HWY_INLINE std::int64_t convert_inner(const Source& source, const Transform& transform,
                                      const Destination& destination, const From& from,
                                      const To& to, std::int64_t width, bool past_caches) {
  constexpr std::int64_t slack = std::max(Source::slack, Destination::slack);
  if (width - slack < step_pixels) return 0;
  const std::int64_t end =
      convert_whole_steps(source, transform, destination, from, to, width - slack, past_caches);
  // One more step at the row's end converts the rest, and some pixels twice. That is harmless,
  // because the frames do not overlap.
  if (slack > 0 || end == width || width % 2 != 0) return end;
  convert_steps<false>(source, transform, destination, from, to, width - step_pixels, width);
  return width;
}

struct Rows {
  std::int64_t first, last;
  bool past_caches;  ///< true if the image is too large for the caches
};

template <class Source, class Transform, class Destination>
bool convert_rows_as(const ConstHostFrame& src, const HostFrame& dst, const Source& source,
                     const Transform& transform, const Destination& destination, const Rows& rows) {
  Ends ends;
  bool cleared = false;  // cleared only when needed: clearing takes as long as several short rows
  const int src_planes = plane_count(src.format()), dst_planes = plane_count(dst.format());
  for (std::int64_t y = rows.first; y < rows.last; ++y) {
    From from{};
    To to{};
    for (int p = 0; p < src_planes; ++p) {
      // In the formats with chroma planes that come here, these planes have half the rows.
      from[p] = reinterpret_cast<const std::uint8_t*>(src.row(p, p == 0 ? y : y / 2));
    }
    for (int p = 0; p < dst_planes; ++p) {
      to[p] = reinterpret_cast<std::uint8_t*>(dst.row(p, y));
    }
    if constexpr (Source::rows == 2) {
      // With an odd number of rows the last one is converted twice, into the same place.
      if (y % 2 == 0 && y + 1 < rows.last) ++y;
      from[2] = reinterpret_cast<const std::uint8_t*>(src.row(0, y));
      to[1] = reinterpret_cast<std::uint8_t*>(dst.row(0, y));
    }
    const std::int64_t inner =
        convert_inner(source, transform, destination, from, to, src.width(), rows.past_caches);
    const std::int64_t rest = src.width() - inner;
    if (rest == 0) continue;
    const From from_rest = advanced(from, Source::bytes_of_two, inner);
    const To to_rest = advanced(to, Destination::bytes_of_two, inner);
    const auto bytes_of = [&](PixelFormat format, int p) {
      const int plane = p < plane_count(format) ? p : 0;
      return static_cast<std::size_t>(plane_row_bytes(format, plane, rest));
    };
    if (!cleared) std::memset(&ends, 0, sizeof ends);
    cleared = true;
    From ends_in;
    To ends_out;
    for (int p = 0; p < 3; ++p) ends_in[p] = ends.in[p], ends_out[p] = ends.out[p];
    for (int p = 0; p < 3 && from_rest[p] != nullptr; ++p) {
      std::memcpy(ends.in[p], from_rest[p], bytes_of(src.format(), p));
    }
    convert_steps<false>(source, transform, destination, ends_in, ends_out, 0, rest);
    for (int p = 0; p < 3 && to_rest[p] != nullptr; ++p) {
      std::memcpy(to_rest[p], ends.out[p], bytes_of(dst.format(), p));
    }
  }
  if (rows.past_caches) hwy::FlushStream();
  return true;
}

bool blue_first(PixelFormat format) {
  return format == PixelFormat::bgr24 || format == PixelFormat::bgra32;
}

Layout layout_of(const ConstHostFrame& frame) {
  return {static_cast<int>(plane_row_bytes(frame.format(), 0, 1)), blue_first(frame.format())};
}

template <class Transform, class Numbers>
bool encode_rows(const ConstHostFrame& src, const HostFrame& dst, const Numbers& numbers,
                 const Rows& rows) {
  const bool cr_first = dst.format() == PixelFormat::ycrcb24;
  const Transform transform(numbers, {0, cr_first ? 2 : 1, cr_first ? 1 : 2}, layout_of(src));
  const auto from = [&](const auto& source) {
    switch (dst.format()) {
      case PixelFormat::ycbcr32:
        return convert_rows_as(src, dst, source, transform, Packed<4>(), rows);
      case PixelFormat::ycrcb24:
        return convert_rows_as(src, dst, source, transform, Packed<3>(), rows);
      case PixelFormat::i444:
        return convert_rows_as(src, dst, source, transform, Planar<3>(), rows);
      default: return false;
    }
  };
  switch (src.format()) {
    case PixelFormat::rgb24:
    case PixelFormat::bgr24: return from(PackedRgb<3>());
    case PixelFormat::rgba32:
    case PixelFormat::bgra32: return from(PackedRgb<4>());
    default: return false;
  }
}

bool convert_rows(const ConstHostFrame& src, const HostFrame& dst, const NarrowEncode& numbers,
                  const Rows& rows) {
  if (dst.format() != PixelFormat::gray8) {
    return encode_rows<Encode16>(src, dst, numbers, rows);
  }
  const Layout layout = layout_of(src);
  switch (layout.bytes) {
    case 3:
      return convert_rows_as(src, dst, PackedRgb<3>(), Encode16(numbers, {0, 1, 2}, layout),
                             Planar<1>(), rows);
    case 4:
      return convert_rows_as(src, dst, PackedRgb<4>(), Luma16(numbers, layout), Planar<1>(), rows);
    default: return false;
  }
}

bool convert_rows(const ConstHostFrame& src, const HostFrame& dst, const FloatEncode& numbers,
                  const Rows& rows) {
  if (dst.format() != PixelFormat::gray8) {
    return encode_rows<EncodeFloat>(src, dst, numbers, rows);
  }
  const Layout layout = layout_of(src);
  const LumaFloat transform(numbers, layout);
  switch (layout.bytes) {
    case 3: return convert_rows_as(src, dst, PackedRgb<3>(), transform, Planar<1>(), rows);
    case 4: return convert_rows_as(src, dst, PackedRgb<4>(), transform, Planar<1>(), rows);
    default: return false;
  }
}

struct OneRowDestinations {
  using Three = Packed<3>;
  using Four = Packed<4>;
};
struct TwoRowsDestinations {
  using Three = TwoRowsPacked<3>;
  using Four = TwoRowsPacked<4>;
};

template <template <bool> class Transform, class Source, class Numbers>
bool decode_rows(const ConstHostFrame& src, const HostFrame& dst, const Source& source,
                 bool cb_first, const Numbers& numbers, const Rows& rows) {
  const bool b_first = blue_first(dst.format());
  const auto with = [&](const auto& transform, const auto& destination) {
    return convert_rows_as(src, dst, source, transform, destination, rows);
  };
  const auto to_bytes = [&](const auto& destination) {
    return cb_first == b_first ? with(Decode<Transform<true> >(numbers, b_first), destination)
                               : with(Decode<Transform<false> >(numbers, b_first), destination);
  };
  using Destinations =
      std::conditional_t<Source::rows == 2, TwoRowsDestinations, OneRowDestinations>;
  if (plane_row_bytes(dst.format(), 0, 1) == 4) return to_bytes(typename Destinations::Four());
  return to_bytes(typename Destinations::Three());
}

template <template <bool> class Transform, class Numbers>
bool decode_rows(const ConstHostFrame& src, const HostFrame& dst, const Numbers& numbers,
                 const Rows& rows) {
  switch (src.format()) {
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: {
      const Packed422 source(src.format() == PixelFormat::yuyv);
      return decode_rows<Transform>(src, dst, source, true, numbers, rows);
    }
    case PixelFormat::nv12:
    case PixelFormat::nv21:
      return decode_rows<Transform>(src, dst, SemiPlanar(), src.format() == PixelFormat::nv12,
                                    numbers, rows);
    default: return false;
  }
}

bool convert_rows(const ConstHostFrame& src, const HostFrame& dst, const NarrowDecode& numbers,
                  const Rows& rows) {
  return decode_rows<DecodePairs>(src, dst, numbers, rows);
}

bool convert_rows(const ConstHostFrame& src, const HostFrame& dst, const UnitDecode& numbers,
                  const Rows& rows) {
  return decode_rows<DecodeUnit>(src, dst, numbers, rows);
}

bool convert_rows(const ConstHostFrame&, const HostFrame&, std::monostate, const Rows&) {
  return false;
}

/// Returns true if rows follow one another without gaps or unused samples, and share no chroma.
template <class Frame>
bool is_gapless(const Frame& frame) {
  if (is_subsampled(frame.format()) && frame.width() % 2 != 0) return false;
  for (int p = 0; p < plane_count(frame.format()); ++p) {
    const std::int64_t row = plane_row_bytes(frame.format(), p, frame.width());
    const std::int64_t rows = plane_rows(frame.format(), p, frame.height());
    if (frame.plane(p).pitch_bytes != row || rows != frame.height()) return false;
  }
  return true;
}

/// Returns rows [first, last) of a gapless frame as one row.
template <class Frame>
Frame one_row(const Frame& frame, std::int64_t first, std::int64_t last) {
  std::array<typename Frame::Plane, 3> planes;
  for (int p = 0; p < plane_count(frame.format()); ++p) planes[p].data = frame.row(p, first);
  return Frame(frame.format(), frame.width() * (last - first), 1, planes);
}

bool convert_rows_direct(const ConstHostFrame& src, const HostFrame& dst, const Narrow& numbers,
                         std::int64_t first, std::int64_t last) {
  const bool past_caches = frame_bytes(dst.format(), dst.width(), dst.height()) > past_caches_bytes;
  const auto convert = [&](const ConstHostFrame& from, const HostFrame& to, const Rows& rows) {
    return std::visit([&](const auto& n) { return convert_rows(from, to, n, rows); }, numbers);
  };
  if (last - first > 1 && is_gapless(src) && is_gapless(dst)) {
    return convert(one_row(src, first, last), one_row(dst, first, last), {0, 1, past_caches});
  }
  return convert(src, dst, {first, last, past_caches});
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace warpwise::detail::convert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::detail::convert {

HWY_EXPORT(convert_rows_direct);

bool convert_direct(const ConstHostFrame& src, const HostFrame& dst, const Narrow& numbers,
                    std::int64_t first, std::int64_t last) {
  return HWY_DYNAMIC_DISPATCH(convert_rows_direct)(src, dst, numbers, first, last);
}

}  // namespace warpwise::detail::convert
#endif  // HWY_ONCE
