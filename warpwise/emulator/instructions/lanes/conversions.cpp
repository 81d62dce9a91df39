#include "warpwise/emulator/instructions/lanes/conversions.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "warpwise/emulator/instructions/lanes/rounding.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

struct Half {};
struct BFloat {};

template <class T>
constexpr bool is_small = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;
template <class T>
constexpr SmallFormat format_of = std::is_same_v<T, Half> ? half_format : bfloat_format;
template <class T>
constexpr bool is_float = is_small<T> || std::is_floating_point_v<T>;
template <class T>
constexpr std::size_t size_of = is_small<T> ? 2 : sizeof(std::conditional_t<is_small<T>, char, T>);
template <class T>
using StorageOf = std::conditional_t<size_of<T> == 8, std::uint64_t, std::uint32_t>;

/// Returns the exact value of a float source.
template <class S>
double float_value(StorageOf<S> bits, FloatFlags flags) {
  if constexpr (is_small<S>) {
    return decode(static_cast<std::uint16_t>(bits), format_of<S>);
  } else {
    return static_cast<double>(before(std::bit_cast<S>(bits), flags));
  }
}

double to_integral(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest: return std::nearbyint(x);
    case Rounding::zero: return std::trunc(x);
    case Rounding::down: return std::floor(x);
    case Rounding::up: return std::ceil(x);
  }
  return x;
}

template <class D, class S>
StorageOf<D> to_integer(StorageOf<S> bits, FloatFlags flags) {
  const double x = to_integral(float_value<S>(bits, flags), flags.rounding);
  constexpr bool large = sizeof(D) == 8 || std::is_same_v<S, double>;
  if (x != x) {
    return large ? static_cast<StorageOf<D>>(StorageOf<D>{1} << (8 * sizeof(D) - 1))
                 : StorageOf<D>{0};
  }
  D result{};
  if (x < static_cast<double>(std::numeric_limits<D>::min()))
    result = std::numeric_limits<D>::min();
  else if (x >= std::ldexp(1.0, std::numeric_limits<D>::digits))
    result = std::numeric_limits<D>::max();
  else
    result = static_cast<D>(x);
  return static_cast<StorageOf<D>>(result);
}

template <class D, class S>
StorageOf<D> to_other_float(StorageOf<S> bits, FloatFlags flags) {
  // An H200 does not flush subnormal singles that it converts to halves.
  constexpr bool keeps_subnormals = std::is_same_v<S, float> && is_small<D>;
  double x = float_value<S>(bits, keeps_subnormals ? FloatFlags{} : flags);
  if (flags.to_integral != 0) x = to_integral(x, flags.rounding);
  if (flags.saturate != 0) x = saturated(x);
  if (flags.relu != 0 && !(x > 0) && x == x) x = 0;
  // A NaN of double precision keeps its sign and the upper bits of its fraction.
  constexpr bool from_double = std::is_same_v<S, double>;
  if constexpr (is_small<D>) {
    if (from_double && x != x) {
      constexpr int kept = format_of<D>.fraction_bits;
      const auto fraction =
          static_cast<std::uint32_t>((std::bit_cast<std::uint64_t>(x) << 12) >> (64 - kept));
      const std::uint32_t exponent = 0x7fffU >> kept << kept;
      return (std::signbit(x) ? 0x8000U : 0U) | exponent | 1U << (kept - 1) | fraction;
    }
    const std::uint16_t result = encode(x, format_of<D>, flags.rounding);
    const int infinity = 0x7fff >> format_of<D>.fraction_bits << format_of<D>.fraction_bits;
    const bool is_infinite = (result & 0x7fff) == infinity;
    return flags.finite != 0 && is_infinite ? result - 1U : result;
  } else if constexpr (std::is_same_v<D, float>) {
    if (from_double && x != x) {
      volatile double nan = x;
      return std::bit_cast<std::uint32_t>(static_cast<float>(nan));
    }
    const RoundingMode mode(flags.to_integral != 0 ? Rounding::nearest : flags.rounding);
    volatile double exact = x;
    FloatFlags unsaturated = flags;
    unsaturated.saturate = 0;
    return std::bit_cast<std::uint32_t>(after(static_cast<float>(exact), unsaturated));
  } else {
    return std::bit_cast<std::uint64_t>(x == x ? x : quiet(x));
  }
}

template <class D, class S>
StorageOf<D> integer_to_float(StorageOf<S> bits, FloatFlags flags) {
  const auto integer = static_cast<S>(bits);
  volatile S exact = integer;
  if constexpr (is_small<D>) {
    // Some 64-bit integers have too many bits for a double. They are rounded to odd, so that
    // encode() then gives the bits of a single rounding. For f16 they are out of range anyway.
    const RoundingMode mode(Rounding::zero);
    auto x = static_cast<double>(exact);
    if (sizeof(S) == 8 && static_cast<S>(x) != integer) {
      x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | 1);  // rounded to odd
    }
    if (flags.saturate != 0) x = saturated(x);
    return encode(x, format_of<D>, flags.rounding);
  } else {
    const RoundingMode mode(flags.rounding);
    return std::bit_cast<StorageOf<D>>(after(static_cast<D>(exact), flags));
  }
}

template <class D, class S>
StorageOf<D> convert_value(StorageOf<S> bits, FloatFlags flags) {
  if constexpr (!is_float<D>)
    return to_integer<D, S>(bits, flags);
  else if constexpr (is_float<S>)
    return to_other_float<D, S>(bits, flags);
  else
    return integer_to_float<D, S>(bits, flags);
}

template <class D, class S>
void convert(Warp& warp, const Operation& op) {
  const auto flags = flags_of<FloatFlags>(op);
  const auto* a = source<StorageOf<S>>(warp, op.a);
  StorageOf<D> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = convert_value<D, S>(a[i], flags);
    if constexpr (!is_float<D> && size_of<D> < 4) {
      // The destination register may be wider than the integer type. The value is extended to
      // 32 bits, or to 16 bits for a register of 16 bits.
      out[i] = static_cast<std::uint32_t>(static_cast<D>(out[i]));
      if (flags.narrow_result != 0) out[i] &= 0xffff;
    }
  }
  write_lanes(warp, op.dst, out);
}

template <class T>
constexpr Width any_width() {
  return size_of<T> == 8 ? Width::w64 : size_of<T> == 4 ? Width::w32 : Width::w16;
}

template <class D, class S>
void add_conversion(Table& table, const std::string& to, const std::string& from) {
  if constexpr (is_float<D> || is_float<S>) {
    table["cvt.*." + to + "." + from] = {convert<D, S>,
                                         {any_width<D>(), Width::none, any_width<S>()}};
  }
}

template <class D>
void add_conversions_to(Table& table, const std::string& to) {
  for_each_integer([&]<class S>(S, const char* from) { add_conversion<D, S>(table, to, from); });
  add_conversion<D, Half>(table, to, "f16");
  add_conversion<D, BFloat>(table, to, "bf16");
  add_conversion<D, float>(table, to, "f32");
  add_conversion<D, double>(table, to, "f64");
}

/// Runs cvt.f16x2.f32 d, a, b. The upper half of d comes from a.
template <class D>
void convert_pair(Warp& warp, const Operation& op) {
  const auto flags = flags_of<FloatFlags>(op);
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = convert_value<D, float>(a[i], flags) << 16 | convert_value<D, float>(b[i], flags);
  }
  write_lanes(warp, op.dst, out);
}

/// Runs cvt.tf32.f32: rounds to 10 fraction bits, with `.rna` ties away from zero. `.satfinite` and
/// `.relu` also apply to infinity. The bits of a NaN are those of an H200: `.rna` clears the lower
/// bits, and without `.rna` a NaN becomes 0x7fffe000.
template <bool ties_away>
void convert_to_tf32(Warp& warp, const Operation& op) {
  constexpr std::uint32_t infinity = 0x7f800000;
  constexpr std::uint32_t unit = 0x2000;
  const auto flags = flags_of<FloatFlags>(op);
  const bool truncates = !ties_away && flags.rounding == Rounding::zero;
  const auto* a = source<std::uint32_t>(warp, op.a);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const std::uint32_t sign = a[i] & 0x80000000;
    std::uint32_t magnitude = a[i] & 0x7fffffff;
    const bool is_nan = magnitude > infinity;
    if (magnitude < infinity && !truncates) {
      const bool is_even = (magnitude & unit) == 0;
      magnitude += unit / 2 - (!ties_away && is_even ? 1 : 0);
    }
    magnitude &= ~(unit - 1);
    if (flags.finite != 0 && !is_nan && magnitude >= infinity) magnitude = infinity - unit;
    if (is_nan && !ties_away)
      out[i] = 0x7fffe000;
    else if (flags.relu != 0 && sign != 0)
      out[i] = 0;
    else
      out[i] = sign | magnitude;
  }
  write_lanes(warp, op.dst, out);
}

/// Runs cvt.pack.sat.T.s32.b32 d, a, b, c: narrows a and b to T. If T has 8 bits, the upper half of
/// d is the lower half of c.
template <class T>
void convert_pack(Warp& warp, const Operation& op) {
  const auto* a = source<std::int32_t>(warp, op.a);
  const auto* b = source<std::int32_t>(warp, op.b);
  constexpr int bits = 8 * sizeof(T);
  const std::uint32_t* c = sizeof(T) == 1 ? source<std::uint32_t>(warp, op.c) : nullptr;
  const auto narrow = [](std::int32_t x) {
    using Limits = std::numeric_limits<T>;
    const std::int32_t kept = x < Limits::min()   ? Limits::min()
                              : x > Limits::max() ? Limits::max()
                                                  : x;
    return static_cast<std::uint32_t>(kept) & ((1U << bits) - 1);
  };
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = narrow(a[i]) << bits | narrow(b[i]);
    if (c != nullptr) out[i] = out[i] | c[i] << 16;
  }
  write_lanes(warp, op.dst, out);
}

template <class T>
void test_property(Warp& warp, const Operation& op) {
  const Property property = flags_of<PropertyFlags>(op).property;
  const T* a = source<T>(warp, op.a);
  Mask result = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    const T x = a[i];
    bool yes = false;
    switch (property) {
      case Property::finite: yes = std::isfinite(x); break;
      case Property::infinite: yes = std::isinf(x); break;
      case Property::number: yes = !std::isnan(x); break;
      case Property::nan: yes = std::isnan(x); break;
      case Property::normal: yes = std::isnormal(x) || x == 0; break;
      case Property::subnormal: yes = x != 0 && std::fpclassify(x) == FP_SUBNORMAL; break;
    }
    result |= static_cast<Mask>(yes) << i;
  }
  set_predicate(warp, op.dst, result);
}

Table make_conversion_table() {
  Table table;
  for_each_integer([&]<class D>(D, const char* name) { add_conversions_to<D>(table, name); });
  add_conversions_to<Half>(table, "f16");
  add_conversions_to<BFloat>(table, "bf16");
  add_conversions_to<float>(table, "f32");
  add_conversions_to<double>(table, "f64");
  const Width w = Width::w32;
  const Width n = Width::none;
  table["cvt.*.f16x2.f32"] = {convert_pair<Half>, {w, n, w, w}};
  table["cvt.*.bf16x2.f32"] = {convert_pair<BFloat>, {w, n, w, w}};
  table["cvt.rna.*.tf32.f32"] = {convert_to_tf32<true>, {w, n, w}};
  table["cvt.*.tf32.f32"] = {convert_to_tf32<false>, {w, n, w}};
  add_narrow_conversions(table);
  table["cvt.pack.u8"] = {convert_pack<std::uint8_t>, {w, n, w, w, w}};
  table["cvt.pack.s8"] = {convert_pack<std::int8_t>, {w, n, w, w, w}};
  table["cvt.pack.u16"] = {convert_pack<std::uint16_t>, {w, n, w, w}};
  table["cvt.pack.s16"] = {convert_pack<std::int16_t>, {w, n, w, w}};
  table["testp.f32"] = {test_property<float>, {Width::predicate, n, w}};
  table["testp.f64"] = {test_property<double>, {Width::predicate, n, Width::w64}};
  return table;
}

}  // namespace

const Table& conversion_operations() {
  static const Table table = make_conversion_table();
  return table;
}

}  // namespace warpwise::emulator
