#include "warpwise/emulator/instructions/lanes/rounded.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "warpwise/emulator/instructions/lanes/rounding.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

template <std::size_t bytes>
using Storage = std::conditional_t<bytes == 8, std::uint64_t, std::uint32_t>;

/// Runs Op with the operation's flags on one to three operands of `parts` elements of type T.
/// `scales` is true if multiplying a and c by 2^64 multiplies the result by 2^64.
template <class T, int operands, bool scales, int parts, class Op>
void rounded(Warp& warp, const Operation& op) {
  const T* a = source<T>(warp, op.a);
  const T* b = operands > 1 ? source<T>(warp, op.b) : a;
  const T* c = operands > 2 ? source<T>(warp, op.c) : a;
  const auto flags = flags_of<FloatFlags>(op);
  alignas(8) T out[parts * warp_lanes];
  {
    const RoundingMode mode(flags.rounding);
    for (int i = 0; i < parts * warp_lanes; ++i) {
      const T x = before(a[i], flags);
      const T y = before(b[i], flags);
      const T z = before(c[i], flags);
      out[i] = Op{}(x, y, z);
      if constexpr (scales && sizeof(T) == 4) {
        // A GPU decides on flushing by the result rounded to 24 bits. That can be below the
        // smallest normal number although out[i], rounded as a subnormal, equals this number. The
        // result computed times 2^64 has all 24 bits.
        const bool smallest = std::fabs(out[i]) == std::numeric_limits<T>::min();
        if (flags.flush != 0 && smallest &&
            std::fabs(Op{}(x * 0x1p64F, y, z * 0x1p64F)) < 0x1p-62F) {
          out[i] = std::copysign(T{0}, out[i]);
        }
      }
    }
  }
  for (T& x : out) x = after(x, flags);
  write_lanes(warp, op.dst, reinterpret_cast<const Storage<parts * sizeof(T)>*>(out));
}

/// Replaces a NaN result. Double precision returns the first NaN among the operands b, c and a.
/// Single precision has only one NaN.
float passed_on(float result, float, float, float = 0) { return result; }
double passed_on(double result, double a, double b, double c = 0) {
  if (result == result) return result;
  return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : result;
}

template <class T, int operands, bool scales = false, int parts = 1, class Op>
void add_rounded(Table& table, const std::string& name, Op) {
  const Width w = parts * sizeof(T) == 8 ? Width::w64 : Width::w32;
  Entry entry{rounded<T, operands, scales, parts, Op>, {w, Width::none, w}};
  if (operands > 1) entry.widths[3] = w;
  if (operands > 2) entry.widths[4] = w;
  table[name] = entry;
}

/// Adds the handlers of add, sub, mul and fma for numbers, or for pairs of numbers.
template <class T, int parts = 1>
void add_sums(Table& table, const std::string& type) {
  add_rounded<T, 2, false, parts>(table, "add.*." + type,
                                  [](T a, T b, T) { return passed_on(a + b, a, b); });
  add_rounded<T, 2, false, parts>(table, "sub.*." + type,
                                  [](T a, T b, T) { return passed_on(a - b, a, b); });
  add_rounded<T, 2, true, parts>(table, "mul.*." + type,
                                 [](T a, T b, T) { return passed_on(a * b, a, b); });
  add_rounded<T, 3, true, parts>(
      table, "fma.*." + type, [](T a, T b, T c) { return passed_on(std::fma(a, b, c), a, b, c); });
}

/// Returns the smaller magnitude, or with `larger` the larger one, with the sign of a * b. If one
/// operand is a NaN, even a signalling one, the other operand is taken.
template <bool larger>
float signed_extreme(float a, float b) {
  const float x = std::fabs(a);
  const float y = std::fabs(b);
  const bool takes_first = std::isnan(y) || (larger ? x > y : x < y);
  return std::copysign(takes_first ? x : y, std::signbit(a) != std::signbit(b) ? -1.0F : 1.0F);
}

/// Adds min or max with `.xorsign.abs`.
template <bool larger>
void add_signed_extremes(Table& table, const std::string& opcode) {
  add_rounded<float, 2>(table, opcode + ".xorsign.f32",
                        [](float a, float b, float) { return signed_extreme<larger>(a, b); });
  add_rounded<float, 2>(table, opcode + ".xorsign.nan.f32", [](float a, float b, float) {
    return a != a || b != b ? std::numeric_limits<float>::quiet_NaN()
                            : signed_extreme<larger>(a, b);
  });
}

template <class T>
void add_arithmetic(Table& table, const std::string& type) {
  add_sums<T>(table, type);
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

// ---- approximations: computed in double and rounded, so more exact than a GPU's

/// Clears the lower 32 bits of a double, and flushes subnormals. The approximations with .ftz.f64
/// do this to their operand and to their result.
double coarse(double x) {
  const std::uint64_t upper = std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000U;
  const bool is_subnormal = (upper & 0x7ff0000000000000U) == 0;
  return std::bit_cast<double>(is_subnormal ? upper & std::uint64_t{1} << 63 : upper);
}

/// Adds an approximation in double precision with .ftz. Its only NaN is 0x7fffffff00000000.
template <class Op>
void add_coarse(Table& table, const std::string& name, Op) {
  add_rounded<double, 1>(table, name + ".approx.ftz.f64", [](double a, double, double) {
    const double result = Op{}(coarse(a));
    return result == result ? coarse(result) : std::bit_cast<double>(0x7fffffff00000000U);
  });
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
  add_coarse(table, "rcp", [](D a) { return 1.0 / a; });
  add_coarse(table, "rsqrt", [](D a) { return 1.0 / std::sqrt(a); });
  add_rounded<D, 1>(table, "rsqrt.approx.f64", [](D a, D, D) { return 1.0 / std::sqrt(a); });
}

}  // namespace

const Table& rounded_operations() {
  static const Table table = [] {
    Table result;
    add_arithmetic<float>(result, "f32");
    add_arithmetic<double>(result, "f64");
    add_sums<float, 2>(result, "f32x2");
    add_signed_extremes<false>(result, "min");
    add_signed_extremes<true>(result, "max");
    add_approximations(result);
    return result;
  }();
  return table;
}

}  // namespace warpwise::emulator
