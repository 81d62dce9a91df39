// Vectors of bytes and their orders, compiled for each SIMD target: building blocks of the direct
// conversions.
//
// A block is 16 adjacent bytes of a vector. A vector holds the bytes of one channel in block order,
// which permutes groups of four pixels. Block j holds the groups j, j + blocks, j + 2 · blocks and
// j + 3 · blocks: with 64-byte vectors, block 0 holds the groups 0, 4, 8 and 12. In this order,
// packed pixels are split into channels, and joined, without exchanges between blocks. One
// permutation of 32-bit lanes converts a plane's bytes to block order or back.
#if defined(WARPWISE_PRIMITIVES_CONVERT_CPU_BYTES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WARPWISE_PRIMITIVES_CONVERT_CPU_BYTES_INL_HPP
#undef WARPWISE_PRIMITIVES_CONVERT_CPU_BYTES_INL_HPP
#else
#define WARPWISE_PRIMITIVES_CONVERT_CPU_BYTES_INL_HPP
#endif

#include <array>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace warpwise::detail::convert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

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

/// Number of pixels that a step converts, and number of 16-byte blocks of a vector.
constexpr std::int64_t step_pixels = HWY_LANES(std::uint8_t);
constexpr std::int64_t blocks = step_pixels / 16;

/// Addresses of a row, or of a pixel in it, in each plane.
using From = std::array<const std::uint8_t*, 3>;
using To = std::array<std::uint8_t*, 3>;

/// Index in a table of shuffle_bytes() that gives a zero byte.
constexpr std::uint8_t no_byte = 0x80;

/// Returns a vector with the same table in each block.
HWY_INLINE V8 byte_table(const std::array<std::uint8_t, 16>& indices) {
  return hn::LoadDup128(D8(), indices.data());
}

HWY_INLINE V8 shuffle_bytes(V8 bytes, V8 table) { return hn::TableLookupBytesOr0(bytes, table); }

/// Permutes 32-bit lanes: lane 4 j + k of the result is lane index(j, k) of v.
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

/// Permutes groups of four bytes from memory order to block order.
HWY_INLINE V8 to_block_order(V8 v) {
  return permute_lanes(v, [](std::uint32_t j, std::uint32_t k) { return k * blocks + j; });
}
HWY_INLINE V8 from_block_order(V8 v) {
  return permute_lanes(v, [](std::uint32_t j, std::uint32_t k) {
    const std::uint32_t group = 4 * j + k;
    return group % blocks * 4 + group / blocks;
  });
}
/// Permutes packed 4:2:2 pixels to block order; a group of four pixels has eight bytes. `v` holds
/// the first or the second half of a step's pixels.
HWY_INLINE V8 pairs_to_block_order(V8 v) {
  return permute_lanes(
      v, [](std::uint32_t j, std::uint32_t k) { return 2 * (k / 2 * blocks + j) + k % 2; });
}

/// Loads a vector whose 16-byte blocks are `stride` bytes apart in memory.
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

/// Returns the first 12 bytes of every block, packed without gaps.
HWY_INLINE V8 pack_twelves(V8 v) {
  return permute_lanes(v, [](std::uint32_t j, std::uint32_t k) {
    const std::uint32_t lane = 4 * j + k;
    return lane < 3 * blocks ? lane / 3 * 4 + lane % 3 : 0;
  });
}

template <class D>
HWY_INLINE V8 lower_halves(D d, V8 a, V8 b) {
  return hn::BitCast(D8(), hn::InterleaveLower(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}
template <class D>
HWY_INLINE V8 upper_halves(D d, V8 a, V8 b) {
  return hn::BitCast(D8(), hn::InterleaveUpper(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace warpwise::detail::convert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // the guard of each target
