// Transforms from a source's channels to a destination's, compiled for each SIMD target. One
// vector of 16-bit lanes holds the even bytes of a vector of bytes, another one the odd bytes.
#if defined(WARPWISE_PRIMITIVES_CONVERT_CPU_TRANSFORMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_CONVERT_CPU_TRANSFORMS_INL_HPP
#undef WARPWISE_PRIMITIVES_CONVERT_CPU_TRANSFORMS_INL_HPP
#else
#define WARPWISE_PRIMITIVES_CONVERT_CPU_TRANSFORMS_INL_HPP
#endif

#include <array>
#include <cstdint>

#include "warpwise/primitives/convert/cpu_bytes-inl.hpp"
#include "warpwise/primitives/convert/narrow.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::convert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

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

/// Computes only luma, the first row of Encode16. A pixel has four bytes p0 … p3, whose factors are
/// f0 … f3. They need no split into channels. The pixel's two 16-bit lanes are p0 + 256 p1 and
/// p2 + 256 p3, and are multiplied by f0 and f2. A second vector has the lanes p1 and p3, which are
/// multiplied by f1 - 256 f0 and f3 - 256 f2. The four products add up to f0 p0 + … + f3 p3. Signs
/// and overflow change only the upper bits, so that the sum's lower 16 bits are exact.
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

/// Encoding in floats: each 32-bit lane holds a pixel.
struct EncodeFloat {
  /// A small number becomes an integer if `magic` is added: the addition rounds it. The lowest byte
  /// of the sum's bits is that integer.
  static constexpr float magic = 3 << 22;
  /// The two nonzero bytes of `magic`. They are written to unused bytes of each 16-byte block:
  /// after four pixels of three bytes, or in the place of alpha. A single shuffle then combines a
  /// channel's byte with them to the float `magic` + channel.
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
    // The three results of a pixel are added, shifted by 0, 8 and 16 bits. `magics` removes the
    // bits of `magic` from this sum, and makes the fourth byte 255.
    constexpr auto bits = std::bit_cast<std::uint32_t>(magic);
    magics = hn::Set(D32(), (0xffu << 24) - bits - (bits << 8) - (bits << 16));
  }

  HWY_INLINE V32 row(int i, VF red, VF blue, VF middle) const {
    const VF difference = hn::MulAdd(red, first[i], hn::MulAdd(blue, last[i], offset[i]));
    return hn::BitCast(D32(), hn::Add(difference, middle));
  }

  /// `green` has the magic number added to it; `red` and `blue` are differences from green.
  struct Differences {
    VF red, green, blue;
  };
  HWY_INLINE Differences differences(V8 bytes) const {
    const V8 with_magic = hn::IfThenElse(hn::MaskFromVec(spare_mask), spare, bytes);
    const auto plus_magic = [&](int c) HWY_ATTR {
      return hn::BitCast(DF(), shuffle_bytes(with_magic, channel[c]));
    };
    const VF green = plus_magic(1);
    return {hn::Sub(plus_magic(0), green), green, hn::Sub(plus_magic(2), green)};
  }

  HWY_INLINE V8 pixels(V8 bytes) const {
    const auto [red, green, blue] = differences(bytes);
    const V32 luma = hn::Add(row(0, red, blue, green), magics);
    const V32 second = hn::ShiftLeft<8>(row(1, red, blue, base[1]));
    const V32 third = hn::ShiftLeft<16>(row(2, red, blue, base[2]));
    return hn::SaturatedAdd(hn::BitCast(D8(), hn::Add(hn::Add(luma, second), third)), lift);
  }

  HWY_INLINE Words operator()(const Words& in) const {
    return {{pixels(in.part[0]), pixels(in.part[1]), pixels(in.part[2]), pixels(in.part[3])}};
  }
};

/// Computes only luma, the first row of EncodeFloat.
struct LumaFloat : EncodeFloat {
  V32 without_magics;
  V8 gather;

  HWY_INLINE LumaFloat(const FloatEncode& numbers, const Layout& layout)
      : EncodeFloat(numbers, {0, 1, 2}, layout) {
    // The luma of four pixels is added into one word, shifted by 0, 8, 16 and 24 bits.
    // `without_magics` removes the bits of `magic` from this sum.
    constexpr auto bits = std::bit_cast<std::uint32_t>(magic);
    without_magics = hn::Set(D32(), 0u - bits - (bits << 8) - (bits << 16) - (bits << 24));
    std::array<std::uint8_t, 16> table{};
    for (int i = 0; i < 16; ++i) table[i] = static_cast<std::uint8_t>(i % 4 * 4 + i / 4);
    gather = byte_table(table);
  }

  HWY_INLINE V32 luma(V8 bytes) const {
    const auto [red, green, blue] = differences(bytes);
    return row(0, red, blue, green);
  }

  HWY_INLINE V8 operator()(const Words& in) const {
    const V32 even = hn::Add(luma(in.part[0]), hn::ShiftLeft<16>(luma(in.part[2])));
    const V32 odd = hn::Add(luma(in.part[1]), hn::ShiftLeft<16>(luma(in.part[3])));
    const V32 sum = hn::Add(hn::Add(even, hn::ShiftLeft<8>(odd)), without_magics);
    return shuffle_bytes(hn::BitCast(D8(), sum), gather);
  }
};

/// Constants of decoding in 16 bits. p and q are the two chroma samples: p is Cb and q is Cr if the
/// first channel is blue; otherwise p is Cr and q is Cb. The first channel is luma + factor[0] · p,
/// the second luma + factor[1] · p + factor[2] · q, and the third luma + factor[3] · q.
struct Decode16 {
  VU16 luma_scale;
  V16 factor[4], offset[3];

  HWY_INLINE Decode16(const NarrowDecode& numbers, bool blue_first) {
    const auto& n = numbers;
    const std::int16_t factors[4] = {blue_first ? n.blue : n.red, n.green[blue_first ? 0 : 1],
                                     n.green[blue_first ? 1 : 0], blue_first ? n.red : n.blue};
    // Sums have units of 1/64, and the offsets are raised by 2^14. A saturating addition stops at
    // 2^15 - 1 = 2^14 + 256 · 64 - 1, which limits the channel to 255.
    const int zero[3] = {factors[0], factors[1] + factors[2], factors[3]};
    for (int i = 0; i < 4; ++i) factor[i] = hn::Set(D16(), factors[i]);
    for (int i = 0; i < 3; ++i) {
      offset[i] =
          hn::Set(D16(), static_cast<std::int16_t>((1 << 14) + n.luma_offset - 128 * zero[i]));
    }
    luma_scale = hn::Set(DU16(), n.luma_scale);
  }
};

/// Decoding by the numbers of NarrowDecode. A 16-bit lane of chroma holds a pair of p and q (see
/// Decode16). If `p_first`, p is the lower byte.
template <bool p_first>
struct DecodePairs : Decode16 {
  HWY_INLINE DecodePairs(const NarrowDecode& numbers, bool b_first) : Decode16(numbers, b_first) {}

  HWY_INLINE V16 luma_of(V8 twice) const {
    return hn::BitCast(D16(), hn::MulHigh(hn::BitCast(DU16(), twice), luma_scale));
  }

  /// Chroma's contributions to the three channels.
  struct Terms {
    V16 of[3];
  };
  HWY_INLINE Terms terms(V8 chroma) const {
    const V16 lower = hn::BitCast(D16(), even_bytes(chroma));
    const V16 upper = hn::BitCast(D16(), odd_bytes(chroma));
    const V16 p = p_first ? lower : upper, q = p_first ? upper : lower;
    const V16 second = hn::Add(hn::Mul(p, factor[1]), hn::Mul(q, factor[2]));
    return {{hn::Add(hn::Mul(p, factor[0]), offset[0]), hn::Add(second, offset[1]),
             hn::Add(hn::Mul(q, factor[3]), offset[2])}};
  }

  HWY_INLINE Channels channels(V8 luma, const Terms& terms) const {
    const D16 d;
    const V8 even_twice = byte_table({0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14});
    const V8 odd_twice = byte_table({1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15});
    const V16 even = luma_of(shuffle_bytes(luma, even_twice));
    const V16 odd = luma_of(shuffle_bytes(luma, odd_twice));
    const auto channel = [&](V16 term) HWY_ATTR {
      const V16 least = hn::Set(d, 1 << 14);
      const V16 evens = hn::Max(hn::SaturatedAdd(even, term), least);
      const V16 odds = hn::Max(hn::SaturatedAdd(odd, term), least);
      return hn::OddEven(hn::BitCast(D8(), hn::ShiftLeft<2>(odds)),
                         hn::BitCast(D8(), hn::ShiftRight<6>(evens)));
    };
    return {channel(terms.of[0]), channel(terms.of[1]), channel(terms.of[2])};
  }
};

/// Decoding by the numbers of UnitDecode: adds to luma an integer that depends on chroma alone. The
/// integer of the first channel depends on p (see Decode16), that of the third on q, and that of
/// the second on both.
template <bool p_first>
struct DecodeUnit {
  V16 whole[2], factor[2], centre_and_bias[2], rounding[2];
  V16 green_high, green_low;
  hn::Vec<hn::RebindToSigned<D32>> green_high_offset, green_low_offset;

  HWY_INLINE DecodeUnit(const UnitDecode& numbers, bool blue_first) {
    const UnitDecode::Term terms[2] = {blue_first ? numbers.blue : numbers.red,
                                       blue_first ? numbers.red : numbers.blue};
    for (int i = 0; i < 2; ++i) {
      whole[i] = hn::Set(D16(), terms[i].whole);
      factor[i] = hn::Set(D16(), terms[i].factor);
      centre_and_bias[i] = hn::Set(D16(), static_cast<std::int16_t>(terms[i].bias - 0x8000));
      rounding[i] = hn::Set(D16(), terms[i].rounding);
    }
    // Cb is the lower byte of a pair if p_first and blue_first agree.
    const int lower = p_first == blue_first ? 0 : 1;
    const auto pair = [lower](const std::int16_t(&of)[2]) HWY_ATTR {
      const auto bits = static_cast<std::uint16_t>(of[lower]) |
                        static_cast<std::uint32_t>(static_cast<std::uint16_t>(of[1 - lower])) << 16;
      return hn::BitCast(D16(), hn::Set(D32(), bits));
    };
    const hn::RebindToSigned<D32> d32;
    green_high = pair(numbers.green_high);
    green_low = pair(numbers.green_low);
    green_high_offset = hn::Set(d32, numbers.green_high_offset);
    green_low_offset = hn::Set(d32, numbers.green_low_offset);
  }

  /// Computes the UnitDecode::Term of p (i = 0) or q (i = 1). Each lane of `shifted` holds the
  /// sample in its upper byte and zero in its lower byte.
  HWY_INLINE V16 term(int i, VU16 shifted) const {
    const V16 centred = hn::Xor(hn::BitCast(D16(), shifted), centre_and_bias[i]);
    const V16 part = hn::ShiftRight<8>(hn::Add(hn::MulHigh(centred, factor[i]), rounding[i]));
    return hn::Add(hn::Mul(hn::ShiftRight<8>(centred), whole[i]), part);
  }

  HWY_INLINE auto green_sums(V16 pairs) const {
    const hn::RebindToSigned<D32> d;
    const auto sum = [&](V16 factors, auto start) HWY_ATTR {
      auto rest = hn::Zero(d);
      const auto most = hn::ReorderWidenMulAccumulate(d, pairs, factors, hn::Zero(d), rest);
      // Adds `start` after RearrangeToOddPlusEven(): before it, NEON has another order of lanes.
      return hn::Add(start, hn::RearrangeToOddPlusEven(most, rest));
    };
    const auto low = hn::ShiftRight<16>(sum(green_low, green_low_offset));
    return hn::ShiftRight<15>(sum(green_high, hn::Add(low, green_high_offset)));
  }

  /// Numbers that two neighbours add to their luma (`up`) and subtract from it (`down`); one of the
  /// two is zero.
  struct Terms {
    V8 up[3], down[3];
  };
  HWY_INLINE Terms terms(V8 chroma) const {
    const VU16 pairs = hn::BitCast(DU16(), chroma);
    const VU16 lower = hn::ShiftLeft<8>(pairs);
    const VU16 upper = hn::AndNot(hn::Set(DU16(), 255), pairs);
    const V16 bytes[2] = {hn::BitCast(D16(), even_bytes(chroma)),
                          hn::BitCast(D16(), odd_bytes(chroma))};
    const V16 second =
        hn::ReorderDemote2To(D16(), green_sums(hn::InterleaveLower(D16(), bytes[0], bytes[1])),
                             green_sums(hn::InterleaveUpper(D16(), bytes[0], bytes[1])));
    const V16 of[3] = {term(0, p_first ? lower : upper), second, term(1, p_first ? upper : lower)};
    const auto twice = [](V16 v)
                           HWY_ATTR { return hn::BitCast(D8(), hn::Or(v, hn::ShiftLeft<8>(v))); };
    Terms terms;
    for (int i = 0; i < 3; ++i) {
      const V16 up = hn::Max(of[i], hn::Zero(D16()));
      terms.up[i] = twice(up);
      terms.down[i] = twice(hn::Sub(up, of[i]));
    }
    return terms;
  }

  HWY_INLINE Channels channels(V8 luma, const Terms& terms) const {
    const auto channel = [&](int i) HWY_ATTR {
      return hn::SaturatedSub(hn::SaturatedAdd(luma, terms.up[i]), terms.down[i]);
    };
    return {channel(0), channel(1), channel(2)};
  }
};

/// Decoding that computes chroma's contributions once for all pixels that share them.
template <class Terms>
struct Decode : Terms {
  template <class Numbers>
  HWY_INLINE Decode(const Numbers& numbers, bool blue_first) : Terms(numbers, blue_first) {}

  HWY_INLINE Channels operator()(const SharedChroma& in) const {
    return Terms::channels(in.luma, Terms::terms(in.chroma));
  }
  HWY_INLINE TwoRowsOfChannels operator()(const TwoRowsOfLuma& in) const {
    const auto terms = Terms::terms(in.chroma);
    return {{Terms::channels(in.luma[0], terms), Terms::channels(in.luma[1], terms)}};
  }
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace warpwise::detail::convert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // the guard of each target
