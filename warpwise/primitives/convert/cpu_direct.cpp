#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warpwise/primitives/convert/cpu_direct.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/convert/narrow.hpp"

// The most common conversions, without planes in memory: a vector of pixels is loaded,
// transformed and stored from registers. Sources, transforms and destinations are types; those that
// differ by an order of bytes alone share one and differ by a table.
//
// Bytes of a channel lie in a vector in block order: its 16-byte block j holds, four by four, the
// pixels 4 (j + blocks k), k = 0 … 3, so that splitting and joining need no exchange between blocks
// and yet read and write whole vectors of packed pixels. Planes are brought to that order and back
// by one exchange of 32-bit lanes.

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::convert {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
bool convert_rows_direct(const ConstHostFrame&, const HostFrame&, const Narrow&, std::int64_t,
                         std::int64_t) {
  return false;
}
#else
namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::ScalableTag<std::int16_t>;
using DU16 = hn::ScalableTag<std::uint16_t>;
using D32 = hn::ScalableTag<std::uint32_t>;
using D64 = hn::ScalableTag<std::uint64_t>;
using DF = hn::ScalableTag<float>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using VU16 = hn::Vec<DU16>;
using V32 = hn::Vec<D32>;
using VF = hn::Vec<DF>;

/// Pixels of a step, and 16-byte blocks of a vector.
constexpr std::int64_t step_pixels = HWY_LANES(std::uint8_t);
constexpr std::int64_t blocks = step_pixels / 16;

/// Where a row, or a pixel of it, lies in each plane.
using From = std::array<const std::uint8_t*, 3>;
using To = std::array<std::uint8_t*, 3>;

// ---- Orders of bytes

/// A byte that a table of shuffle_bytes() leaves zero.
constexpr std::uint8_t no_byte = 0x80;

/// The same table for each block.
HWY_INLINE V8 byte_table(const std::array<std::uint8_t, 16>& indices) {
  return hn::LoadDup128(D8(), indices.data());
}

HWY_INLINE V8 shuffle_bytes(V8 bytes, V8 table) { return hn::TableLookupBytesOr0(bytes, table); }

/// Lane 4 j + k of the result is lane index(j, k) of v.
template <class Index>
HWY_INLINE V8 permute_lanes(V8 v, const Index& index) {
  if constexpr (blocks == 1) return v;
  alignas(64) std::uint32_t indices[4 * blocks];
  for (std::uint32_t j = 0; j < blocks; ++j) {
    for (std::uint32_t k = 0; k < 4; ++k) indices[4 * j + k] = index(j, k);
  }
  const D32 d;
  return hn::BitCast(D8(),
                     hn::TableLookupLanes(hn::BitCast(d, v), hn::SetTableIndices(d, indices)));
}

/// Groups of four bytes from the order of memory to block order.
HWY_INLINE V8 to_block_order(V8 v) {
  return permute_lanes(v, [](std::uint32_t j, std::uint32_t k) { return k * blocks + j; });
}
HWY_INLINE V8 from_block_order(V8 v) {
  return permute_lanes(v, [](std::uint32_t j, std::uint32_t k) {
    const std::uint32_t group = 4 * j + k;
    return group % blocks * 4 + group / blocks;
  });
}
/// The first or second half of a step's groups of eight bytes.
HWY_INLINE V8 pairs_to_block_order(V8 v) {
  return permute_lanes(
      v, [](std::uint32_t j, std::uint32_t k) { return 2 * (k / 2 * blocks + j) + k % 2; });
}

/// A vector whose 16-byte blocks lie stride bytes apart.
template <int stride, class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const std::uint8_t* from) {
  if constexpr (stride == 16 || D::kPrivateN == 16) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const auto lower = load_blocks<stride>(half, from);
    return hn::Combine(d, load_blocks<stride>(half, from + D::kPrivateN / 32 * stride), lower);
  }
}

/// Later blocks overwrite what earlier ones write beyond the stride.
template <int stride, class D>
HWY_INLINE void store_blocks(hn::Vec<D> v, D d, std::uint8_t* to) {
  if constexpr (stride == 16 || D::kPrivateN == 16) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    store_blocks<stride>(hn::LowerHalf(half, v), half, to);
    store_blocks<stride>(hn::UpperHalf(half, v), half, to + D::kPrivateN / 32 * stride);
  }
}

template <class D>
HWY_INLINE V8 lower_halves(D d, V8 a, V8 b) {
  return hn::BitCast(D8(), hn::InterleaveLower(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}
template <class D>
HWY_INLINE V8 upper_halves(D d, V8 a, V8 b) {
  return hn::BitCast(D8(), hn::InterleaveUpper(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}

// ---- Sources

/// Asks for the lines that a step loads, some steps ahead: hardware prefetch alone leaves the
/// lightest transforms waiting for the outer cache.
template <std::int64_t bytes>
HWY_INLINE void fetch_ahead(const std::uint8_t* from) {
  constexpr std::int64_t distance = 1280;
  hwy::Prefetch(from + distance);
  if constexpr (bytes > 64) fetch_ahead<bytes - 64>(from + 64);
}

/// Packed pixels in the order of memory, four to a 16-byte block.
struct Words {
  V8 part[4];
};

/// Three channels, each in block order.
struct Channels {
  V8 a, b, c;
};

/// Luma, and the chroma that two neighbours share in alternate bytes.
struct SharedChroma {
  V8 luma, chroma;
};

/// Three channels of pixels whose bytes `gather` sorts by channel within a block.
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

/// Where a block holds a channel of one of its four pixels.
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

/// R G B [A] or B G R [A].
template <int bytes>
struct PackedRgb {
  static constexpr std::array<int, 3> bytes_of_two = {2 * bytes, 0, 0};
  /// Pixels beyond a step that a load may touch.
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

/// Y Cb Y Cr or Cb Y Cr Y.
struct Packed422 {
  static constexpr std::array<int, 3> bytes_of_two = {4, 0, 0};
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

/// A plane of luma and one of Cb Cr or Cr Cb.
struct SemiPlanar {
  static constexpr std::array<int, 3> bytes_of_two = {2, 2, 0};
  static constexpr std::int64_t slack = 0;

  HWY_INLINE SharedChroma load(const From& from) const {
    return {to_block_order(hn::LoadU(D8(), from[0])), to_block_order(hn::LoadU(D8(), from[1]))};
  }
};

// ---- Destinations

/// Three channels and 255, or three channels.
template <int bytes>
struct Packed {
  static constexpr std::array<int, 3> bytes_of_two = {2 * bytes, 0, 0};
  static constexpr std::int64_t slack = bytes == 3 ? 2 : 0;
  V8 opaque, without_fourth;

  HWY_INLINE Packed() {
    opaque = hn::Set(D8(), 255);
    without_fourth =
        byte_table({0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, no_byte, no_byte, no_byte, no_byte});
  }

  HWY_INLINE void store(const Words& in, const To& to) const {
    for (int k = 0; k < 4; ++k) {
      const V8 part = bytes == 3 ? shuffle_bytes(in.part[k], without_fourth) : in.part[k];
      store_blocks<4 * bytes>(part, D8(), to[0] + k * 4 * bytes * blocks);
    }
  }
  HWY_INLINE void store(const Channels& in, const To& to) const { store(join(in, opaque), to); }
};

/// The first planes of three channels.
template <int planes>
struct Planar {
  static constexpr std::array<int, 3> bytes_of_two = {2, planes > 1 ? 2 : 0, planes > 2 ? 2 : 0};
  static constexpr std::int64_t slack = 0;
  V8 gather;

  HWY_INLINE Planar() { gather = Layout{4, false}.gather(); }

  HWY_INLINE void store(V8 only, const To& to) const {
    hn::StoreU(from_block_order(only), D8(), to[0]);
  }
  HWY_INLINE void store(const Channels& in, const To& to) const {
    store(in.a, to);
    if constexpr (planes == 3) {
      hn::StoreU(from_block_order(in.b), D8(), to[1]);
      hn::StoreU(from_block_order(in.c), D8(), to[2]);
    }
  }
  HWY_INLINE void store(const Words& in, const To& to) const { store(split(in, gather), to); }
};

// ---- Transforms. 16-bit lanes hold the even and the odd bytes of a vector.

HWY_INLINE VU16 even_bytes(V8 v) { return hn::And(hn::BitCast(DU16(), v), hn::Set(DU16(), 255)); }
HWY_INLINE VU16 odd_bytes(V8 v) { return hn::ShiftRight<8>(hn::BitCast(DU16(), v)); }

struct Encode16 {
  VU16 factor[3][3], offset[3];
  V8 gather;

  HWY_INLINE Encode16(const NarrowEncode& numbers, const std::array<int, 3>& order,
                      const Layout& layout) {
    gather = layout.gather();
    for (int row = 0; row < 3; ++row) {
      offset[row] = hn::Set(DU16(), numbers.offset[order[row]]);
      for (int i = 0; i < 3; ++i) {
        factor[row][i] = hn::Set(DU16(), numbers.factor[order[row]][i]);
      }
    }
  }

  HWY_INLINE VU16 sum(int row, VU16 r, VU16 g, VU16 b) const {
    const VU16 red_green = hn::Add(hn::Mul(r, factor[row][0]), hn::Mul(g, factor[row][1]));
    return hn::Add(red_green, hn::Add(hn::Mul(b, factor[row][2]), offset[row]));
  }

  HWY_INLINE Channels operator()(const Words& words) const {
    const Channels in = split(words, gather);
    const VU16 even[3] = {even_bytes(in.a), even_bytes(in.b), even_bytes(in.c)};
    const VU16 odd[3] = {odd_bytes(in.a), odd_bytes(in.b), odd_bytes(in.c)};
    const auto row = [&](int i) HWY_ATTR {
      const VU16 evens = hn::ShiftRight<8>(sum(i, even[0], even[1], even[2]));
      return hn::OddEven(hn::BitCast(D8(), sum(i, odd[0], odd[1], odd[2])),
                         hn::BitCast(D8(), evens));
    };
    return {row(0), row(1), row(2)};
  }
};

/// The first row of Encode16 alone, of pixels of four bytes, which needs no splitting. Of a pixel's
/// four bytes p, two 16-bit lanes hold p0 + 256 p1 and p2 + 256 p3, and others p1 and p3; the sums
/// of their products are right in the lower 16 bits.
struct Luma16 {
  V16 lane_factors, odd_factors;
  VU16 offset;
  V8 gather;

  HWY_INLINE Luma16(const NarrowEncode& numbers, const Layout& layout) {
    std::uint16_t factor[4] = {};
    for (int i = 0; i < 3; ++i) factor[layout.position(0, i)] = numbers.factor[0][i];
    const auto pair = [](int even, int odd) HWY_ATTR {
      return hn::BitCast(D16(),
                         hn::Set(D32(), (even & 0xffffu) | static_cast<unsigned>(odd) << 16));
    };
    lane_factors = pair(factor[0], factor[2]);
    odd_factors = pair(factor[1] - 256 * factor[0], factor[3] - 256 * factor[2]);
    offset = hn::Set(DU16(), numbers.offset[0]);
    std::array<std::uint8_t, 16> table{};
    for (int i = 0; i < 16; ++i) table[i] = static_cast<std::uint8_t>(i % 4 * 4 + i / 4);
    gather = byte_table(table);
  }

  HWY_INLINE V32 sums(V8 pixels) const {
    const hn::RebindToSigned<D32> d;
    auto rest = hn::Zero(d);
    auto sum = hn::ReorderWidenMulAccumulate(d, hn::BitCast(D16(), pixels), lane_factors,
                                             hn::Zero(d), rest);
    sum = hn::ReorderWidenMulAccumulate(d, hn::BitCast(D16(), odd_bytes(pixels)), odd_factors, sum,
                                        rest);
    return hn::BitCast(D32(), hn::RearrangeToOddPlusEven(sum, rest));
  }

  HWY_INLINE V8 operator()(const Words& in) const {
    const auto pair = [&](int a, int b) HWY_ATTR {
      const auto upper = hn::BitCast(DU16(), hn::ShiftLeft<16>(sums(in.part[b])));
      return hn::Add(hn::OddEven(upper, hn::BitCast(DU16(), sums(in.part[a]))), offset);
    };
    const V8 even = hn::BitCast(D8(), hn::ShiftRight<8>(pair(0, 2)));
    const V8 odd = hn::BitCast(D8(), pair(1, 3));
    return shuffle_bytes(hn::OddEven(odd, even), gather);
  }
};

/// 32-bit lanes hold a pixel each.
struct EncodeFloat {
  /// Added to a small number, of either sign, it rounds it to an integer: the lowest byte then.
  static constexpr float magic = 3 << 22;
  /// Its two bytes that are not zero, for which a block has room after 12 bytes of pixels or in the
  /// place of alpha.
  static constexpr std::uint8_t magic_bytes[2] = {0x40, 0x4b};

  VF first[3], last[3], offset[3], base[3];
  V8 channel[3], spare, spare_mask, lift;
  V32 magics;

  HWY_INLINE EncodeFloat(const FloatEncode& numbers, const std::array<int, 3>& order,
                         const Layout& layout) {
    for (int row = 0; row < 3; ++row) {
      first[row] = hn::Set(DF(), numbers.first[order[row]]);
      last[row] = hn::Set(DF(), numbers.last[order[row]]);
      offset[row] = hn::Set(DF(), numbers.offset[order[row]]);
      base[row] = hn::Set(DF(), magic + numbers.base[order[row]]);
    }
    const int step = layout.bytes == 3 ? 1 : 4;
    const int low = layout.bytes == 3 ? 12 : 3, high = low + step;
    std::array<std::uint8_t, 16> values{}, mask{}, lifts{};
    values[low] = magic_bytes[0], values[high] = magic_bytes[1];
    mask[low] = mask[high] = 255;
    for (const int c : {0, 1, 2}) {
      std::array<std::uint8_t, 16> table{};
      for (int pixel = 0; pixel < 4; ++pixel) {
        table[4 * pixel] = layout.position(pixel, c);
        table[4 * pixel + 1] = no_byte;
        table[4 * pixel + 2] = static_cast<std::uint8_t>(low);
        table[4 * pixel + 3] = static_cast<std::uint8_t>(high);
        if (c > 0) lifts[4 * pixel + c] = numbers.lift;
      }
      channel[c] = byte_table(table);
    }
    spare = byte_table(values);
    spare_mask = byte_table(mask);
    lift = byte_table(lifts);
    // What the magic numbers add up to once shifted, and 255 in the fourth byte.
    constexpr auto bits = std::bit_cast<std::uint32_t>(magic);
    magics = hn::Set(D32(), (0xffu << 24) - bits - (bits << 8) - (bits << 16));
  }

  HWY_INLINE V32 row(int i, VF red, VF blue, VF middle) const {
    const VF difference = hn::MulAdd(red, first[i], hn::MulAdd(blue, last[i], offset[i]));
    return hn::BitCast(D32(), hn::Add(difference, middle));
  }

  HWY_INLINE V8 pixels(V8 bytes) const {
    const V8 with_magic = hn::IfThenElse(hn::MaskFromVec(spare_mask), spare, bytes);
    const auto plus_magic = [&](int c) HWY_ATTR {
      return hn::BitCast(DF(), shuffle_bytes(with_magic, channel[c]));
    };
    const VF green = plus_magic(1);
    const VF red = hn::Sub(plus_magic(0), green), blue = hn::Sub(plus_magic(2), green);
    const V32 luma = hn::Add(row(0, red, blue, green), magics);
    const V32 second = hn::ShiftLeft<8>(row(1, red, blue, base[1]));
    const V32 third = hn::ShiftLeft<16>(row(2, red, blue, base[2]));
    return hn::SaturatedAdd(hn::BitCast(D8(), hn::Add(hn::Add(luma, second), third)), lift);
  }

  HWY_INLINE Words operator()(const Words& in) const {
    return {{pixels(in.part[0]), pixels(in.part[1]), pixels(in.part[2]), pixels(in.part[3])}};
  }
};

/// For chroma p, q: first = luma + factor[0] · p, second by p and q, third by q.
struct Decode16 {
  VU16 luma_scale;
  V16 factor[4], offset[3];

  /// The two kinds of chroma change places where R comes first.
  HWY_INLINE Decode16(const NarrowDecode& numbers, bool blue_first) {
    const auto& n = numbers;
    const std::int16_t factors[4] = {blue_first ? n.blue : n.red, n.green[blue_first ? 0 : 1],
                                     n.green[blue_first ? 1 : 0], blue_first ? n.red : n.blue};
    // 2^14 more, so that a saturating sum stays below 256 · 64 above it.
    const int zero[3] = {factors[0], factors[1] + factors[2], factors[3]};
    for (int i = 0; i < 4; ++i) factor[i] = hn::Set(D16(), factors[i]);
    for (int i = 0; i < 3; ++i) {
      offset[i] =
          hn::Set(D16(), static_cast<std::int16_t>((1 << 14) + n.luma_offset - 128 * zero[i]));
    }
    luma_scale = hn::Set(DU16(), n.luma_scale);
  }
};

/// chroma_first: p is the lower byte of a pair.
template <bool p_first>
struct DecodePairs : Decode16 {
  HWY_INLINE DecodePairs(const NarrowDecode& numbers, bool b_first) : Decode16(numbers, b_first) {}

  HWY_INLINE V16 luma_of(V8 twice) const {
    return hn::BitCast(D16(), hn::MulHigh(hn::BitCast(DU16(), twice), luma_scale));
  }

  HWY_INLINE Channels operator()(const SharedChroma& in) const {
    const D16 d;
    const V8 even_twice = byte_table({0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14});
    const V8 odd_twice = byte_table({1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15});
    const V16 even = luma_of(shuffle_bytes(in.luma, even_twice));
    const V16 odd = luma_of(shuffle_bytes(in.luma, odd_twice));
    const V16 lower = hn::BitCast(d, even_bytes(in.chroma));
    const V16 upper = hn::BitCast(d, odd_bytes(in.chroma));
    const V16 p = p_first ? lower : upper, q = p_first ? upper : lower;
    const auto channel = [&](V16 chroma) HWY_ATTR {
      const V16 least = hn::Set(d, 1 << 14);
      const V16 evens = hn::Max(hn::SaturatedAdd(even, chroma), least);
      const V16 odds = hn::Max(hn::SaturatedAdd(odd, chroma), least);
      return hn::OddEven(hn::BitCast(D8(), hn::ShiftLeft<2>(odds)),
                         hn::BitCast(D8(), hn::ShiftRight<6>(evens)));
    };
    const V16 green = hn::Add(hn::Mul(p, factor[1]), hn::Mul(q, factor[2]));
    return {channel(hn::Add(hn::Mul(p, factor[0]), offset[0])), channel(hn::Add(green, offset[1])),
            channel(hn::Add(hn::Mul(q, factor[3]), offset[2]))};
  }
};

// ---- Rows

/// Memory of the caller's that steps at the end of a row would leave is replaced by this.
struct Ends {
  static constexpr std::int64_t bytes = 2 * step_pixels * 4 + 64;
  std::uint8_t in[3][bytes] = {};
  std::uint8_t out[3][bytes] = {};
};

template <class Planes>
HWY_INLINE Planes advanced(Planes planes, const std::array<int, 3>& bytes_of_two, std::int64_t x) {
  for (int p = 0; p < 3; ++p) {
    if (bytes_of_two[p] != 0) planes[p] += bytes_of_two[p] * (x / 2);
  }
  return planes;
}

/// Constants by value: the compiler then knows that the stores do not change them.
template <class Source, class Transform, class Destination>
HWY_INLINE void convert_steps(const Source source, const Transform transform,
                              const Destination destination, const From from, const To to,
                              std::int64_t first, std::int64_t end) {
  for (std::int64_t x = first; x < end; x += step_pixels) {
    const From at = advanced(from, Source::bytes_of_two, x);
    destination.store(transform(source.load(at)), advanced(to, Destination::bytes_of_two, x));
  }
}

template <class Source, class Transform, class Destination>
bool convert_rows_as(const ConstHostFrame& src, const HostFrame& dst, const Source& source,
                     const Transform& transform, const Destination& destination, std::int64_t first,
                     std::int64_t last) {
  const std::int64_t slack = std::max(Source::slack, Destination::slack);
  const std::int64_t inner =
      std::max<std::int64_t>(0, src.width() - slack) / step_pixels * step_pixels;
  const std::int64_t rest = src.width() - inner;
  Ends ends;
  From ends_in;
  To ends_out;
  for (int p = 0; p < 3; ++p) ends_in[p] = ends.in[p], ends_out[p] = ends.out[p];
  for (std::int64_t y = first; y < last; ++y) {
    From from{};
    To to{};
    for (int p = 0; p < plane_count(src.format()); ++p) {
      // Planes of chroma of the formats at hand have half the rows.
      from[p] = reinterpret_cast<const std::uint8_t*>(src.row(p, p == 0 ? y : y / 2));
    }
    for (int p = 0; p < plane_count(dst.format()); ++p) {
      to[p] = reinterpret_cast<std::uint8_t*>(dst.row(p, y));
    }
    convert_steps(source, transform, destination, from, to, 0, inner);
    if (rest == 0) continue;
    const From from_rest = advanced(from, Source::bytes_of_two, inner);
    const To to_rest = advanced(to, Destination::bytes_of_two, inner);
    for (int p = 0; p < plane_count(src.format()); ++p) {
      const auto bytes = static_cast<std::size_t>(plane_row_bytes(src.format(), p, rest));
      std::memcpy(ends.in[p], from_rest[p], bytes);
    }
    convert_steps(source, transform, destination, ends_in, ends_out, 0, rest);
    for (int p = 0; p < plane_count(dst.format()); ++p) {
      const auto bytes = static_cast<std::size_t>(plane_row_bytes(dst.format(), p, rest));
      std::memcpy(to_rest[p], ends.out[p], bytes);
    }
  }
  return true;
}

bool blue_first(PixelFormat format) {
  return format == PixelFormat::bgr24 || format == PixelFormat::bgra32;
}

template <class Transform, class Numbers>
bool encode_rows(const ConstHostFrame& src, const HostFrame& dst, const Numbers& numbers,
                 std::int64_t first, std::int64_t last) {
  const bool cr_first = dst.format() == PixelFormat::ycrcb24;
  const Layout layout{static_cast<int>(plane_row_bytes(src.format(), 0, 1)),
                      blue_first(src.format())};
  const Transform transform(numbers, {0, cr_first ? 2 : 1, cr_first ? 1 : 2}, layout);
  const auto from = [&](const auto& source) {
    switch (dst.format()) {
      case PixelFormat::ycbcr32:
        return convert_rows_as(src, dst, source, transform, Packed<4>(), first, last);
      case PixelFormat::ycrcb24:
        return convert_rows_as(src, dst, source, transform, Packed<3>(), first, last);
      case PixelFormat::i444:
        return convert_rows_as(src, dst, source, transform, Planar<3>(), first, last);
      case PixelFormat::gray8:
        return convert_rows_as(src, dst, source, transform, Planar<1>(), first, last);
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
                  std::int64_t first, std::int64_t last) {
  const Layout layout{static_cast<int>(plane_row_bytes(src.format(), 0, 1)),
                      blue_first(src.format())};
  const bool rgb = src.format() == PixelFormat::rgba32 || src.format() == PixelFormat::bgra32;
  if (rgb && dst.format() == PixelFormat::gray8) {
    return convert_rows_as(src, dst, PackedRgb<4>(), Luma16(numbers, layout), Planar<1>(), first,
                           last);
  }
  return encode_rows<Encode16>(src, dst, numbers, first, last);
}

bool convert_rows(const ConstHostFrame& src, const HostFrame& dst, const FloatEncode& numbers,
                  std::int64_t first, std::int64_t last) {
  return encode_rows<EncodeFloat>(src, dst, numbers, first, last);
}

template <class Source>
bool decode_rows(const ConstHostFrame& src, const HostFrame& dst, const Source& source,
                 bool cb_first, const NarrowDecode& numbers, std::int64_t first,
                 std::int64_t last) {
  const bool b_first = blue_first(dst.format());
  const auto with = [&](const auto& transform) {
    if (plane_row_bytes(dst.format(), 0, 1) == 4) {
      return convert_rows_as(src, dst, source, transform, Packed<4>(), first, last);
    }
    return convert_rows_as(src, dst, source, transform, Packed<3>(), first, last);
  };
  return cb_first == b_first ? with(DecodePairs<true>(numbers, b_first))
                             : with(DecodePairs<false>(numbers, b_first));
}

bool convert_rows(const ConstHostFrame& src, const HostFrame& dst, const NarrowDecode& numbers,
                  std::int64_t first, std::int64_t last) {
  switch (src.format()) {
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: {
      const Packed422 source(src.format() == PixelFormat::yuyv);
      return decode_rows(src, dst, source, true, numbers, first, last);
    }
    case PixelFormat::nv12:
    case PixelFormat::nv21:
      return decode_rows(src, dst, SemiPlanar(), src.format() == PixelFormat::nv12, numbers, first,
                         last);
    default: return false;
  }
}

bool convert_rows(const ConstHostFrame&, const HostFrame&, std::monostate, std::int64_t,
                  std::int64_t) {
  return false;
}

/// Whether each row of a frame's planes begins where the one before ends.
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

/// Rows [first, last) of a gapless frame as one.
template <class Frame>
Frame one_row(const Frame& frame, std::int64_t first, std::int64_t last) {
  std::array<typename Frame::Plane, 3> planes;
  for (int p = 0; p < plane_count(frame.format()); ++p) planes[p].data = frame.row(p, first);
  return Frame(frame.format(), frame.width() * (last - first), 1, planes);
}

bool convert_rows_direct(const ConstHostFrame& src, const HostFrame& dst, const Narrow& numbers,
                         std::int64_t first, std::int64_t last) {
  if (last - first > 1 && is_gapless(src) && is_gapless(dst)) {
    return convert_rows_direct(one_row(src, first, last), one_row(dst, first, last), numbers, 0, 1);
  }
  return std::visit([&](const auto& n) { return convert_rows(src, dst, n, first, last); }, numbers);
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
