// Arithmetic with a rounding mode, conversions, approximations. Compiled with -frounding-math: the
// handlers switch the CPU's rounding mode.

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/numbers.hpp"

namespace warpwise::emulator {
namespace {

template <class T>
using Storage = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

Rounding rounding_of(std::uint32_t variant) {
  return static_cast<Rounding>(variant & rounding_mask);
}

/// The CPU, which rounds to nearest otherwise, rounds in another direction while this lives.
class RoundingMode {
 public:
  explicit RoundingMode(Rounding rounding) : changed_(rounding != Rounding::nearest) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (changed_) std::fesetround(modes[static_cast<int>(rounding)]);
  }
  ~RoundingMode() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  bool changed_;
};

template <class T>
T before(T x, std::uint32_t variant) {
  if constexpr (sizeof(T) == 4) {
    if ((variant & flush_subnormals) != 0) return flush_to_zero(x);
  }
  return x;
}

template <class T>
T after(T x, std::uint32_t variant) {
  if ((variant & saturate) != 0) {
    // NaN becomes 0.
    x = x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
  }
  if constexpr (sizeof(T) == 4) {
    if ((variant & flush_subnormals) != 0) x = flush_to_zero(x);
    return canonical_nan(x);
  }
  return x;
}

/// One to three operands of type T under Operation::variant. `scales`: Op of 2^64 times a and c is
/// 2^64 times as much.
template <class T, int operands, bool scales, class Op>
void rounded(Warp& warp, const Operation& op) {
  const T* a = source<T>(warp, op.a);
  const T* b = operands > 1 ? source<T>(warp, op.b) : a;
  const T* c = operands > 2 ? source<T>(warp, op.c) : a;
  T out[warp_lanes];
  {
    const RoundingMode mode(rounding_of(op.variant));
    for (int i = 0; i < warp_lanes; ++i) {
      const T x = before(a[i], op.variant);
      const T y = before(b[i], op.variant);
      const T z = before(c[i], op.variant);
      out[i] = Op{}(x, y, z);
      if constexpr (scales && sizeof(T) == 4) {
        // What only the coarse steps of subnormals round up to the smallest normal number is
        // flushed as well.
        const bool smallest = std::fabs(out[i]) == std::numeric_limits<T>::min();
        if ((op.variant & flush_subnormals) != 0 && smallest &&
            std::fabs(Op{}(x * 0x1p64F, y, z * 0x1p64F)) < 0x1p-62F) {
          out[i] = std::copysign(T{0}, out[i]);
        }
      }
    }
  }
  for (T& x : out) x = after(x, op.variant);
  write_lanes(warp, op.dst, reinterpret_cast<const Storage<T>*>(out));
}

double quiet(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | std::uint64_t{1} << 51);
}

/// A result that is NaN: of double precision, that of b before c before a; single precision has but
/// one.
float passed_on(float result, float, float, float = 0) { return result; }
double passed_on(double result, double a, double b, double c = 0) {
  if (result == result) return result;
  return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : result;
}

template <class T>
constexpr Width float_width() {
  return sizeof(T) == 8 ? Width::w64 : Width::w32;
}

template <class T, int operands, bool scales = false, class Op>
void add_rounded(Table& table, const std::string& name, Op) {
  const Width w = float_width<T>();
  Entry entry{rounded<T, operands, scales, Op>, {w, Width::none, w}};
  if (operands > 1) entry.widths[3] = w;
  if (operands > 2) entry.widths[4] = w;
  table[name] = entry;
}

template <class T>
void add_arithmetic(Table& table, const std::string& type) {
  add_rounded<T, 2>(table, "add.*." + type, [](T a, T b, T) { return passed_on(a + b, a, b); });
  add_rounded<T, 2>(table, "sub.*." + type, [](T a, T b, T) { return passed_on(a - b, a, b); });
  add_rounded<T, 2, true>(table, "mul.*." + type,
                          [](T a, T b, T) { return passed_on(a * b, a, b); });
  add_rounded<T, 3, true>(table, "fma.*." + type,
                          [](T a, T b, T c) { return passed_on(std::fma(a, b, c), a, b, c); });
  add_rounded<T, 2, true>(table, "div.*." + type, [](T a, T b, T) { return a / b; });
  add_rounded<T, 1>(table, "rcp.*." + type, [](T a, T, T) { return T{1} / a; });
  add_rounded<T, 1>(table, "sqrt.*." + type, [](T a, T, T) { return std::sqrt(a); });
  const auto smaller = [](T a, T b, T) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    return a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
  };
  const auto larger = [](T a, T b, T) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    return a == b ? (std::signbit(a) ? b : a) : (a > b ? a : b);
  };
  add_rounded<T, 2>(table, "min.nan." + type, smaller);
  add_rounded<T, 2>(table, "max.nan." + type, larger);
}

// ---- approximations: computed in double and rounded, which is closer than a GPU's own

/// Double precision has approximations of its upper 32 bits only.
double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000U);
}

void add_approximations(Table& table) {
  const auto one = [&](const std::string& name, auto operation) {
    add_rounded<float, 1>(table, name + ".approx.f32", operation);
  };
  using D = double;
  one("rcp", [](float a, float, float) { return static_cast<float>(1.0 / D{a}); });
  one("sqrt", [](float a, float, float) { return static_cast<float>(std::sqrt(D{a})); });
  one("rsqrt", [](float a, float, float) { return static_cast<float>(1.0 / std::sqrt(D{a})); });
  one("sin", [](float a, float, float) { return static_cast<float>(std::sin(D{a})); });
  one("cos", [](float a, float, float) { return static_cast<float>(std::cos(D{a})); });
  one("lg2", [](float a, float, float) { return static_cast<float>(std::log2(D{a})); });
  one("ex2", [](float a, float, float) { return static_cast<float>(std::exp2(D{a})); });
  one("tanh", [](float a, float, float) { return static_cast<float>(std::tanh(D{a})); });
  const auto quotient = [](float a, float b, float) { return static_cast<float>(D{a} / D{b}); };
  add_rounded<float, 2>(table, "div.approx.f32", quotient);
  add_rounded<float, 2>(table, "div.full.f32", quotient);
  add_rounded<double, 1>(table, "rcp.approx.f64",
                         [](D a, D, D) { return upper_half(1.0 / upper_half(a)); });
  add_rounded<double, 1>(table, "rsqrt.approx.f64",
                         [](D a, D, D) { return upper_half(1.0 / std::sqrt(upper_half(a))); });
}

// ---- conversions

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

/// A float source's value; exact.
template <class S>
double float_value(StorageOf<S> bits, std::uint32_t variant) {
  if constexpr (is_small<S>) {
    return decode(static_cast<std::uint16_t>(bits), format_of<S>);
  } else {
    return static_cast<double>(before(std::bit_cast<S>(bits), variant));
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
StorageOf<D> convert_value(StorageOf<S> bits, std::uint32_t variant) {
  const Rounding rounding = rounding_of(variant);
  if constexpr (!is_float<D>) {
    const double x = to_integral(float_value<S>(bits, variant), rounding);
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
  } else if constexpr (is_float<S>) {
    double x = float_value<S>(bits, variant);
    if ((variant & round_to_integer) != 0) x = to_integral(x, rounding);
    if ((variant & saturate) != 0) x = x > 0 ? (x < 1 ? x : 1) : 0;
    if ((variant & relu) != 0 && !(x > 0) && x == x) x = 0;
    // A NaN from double precision keeps its sign and the upper bits of its fraction.
    constexpr bool from_double = std::is_same_v<S, double>;
    if constexpr (is_small<D>) {
      if (from_double && x != x) {
        constexpr int kept = format_of<D>.fraction_bits;
        const auto fraction =
            static_cast<std::uint32_t>((std::bit_cast<std::uint64_t>(x) << 12) >> (64 - kept));
        const std::uint32_t exponent = 0x7fffU >> kept << kept;
        return (std::signbit(x) ? 0x8000U : 0U) | exponent | 1U << (kept - 1) | fraction;
      }
      return encode(x, format_of<D>, rounding);
    } else if constexpr (std::is_same_v<D, float>) {
      if (from_double && x != x) {
        volatile double nan = x;
        return std::bit_cast<std::uint32_t>(static_cast<float>(nan));
      }
      const RoundingMode mode((variant & round_to_integer) != 0 ? Rounding::nearest : rounding);
      volatile double exact = x;
      return std::bit_cast<std::uint32_t>(after(static_cast<float>(exact), variant & ~saturate));
    } else {
      return std::bit_cast<std::uint64_t>(x == x ? x : quiet(x));
    }
  } else {
    const auto integer = static_cast<S>(bits);
    if constexpr (is_small<D>) {
      // Integers too long for a double are beyond the range of f16; bf16 needs all of their bits.
      const RoundingMode mode(Rounding::zero);
      volatile S exact = integer;
      auto x = static_cast<double>(exact);
      if (sizeof(S) == 8 && static_cast<S>(x) != integer) {
        x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | 1);  // rounded to odd
      }
      return encode(x, format_of<D>, rounding);
    } else {
      const RoundingMode mode(rounding);
      volatile S exact = integer;
      return std::bit_cast<StorageOf<D>>(after(static_cast<D>(exact), variant));
    }
  }
}

template <class D, class S>
void convert(Warp& warp, const Operation& op) {
  const auto* a = source<StorageOf<S>>(warp, op.a);
  StorageOf<D> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = convert_value<D, S>(a[i], op.variant);
    if constexpr (!is_float<D> && size_of<D> < 4) {
      // The register may be wider than the type: sign-extended, and kept to 16 bits where it has
      // those.
      out[i] = static_cast<std::uint32_t>(static_cast<D>(out[i]));
      if ((op.variant & narrow_result) != 0) out[i] &= 0xffff;
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
  add_conversion<D, std::uint8_t>(table, to, "u8");
  add_conversion<D, std::int8_t>(table, to, "s8");
  add_conversion<D, std::uint16_t>(table, to, "u16");
  add_conversion<D, std::int16_t>(table, to, "s16");
  add_conversion<D, std::uint32_t>(table, to, "u32");
  add_conversion<D, std::int32_t>(table, to, "s32");
  add_conversion<D, std::uint64_t>(table, to, "u64");
  add_conversion<D, std::int64_t>(table, to, "s64");
  add_conversion<D, Half>(table, to, "f16");
  add_conversion<D, BFloat>(table, to, "bf16");
  add_conversion<D, float>(table, to, "f32");
  add_conversion<D, double>(table, to, "f64");
}

/// cvt.f16x2.f32 d, a, b: a in the upper half.
template <class D>
void convert_pair(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] =
        convert_value<D, float>(a[i], op.variant) << 16 | convert_value<D, float>(b[i], op.variant);
  }
  write_lanes(warp, op.dst, out);
}

/// cvt.pack.sat.T.s32.b32 d, a, b, c: a and b narrowed to T; for 8 bits above c's lower half.
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
  const T* a = source<T>(warp, op.a);
  Mask result = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    const T x = a[i];
    bool yes = false;
    switch (op.variant) {
      case 0: yes = std::isfinite(x); break;
      case 1: yes = std::isinf(x); break;
      case 2: yes = !std::isnan(x); break;
      case 3: yes = std::isnan(x); break;
      case 4: yes = std::isnormal(x) || x == 0; break;
      default: yes = x != 0 && std::fpclassify(x) == FP_SUBNORMAL; break;
    }
    result |= static_cast<Mask>(yes) << i;
  }
  set_predicate(warp, op.dst, result);
}

Table make_table() {
  Table table;
  add_arithmetic<float>(table, "f32");
  add_arithmetic<double>(table, "f64");
  add_approximations(table);
  add_conversions_to<std::uint8_t>(table, "u8");
  add_conversions_to<std::int8_t>(table, "s8");
  add_conversions_to<std::uint16_t>(table, "u16");
  add_conversions_to<std::int16_t>(table, "s16");
  add_conversions_to<std::uint32_t>(table, "u32");
  add_conversions_to<std::int32_t>(table, "s32");
  add_conversions_to<std::uint64_t>(table, "u64");
  add_conversions_to<std::int64_t>(table, "s64");
  add_conversions_to<Half>(table, "f16");
  add_conversions_to<BFloat>(table, "bf16");
  add_conversions_to<float>(table, "f32");
  add_conversions_to<double>(table, "f64");
  const Width w = Width::w32;
  const Width n = Width::none;
  table["cvt.*.f16x2.f32"] = {convert_pair<Half>, {w, n, w, w}};
  table["cvt.*.bf16x2.f32"] = {convert_pair<BFloat>, {w, n, w, w}};
  table["cvt.pack.u8"] = {convert_pack<std::uint8_t>, {w, n, w, w, w}};
  table["cvt.pack.s8"] = {convert_pack<std::int8_t>, {w, n, w, w, w}};
  table["cvt.pack.u16"] = {convert_pack<std::uint16_t>, {w, n, w, w}};
  table["cvt.pack.s16"] = {convert_pack<std::int16_t>, {w, n, w, w}};
  table["testp.f32"] = {test_property<float>, {Width::predicate, n, w}};
  table["testp.f64"] = {test_property<double>, {Width::predicate, n, Width::w64}};
  return table;
}

}  // namespace

const Table& number_operations() {
  static const Table table = make_table();
  return table;
}

}  // namespace warpwise::emulator
