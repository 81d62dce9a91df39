// Conversions of pairs, from and to floats of 8, 6 and 4 bits, and 8-bit powers of two (ue8m0).

#include <bit>
#include <string>
#include <utility>

#include "warpwise/emulator/instructions/lanes/conversions.hpp"
#include "warpwise/emulator/instructions/lanes/narrow_floats.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

double single(std::uint32_t bits) { return std::bit_cast<float>(bits); }
double half(std::uint32_t bits) { return decode(static_cast<std::uint16_t>(bits), half_format); }

double relued(double x, FloatFlags flags) { return flags.relu != 0 && x <= 0 ? 0 : x; }

/// Returns the distance in bits between the numbers of a pair. Numbers of four bits share a byte.
/// Other numbers have a byte each.
constexpr int pitch_of(NarrowFormat format) { return format.magnitude_bits() < 4 ? 4 : 8; }

/// Narrows two numbers for each lane. The first one goes to the upper part.
template <NarrowFormat format, class Numbers>
void narrow(Warp& warp, const Operation& op, Numbers numbers) {
  const auto flags = flags_of<FloatFlags>(op);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const auto [upper, lower] = numbers(i);
    out[i] = narrow_bits(relued(upper, flags), format) << pitch_of(format) |
             narrow_bits(relued(lower, flags), format);
  }
  write_lanes(warp, op.dst, out);
}

/// Runs cvt.e4m3x2.f32 d, a, b.
template <NarrowFormat format>
void narrow_singles(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  narrow<format>(warp, op, [&](int i) { return std::pair(single(a[i]), single(b[i])); });
}

/// Runs cvt.e4m3x2.f16x2 d, a.
template <NarrowFormat format>
void narrow_halves(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  narrow<format>(warp, op, [&](int i) { return std::pair(half(a[i] >> 16), half(a[i])); });
}

/// Runs cvt.f16x2.e4m3x2 d, a. f16 holds each of these numbers exactly.
template <NarrowFormat format>
void widen(Warp& warp, const Operation& op) {
  const auto flags = flags_of<FloatFlags>(op);
  const auto* a = source<std::uint32_t>(warp, op.a);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const auto wide = [&](std::uint32_t bits) {
      return std::uint32_t{encode(relued(narrow_value(bits, format), flags), half_format)};
    };
    out[i] = wide(a[i] >> pitch_of(format)) << 16 | wide(a[i]);
  }
  write_lanes(warp, op.dst, out);
}

// ue8m0 is the exponent of a float, without its sign and fraction. 255 is NaN.
constexpr std::uint32_t scale_nan = 0xff;

/// Returns the ue8m0 code of a float's magnitude, rounded down or up to a power of two.
std::uint32_t scale_of(std::uint32_t bits, FloatFlags flags) {
  constexpr std::uint32_t infinity = 0x7f800000;
  constexpr std::uint32_t least = 0x00400000;  // 2^-127, code 0
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > infinity) return scale_nan;
  std::uint32_t code = magnitude >> 23;
  const bool is_exact = (magnitude & 0x7fffff) == 0;
  if (flags.rounding == Rounding::up && !is_exact && magnitude > least) ++code;
  return flags.finite != 0 && code == scale_nan ? scale_nan - 1 : code;
}

void scales_of_singles(Warp& warp, const Operation& op) {
  const auto flags = flags_of<FloatFlags>(op);
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) out[i] = scale_of(a[i], flags) << 8 | scale_of(b[i], flags);
  write_lanes(warp, op.dst, out);
}

void scales_of_bfloats(Warp& warp, const Operation& op) {
  const auto flags = flags_of<FloatFlags>(op);
  const auto* a = source<std::uint32_t>(warp, op.a);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i)
    out[i] = scale_of(a[i] & 0xffff0000, flags) << 8 | scale_of(a[i] << 16, flags);
  write_lanes(warp, op.dst, out);
}

void scales_to_bfloats(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const auto bfloat = [](std::uint32_t code) {
      return code == scale_nan ? 0x7fffU : code == 0 ? 0x40U : code << 7;
    };
    out[i] = bfloat(a[i] >> 8 & 0xff) << 16 | bfloat(a[i] & 0xff);
  }
  write_lanes(warp, op.dst, out);
}

template <NarrowFormat format>
void add_format(Table& table, const std::string& name) {
  const Width n = Width::none;
  table["cvt.*." + name + ".f32"] = {narrow_singles<format>,
                                     {Width::w16, n, Width::w32, Width::w32}};
  table["cvt.*." + name + ".f16x2"] = {narrow_halves<format>, {Width::w16, n, Width::w32}};
  table["cvt.*.f16x2." + name] = {widen<format>, {Width::w32, n, Width::w16}};
}

}  // namespace

void add_narrow_conversions(Table& table) {
  add_format<e4m3_format>(table, "e4m3x2");
  add_format<e5m2_format>(table, "e5m2x2");
  add_format<e3m2_format>(table, "e3m2x2");
  add_format<e2m3_format>(table, "e2m3x2");
  add_format<e2m1_format>(table, "e2m1x2");
  const Width h = Width::w16;
  const Width n = Width::none;
  const Width w = Width::w32;
  table["cvt.*.ue8m0x2.f32"] = {scales_of_singles, {h, n, w, w}};
  table["cvt.*.ue8m0x2.bf16x2"] = {scales_of_bfloats, {h, n, w}};
  table["cvt.*.bf16x2.ue8m0x2"] = {scales_to_bfloats, {w, n, h}};
}

}  // namespace warpwise::emulator
