// Sources and destinations of pixels, compiled for each SIMD target: a type for each layout of
// bytes.
#if defined(WARPWISE_PRIMITIVES_CONVERT_CPU_LAYOUTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_CONVERT_CPU_LAYOUTS_INL_HPP
#undef WARPWISE_PRIMITIVES_CONVERT_CPU_LAYOUTS_INL_HPP
#else
#define WARPWISE_PRIMITIVES_CONVERT_CPU_LAYOUTS_INL_HPP
#endif

#include <array>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "warpwise/primitives/convert/cpu_bytes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::convert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Prefetches the cache lines of a later step. With hardware prefetch alone the lightest transforms
/// wait for the outer cache.
template <std::int64_t bytes>
HWY_INLINE void fetch_ahead(const std::uint8_t* from) {
  constexpr std::int64_t distance = 1280;
  hwy::Prefetch(from + distance);
  if constexpr (bytes > 64) fetch_ahead<bytes - 64>(from + 64);
}

/// Packed pixels in memory order, four to a 16-byte block.
struct Words {
  V8 part[4];
};

/// Three channels, each in block order.
struct Channels {
  V8 a, b, c;
};

/// Luma, and the chroma that two neighbours share. Cb and Cr are in alternate bytes of `chroma`.
struct SharedChroma {
  V8 luma, chroma;
};

/// Splits pixels into three channels. `gather` sorts the bytes of a block by channel.
HWY_INLINE Channels split(const Words& words, V8 gather) {
  V8 part[4];
  for (int k = 0; k < 4; ++k) part[k] = shuffle_bytes(words.part[k], gather);
  const V8 ab[2] = {lower_halves(D32(), part[0], part[1]), lower_halves(D32(), part[2], part[3])};
  const V8 c[2] = {upper_halves(D32(), part[0], part[1]), upper_halves(D32(), part[2], part[3])};
  return {lower_halves(D64(), ab[0], ab[1]), upper_halves(D64(), ab[0], ab[1]),
          lower_halves(D64(), c[0], c[1])};
}

HWY_INLINE Words join(const Channels& in, V8 fourth) {
  const V8 ab[2] = {lower_halves(D8(), in.a, in.b), upper_halves(D8(), in.a, in.b)};
  const V8 cd[2] = {lower_halves(D8(), in.c, fourth), upper_halves(D8(), in.c, fourth)};
  return {{lower_halves(D16(), ab[0], cd[0]), upper_halves(D16(), ab[0], cd[0]),
           lower_halves(D16(), ab[1], cd[1]), upper_halves(D16(), ab[1], cd[1])}};
}

/// Luma of two rows, and the chroma that they share.
struct TwoRowsOfLuma {
  V8 luma[2], chroma;
};
struct TwoRowsOfChannels {
  Channels row[2];
};

/// Positions of the channels of four pixels in a block.
struct Layout {
  int bytes;
  bool blue_first;
  constexpr std::uint8_t position(int pixel, int channel) const {
    return static_cast<std::uint8_t>(pixel * bytes + (blue_first ? 2 - channel : channel));
  }
  HWY_INLINE V8 gather() const {
    std::array<std::uint8_t, 16> table{};
    for (int i = 0; i < 16; ++i) table[i] = i < 12 ? position(i % 4, i / 4) : no_byte;
    return byte_table(table);
  }
};

/// Source of packed pixels: R G B [A] or B G R [A].
template <int bytes>
struct PackedRgb {
  static constexpr std::array<int, 3> bytes_of_two = {2 * bytes, 0, 0};
  static constexpr int rows = 1;
  /// Number of pixels beyond a step that a load may touch.
  static constexpr std::int64_t slack = bytes == 3 ? 2 : 0;

  HWY_INLINE Words load(const From& from) const {
    fetch_ahead<bytes * step_pixels>(from[0]);
    Words words;
    for (int k = 0; k < 4; ++k) {
      words.part[k] = load_blocks<4 * bytes>(D8(), from[0] + k * 4 * bytes * blocks);
    }
    return words;
  }
};

/// Source of packed 4:2:2: Y Cb Y Cr or Cb Y Cr Y.
struct Packed422 {
  static constexpr std::array<int, 3> bytes_of_two = {4, 0, 0};
  static constexpr int rows = 1;
  static constexpr std::int64_t slack = 0;
  V8 gather;

  HWY_INLINE explicit Packed422(bool luma_first) {
    std::array<std::uint8_t, 16> table{};
    for (int i = 0; i < 16; ++i) {
      table[i] = static_cast<std::uint8_t>(2 * (i % 8) + ((i < 8) == luma_first ? 0 : 1));
    }
    gather = byte_table(table);
  }

  HWY_INLINE SharedChroma load(const From& from) const {
    fetch_ahead<2 * step_pixels>(from[0]);
    const V8 first = pairs_to_block_order(hn::LoadU(D8(), from[0]));
    const V8 second = pairs_to_block_order(hn::LoadU(D8(), from[0] + step_pixels));
    const V8 a = shuffle_bytes(first, gather), b = shuffle_bytes(second, gather);
    return {lower_halves(D64(), a, b), upper_halves(D64(), a, b)};
  }
};

/// Source of 4:2:0 with a plane of luma and one of Cb Cr or Cr Cb. Addresses are those of luma's
/// first row, of chroma's row, and of luma's second row.
struct SemiPlanar {
  static constexpr std::array<int, 3> bytes_of_two = {2, 2, 2};
  static constexpr int rows = 2;
  static constexpr std::int64_t slack = 0;

  HWY_INLINE TwoRowsOfLuma load(const From& from) const {
    const auto part = [&](int p) HWY_ATTR {
      fetch_ahead<step_pixels>(from[p]);
      return to_block_order(hn::LoadU(D8(), from[p]));
    };
    return {{part(0), part(2)}, part(1)};
  }
};

// ---- Destinations
//
// `aligned_bytes` is the number of bytes of a pixel if all stores are aligned once the first one
// is. Otherwise it is 0.

/// Stores a vector. `past_caches` bypasses the caches, for data that is not read soon, and needs an
/// aligned `to`.
template <bool past_caches>
HWY_INLINE void store_bytes(V8 v, std::uint8_t* to) {
  if constexpr (past_caches) {
    hn::Stream(v, D8(), to);
  } else {
    hn::StoreU(v, D8(), to);
  }
}

/// Destination of packed pixels: four bytes with 255 in the fourth, or three bytes.
template <int bytes>
struct Packed {
  static constexpr std::array<int, 3> bytes_of_two = {2 * bytes, 0, 0};
  /// Number of pixels beyond a step that a store may touch. With three bytes a pixel, the last
  /// quarter of each vector is unused and overwritten by the next one.
  static constexpr std::int64_t slack = bytes == 3 ? (4 * blocks + 2) / 3 : 0;
  static constexpr std::int64_t aligned_bytes = bytes == 4 ? 4 : 0;
  V8 opaque, without_fourth;

  HWY_INLINE Packed() {
    opaque = hn::Set(D8(), 255);
    without_fourth =
        byte_table({0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, no_byte, no_byte, no_byte, no_byte});
  }

  template <bool past_caches>
  HWY_INLINE void store(const Words& in, const To& to) const {
    for (int k = 0; k < 4; ++k) {
      V8 part = in.part[k];
      if constexpr (bytes == 3) part = pack_twelves(shuffle_bytes(part, without_fourth));
      store_bytes<past_caches>(part, to[0] + k * 4 * bytes * blocks);
    }
  }
  template <bool past_caches>
  HWY_INLINE void store(const Channels& in, const To& to) const {
    store<past_caches>(join(in, opaque), to);
  }
};

/// Destination of two rows of Packed.
template <int bytes>
struct TwoRowsPacked : Packed<bytes> {
  static constexpr std::array<int, 3> bytes_of_two = {2 * bytes, 2 * bytes, 0};

  HWY_INLINE TwoRowsPacked() {}  // an implicit constructor would lack the SIMD target

  template <bool past_caches>
  HWY_INLINE void store(const TwoRowsOfChannels& in, const To& to) const {
    for (int row = 0; row < 2; ++row) {
      Packed<bytes>::template store<past_caches>(in.row[row], {to[row], nullptr, nullptr});
    }
  }
};

/// Destination of the first `planes` of three channels, each in a plane of its own.
template <int planes>
struct Planar {
  static constexpr std::array<int, 3> bytes_of_two = {2, planes > 1 ? 2 : 0, planes > 2 ? 2 : 0};
  static constexpr std::int64_t slack = 0;
  static constexpr std::int64_t aligned_bytes = planes == 1 ? 1 : 0;
  V8 gather;

  HWY_INLINE Planar() { gather = Layout{4, false}.gather(); }

  template <bool past_caches>
  HWY_INLINE void store(V8 only, const To& to) const {
    store_bytes<past_caches>(from_block_order(only), to[0]);
  }
  template <bool past_caches>
  HWY_INLINE void store(const Channels& in, const To& to) const {
    store<past_caches>(in.a, to);
    if constexpr (planes == 3) {
      store<past_caches>(in.b, {to[1], nullptr, nullptr});
      store<past_caches>(in.c, {to[2], nullptr, nullptr});
    }
  }
  template <bool past_caches>
  HWY_INLINE void store(const Words& in, const To& to) const {
    store<past_caches>(split(in, gather), to);
  }
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace warpwise::detail::convert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // the guard of each target
