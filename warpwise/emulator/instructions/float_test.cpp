// Floating-point instructions of PTX, one at a time, against this machine's arithmetic and, for 16
// bits, against a search through all numbers of the format.

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "emulator/instruction.hpp"

namespace warpwise {
namespace {

using test::expect_instruction;
using test::Inputs;
using test::Registers;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, U64, U32>;

template <class T>
T number(U64 bits) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}
template <class T>
U64 bits_of(T x) {
  return std::bit_cast<BitsOf<T>>(x);
}
template <class T>
std::string type_name() {
  if (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "f64" : "f32";
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

/// Pairs of all special numbers, then random ones of any and of moderate size.
template <class T>
const Inputs& numbers() {
  static const Inputs inputs = [] {
    using Limits = std::numeric_limits<T>;
    std::vector<T> special = {T{0},
                              Limits::denorm_min(),
                              Limits::min() - Limits::denorm_min(),
                              Limits::min(),
                              T{1},
                              1 + Limits::epsilon(),
                              1 - Limits::epsilon() / 2,
                              T(0.1),
                              T(0.5),
                              T(1.5),
                              T(2.5),
                              T(3),
                              T(127.5),
                              T(255.5),
                              T(32767.5),
                              T(65535.5),
                              T(65536),
                              T(2147483648.),
                              T(4294967296.),
                              T(9223372036854775808.),
                              T(18446744073709551616.),
                              T(1e20),
                              Limits::max(),
                              Limits::infinity(),
                              Limits::quiet_NaN(),
                              number<T>(bits_of(Limits::infinity()) + 1)};
    const std::size_t positive = special.size();
    for (std::size_t i = 0; i < positive; ++i) special.push_back(-special[i]);
    Inputs result;
    std::mt19937_64 random(2);
    for (const T a : special) {
      for (const T b : special) {
        result.a.push_back(bits_of(a));
        result.b.push_back(bits_of(b));
        result.c.push_back(bits_of(special[random() % special.size()]));
      }
    }
    std::uniform_real_distribution<T> moderate(-300, 300);
    for (int i = 0; i < 1000; ++i) {
      for (auto* each : {&result.a, &result.b, &result.c})
        each->push_back(i % 2 == 0 ? random() : bits_of(moderate(random)));
    }
    return result;
  }();
  return inputs;
}

/// Equal bits, or NaN for NaN; a NaN of single precision that arithmetic makes has one pattern
/// only.
template <class T>
bool same_number(U64 found, U64 want) {
  if (std::isnan(number<T>(want))) {
    return sizeof(T) == 4 ? static_cast<U32>(found) == 0x7fffffff : std::isnan(number<T>(found));
  }
  return static_cast<BitsOf<T>>(found) == static_cast<BitsOf<T>>(want);
}

constexpr const char* roundings[] = {"rn", "rz", "rm", "rp"};
constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/// f under a rounding mode. Volatile keeps the arithmetic between the switches.
template <class T, class F>
T rounded(int mode, F f, T a, T b, T c) {
  volatile T va = a;
  volatile T vb = b;
  volatile T vc = c;
  std::fesetround(modes[mode]);
  volatile T result = f(T{va}, T{vb}, T{vc});
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
T flushed(T x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(T{0}, x) : x;
}

template <class T>
class Floats : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatTypes);

TYPED_TEST(Floats, Arithmetic) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const Registers same{bits, bits, bits, bits};
  const auto expect = [&](const std::string& opcode, const std::string& operands, bool may_saturate,
                          auto f) {
    for (int mode = 0; mode < 4; ++mode) {
      for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
          if (sizeof(T) == 8 && (ftz || sat)) continue;
          if (sat && !may_saturate) continue;
          const std::string text = opcode + "." + roundings[mode] + (ftz ? ".ftz" : "") +
                                   (sat ? ".sat" : "") + "." + type_name<T>() + " %d, " + operands +
                                   ";";
          expect_instruction(
              text, same, numbers<T>(),
              [&](U64 a, U64 b, U64 c) {
                const auto in = [&](U64 x) { return ftz ? flushed(number<T>(x)) : number<T>(x); };
                T result = rounded<T>(mode, f, in(a), in(b), in(c));
                if (ftz) result = flushed(result);
                if (ftz && std::fabs(result) == std::numeric_limits<T>::min()) {
                  // Rounded up by the coarse steps of subnormals only: flushed as well.
                  volatile double scaled =
                      std::ldexp(f(double{in(a)}, double{in(b)}, double{in(c)}), 64);
                  std::fesetround(modes[mode]);
                  volatile T fine = static_cast<T>(double{scaled});
                  std::fesetround(FE_TONEAREST);
                  if (std::fabs(fine) < std::ldexp(std::numeric_limits<T>::min(), 64))
                    result = std::copysign(T{0}, result);
                }
                if (sat) result = std::isnan(result) || result <= 0 ? T{0} : std::min(result, T{1});
                return bits_of(result);
              },
              same_number<T>);
        }
      }
    }
  };
  expect("add", "%a, %b", true, [](auto a, auto b, auto) { return a + b; });
  expect("sub", "%a, %b", true, [](auto a, auto b, auto) { return a - b; });
  expect("mul", "%a, %b", true, [](auto a, auto b, auto) { return a * b; });
  expect("fma", "%a, %b, %c", true, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
  expect("div", "%a, %b", false, [](auto a, auto b, auto) { return a / b; });
  expect("rcp", "%a", false, [](auto a, auto, auto) { return 1 / a; });
  expect("sqrt", "%a", false, [](auto a, auto, auto) { return std::sqrt(a); });
}

TYPED_TEST(Floats, Extremes) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const Registers same{bits, bits, bits, bits};
  const auto smaller = [](T a, T b) { return a < b || (a == b && std::signbit(a)) ? a : b; };
  for (const std::string ftz : {"", ".ftz"}) {
    for (const std::string nan : {"", ".NaN"}) {
      if (sizeof(T) == 8 && (!ftz.empty() || !nan.empty())) continue;
      const auto choose = [&](U64 a, U64 b, bool larger) {
        T x = number<T>(a);
        T y = number<T>(b);
        if (!ftz.empty()) x = flushed(x), y = flushed(y);
        if (std::isnan(x) && std::isnan(y)) return bits_of(x);
        if (std::isnan(x) || std::isnan(y)) return bits_of(nan.empty() != std::isnan(x) ? x : y);
        return bits_of(
            (smaller(x, y) == x && std::signbit(smaller(x, y)) == std::signbit(x)) != larger ? x
                                                                                             : y);
      };
      expect_instruction(
          "min" + ftz + nan + "." + type_name<T>() + " %d, %a, %b;", same, numbers<T>(),
          [&](U64 a, U64 b, U64) { return choose(a, b, false); }, same_number<T>);
      expect_instruction(
          "max" + ftz + nan + "." + type_name<T>() + " %d, %a, %b;", same, numbers<T>(),
          [&](U64 a, U64 b, U64) { return choose(a, b, true); }, same_number<T>);
    }
  }
  expect_instruction(
      "copysign." + type_name<T>() + " %d, %a, %b;", same, numbers<T>(),
      [](U64 a, U64 b, U64) { return bits_of(std::copysign(number<T>(b), number<T>(a))); });
  expect_instruction(
      "neg." + type_name<T>() + " %d, %a;", same, numbers<T>(),
      [](U64 a, U64, U64) { return bits_of(-number<T>(a)); }, same_number<T>);
  expect_instruction(
      "abs." + type_name<T>() + " %d, %a;", same, numbers<T>(),
      [](U64 a, U64, U64) { return bits_of(std::fabs(number<T>(a))); }, same_number<T>);
}

TYPED_TEST(Floats, Comparisons) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const auto expect = [&](const std::string& name, auto f) {
    for (const std::string ftz : {"", ".ftz"}) {
      if (sizeof(T) == 8 && !ftz.empty()) continue;
      const auto in = [&](U64 x) { return ftz.empty() ? number<T>(x) : flushed(number<T>(x)); };
      expect_instruction("setp." + name + ftz + "." + type_name<T>() +
                             " %p|%q, %a, %b;\nselp.b32 %w1, 1, 0, %p;\nselp.b32 %d, 2, %w1, %q;",
                         {32, bits, bits, bits}, numbers<T>(),
                         [&](U64 a, U64 b, U64) { return f(in(a), in(b)) ? 1 : 2; });
      expect_instruction("set." + name + ftz + ".u32." + type_name<T>() + " %d, %a, %b;",
                         {32, bits, bits, bits}, numbers<T>(),
                         [&](U64 a, U64 b, U64) { return f(in(a), in(b)) ? ~U64{0} : 0; });
    }
  };
  const auto unordered = [](T a, T b) { return std::isnan(a) || std::isnan(b); };
  expect("eq", [](T a, T b) { return a == b; });
  expect("ne", [&](T a, T b) { return !unordered(a, b) && a != b; });
  expect("lt", [](T a, T b) { return a < b; });
  expect("le", [](T a, T b) { return a <= b; });
  expect("gt", [](T a, T b) { return a > b; });
  expect("ge", [](T a, T b) { return a >= b; });
  expect("equ", [&](T a, T b) { return unordered(a, b) || a == b; });
  expect("neu", [&](T a, T b) { return unordered(a, b) || a != b; });
  expect("ltu", [&](T a, T b) { return unordered(a, b) || a < b; });
  expect("leu", [&](T a, T b) { return unordered(a, b) || a <= b; });
  expect("gtu", [&](T a, T b) { return unordered(a, b) || a > b; });
  expect("geu", [&](T a, T b) { return unordered(a, b) || a >= b; });
  expect("num", [&](T a, T b) { return !unordered(a, b); });
  expect("nan", [&](T a, T b) { return unordered(a, b); });
  const auto expect_property = [&](const std::string& name, auto f) {
    expect_instruction("testp." + name + "." + type_name<T>() + " %p, %a;\nselp.b32 %d, 1, 0, %p;",
                       {32, bits, bits, bits}, numbers<T>(),
                       [&](U64 a, U64, U64) { return f(number<T>(a)) ? 1 : 0; });
  };
  expect_property("finite", [](T x) { return std::isfinite(x); });
  expect_property("infinite", [](T x) { return std::isinf(x); });
  expect_property("number", [](T x) { return !std::isnan(x); });
  expect_property("notanumber", [](T x) { return std::isnan(x); });
  expect_property("normal", [](T x) { return std::isnormal(x) || x == 0; });
  expect_property("subnormal", [](T x) { return std::fpclassify(x) == FP_SUBNORMAL; });
}

// ---- conversions

template <class D>
U64 to_integer(double x, int mode, bool from_double) {
  if (std::isnan(x)) {
    const auto highest_bit = static_cast<D>(U64{1} << (8 * sizeof(D) - 1));
    return from_double || sizeof(D) == 8 ? static_cast<U64>(highest_bit) : 0;
  }
  std::fesetround(modes[mode]);
  volatile double in = x;
  volatile double whole = std::nearbyint(in);
  std::fesetround(FE_TONEAREST);
  const double low = static_cast<double>(std::numeric_limits<D>::min());
  if (whole <= low) return static_cast<U64>(std::numeric_limits<D>::min());
  if (whole >= std::ldexp(1.0, std::numeric_limits<D>::digits))
    return static_cast<U64>(std::numeric_limits<D>::max());
  return static_cast<U64>(static_cast<D>(whole));
}

template <class D, class S>
void expect_to_integer() {
  constexpr int bits = std::max<int>(16, 8 * sizeof(D));
  for (int mode = 0; mode < 4; ++mode) {
    for (const bool ftz : {false, true}) {
      if (sizeof(S) == 8 && ftz) continue;
      const std::string text = std::string("cvt.") + roundings[mode] + "i" + (ftz ? ".ftz." : ".") +
                               type_name<D>() + "." + type_name<S>() + " %d, %a;";
      expect_instruction(text, {bits, 8 * sizeof(S), 32, 32}, numbers<S>(), [&](U64 a, U64, U64) {
        const S x = number<S>(a);
        return to_integer<D>(ftz ? flushed(x) : x, mode, sizeof(S) == 8);
      });
    }
  }
}

template <class D, class S>
void expect_from_integer() {
  constexpr int bits = std::max<int>(16, 8 * sizeof(S));
  Inputs inputs = numbers<double>();
  for (std::size_t i = 0; i < inputs.a.size(); ++i)
    inputs.a[i] += i % 5 - 2;  // integers near powers of two
  for (U64 i = 0; i < 64; ++i) {
    for (const U64 near : {U64{0}, U64{1}, ~U64{0}}) inputs.a.push_back((U64{1} << i) + near);
  }
  inputs.b.resize(inputs.a.size());
  inputs.c.resize(inputs.a.size());
  for (int mode = 0; mode < 4; ++mode) {
    expect_instruction(std::string("cvt.") + roundings[mode] + "." + type_name<D>() + "." +
                           type_name<S>() + " %d, %a;",
                       {8 * sizeof(D), bits, 32, 32}, inputs, [&](U64 a, U64, U64) {
                         volatile S in = static_cast<S>(a);
                         std::fesetround(modes[mode]);
                         volatile D result = static_cast<D>(S{in});
                         std::fesetround(FE_TONEAREST);
                         return bits_of(D{result});
                       });
  }
}

template <class F>
void expect_integer_conversions() {
  expect_to_integer<std::uint8_t, F>();
  expect_to_integer<std::int8_t, F>();
  expect_to_integer<std::uint16_t, F>();
  expect_to_integer<std::int16_t, F>();
  expect_to_integer<std::uint32_t, F>();
  expect_to_integer<std::int32_t, F>();
  expect_to_integer<std::uint64_t, F>();
  expect_to_integer<std::int64_t, F>();
  expect_from_integer<F, std::uint8_t>();
  expect_from_integer<F, std::int8_t>();
  expect_from_integer<F, std::uint16_t>();
  expect_from_integer<F, std::int16_t>();
  expect_from_integer<F, std::uint32_t>();
  expect_from_integer<F, std::int32_t>();
  expect_from_integer<F, std::uint64_t>();
  expect_from_integer<F, std::int64_t>();
}

TEST(FloatConversions, OfSingle) { expect_integer_conversions<float>(); }
TEST(FloatConversions, OfDouble) { expect_integer_conversions<double>(); }

TEST(FloatConversions, BetweenSingleAndDouble) {
  for (int mode = 0; mode < 4; ++mode) {
    Inputs inputs = numbers<double>();
    for (std::size_t i = 0; i < 500; ++i)
      inputs.a[inputs.a.size() - 1 - i] = bits_of(double{number<float>(inputs.a[i])} * 0.7);
    expect_instruction(std::string("cvt.") + roundings[mode] + ".f32.f64 %d, %a;", {32, 64, 32, 32},
                       inputs, [&](U64 a, U64, U64) {
                         volatile double in = number<double>(a);
                         std::fesetround(modes[mode]);
                         volatile float result = static_cast<float>(double{in});
                         std::fesetround(FE_TONEAREST);
                         return bits_of(float{result});
                       });
    expect_instruction(
        std::string("cvt.") + roundings[mode] + "i.f32.f32 %d, %a;", {32, 32, 32, 32},
        numbers<float>(),
        [&](U64 a, U64, U64) {
          return bits_of(rounded<float>(
              mode, [](float x, float, float) { return std::nearbyint(x); }, number<float>(a), 0,
              0));
        },
        same_number<float>);
    expect_instruction(
        std::string("cvt.") + roundings[mode] + "i.f64.f64 %d, %a;", {64, 64, 32, 32},
        numbers<double>(),
        [&](U64 a, U64, U64) {
          return bits_of(rounded<double>(
              mode, [](double x, double, double) { return std::nearbyint(x); }, number<double>(a),
              0, 0));
        },
        same_number<double>);
  }
  expect_instruction(
      "cvt.f64.f32 %d, %a;", {64, 32, 32, 32}, numbers<float>(),
      [](U64 a, U64, U64) { return bits_of(double{number<float>(a)}); }, same_number<double>);
  expect_instruction("cvt.sat.f32.f32 %d, %a;", {32, 32, 32, 32}, numbers<float>(),
                     [](U64 a, U64, U64) {
                       const float x = number<float>(a);
                       return bits_of(std::isnan(x) || x <= 0 ? 0.0F : std::min(x, 1.0F));
                     });
}

// ---- 16 bits

struct Format {
  const char* name;
  int fraction_bits;
  int bias;
};
constexpr Format half{"f16", 10, 15};
constexpr Format bfloat{"bf16", 7, 127};

/// The value of a number's bits, exactly; infinities are as large as the next binade would begin.
__float128 exact_value(const Format& format, U64 bits) {
  const int exponent = static_cast<int>(bits & 0x7fff) >> format.fraction_bits;
  const int fraction = static_cast<int>(bits) & ((1 << format.fraction_bits) - 1);
  __float128 value = exponent == 0 ? fraction : fraction + (1 << format.fraction_bits);
  for (int e = std::max(exponent, 1) - format.bias - format.fraction_bits; e != 0;
       e += e < 0 ? 1 : -1) {
    value *= e < 0 ? 0.5 : 2;
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

U64 infinity(const Format& format) {
  return U64{0x7fff} >> format.fraction_bits << format.fraction_bits;
}
bool is_nan(const Format& format, U64 bits) { return (bits & 0x7fff) > infinity(format); }
bool is_infinite(const Format& format, U64 bits) { return (bits & 0x7fff) == infinity(format); }

/// The number nearest to x + tail (a tail far below x's last place), ties to even: by bisection
/// over all numbers.
U64 nearest(const Format& format, __float128 x, __float128 tail) {
  const bool negative = x < 0 || (x == 0 && tail < 0);
  if (negative) x = -x, tail = -tail;
  U64 low = 0;
  U64 high = infinity(format);
  const auto compare = [&](__float128 y) {
    return x != y ? (x < y ? -1 : 1) : tail < 0 ? -1 : tail > 0 ? 1 : 0;
  };
  while (high - low > 1) {
    const U64 middle = (low + high) / 2;
    (compare(exact_value(format, middle)) < 0 ? high : low) = middle;
  }
  const int side = compare((exact_value(format, low) + exact_value(format, high)) / 2);
  const U64 result = side < 0 || (side == 0 && low % 2 == 0) ? low : high;
  return result | (negative ? 0x8000 : 0);
}

const Inputs& halves() {
  static const Inputs inputs = [] {
    Inputs result;
    std::mt19937_64 random(3);
    static constexpr U64 special[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x7f,
                                      0x80,   0x3c00, 0x3c01, 0x3bff, 0xbc00, 0x7bff, 0xfbff,
                                      0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x3f80, 0xbf80, 0x7f7f,
                                      0x7f80, 0xff80, 0x7fc0, 0x4200, 0x4040};
    for (const U64 a : special) {
      for (const U64 b : special) {
        result.a.push_back(a | random() << 16);
        result.b.push_back(b | random() << 16);
        result.c.push_back(special[random() % std::size(special)] | random() << 16);
      }
    }
    for (int i = 0; i < 3000; ++i) {
      // Near each other's exponents in every second triple, where rounding matters.
      const U64 base = random() & 0x7800;
      for (auto* each : {&result.a, &result.b, &result.c}) {
        each->push_back(i % 2 == 0 ? random() : ((random() & 0x87ff) ^ base) | random() << 16);
      }
    }
    return result;
  }();
  return inputs;
}

/// a * b + c of finite numbers, or what PTX says of the others.
U64 exact_multiply_add(const Format& format, U64 a, U64 b, U64 c) {
  constexpr U64 nan = 0x7fff;
  if (is_nan(format, a) || is_nan(format, b) || is_nan(format, c)) return nan;
  const U64 sign = (a ^ b) & 0x8000;
  const bool infinite_product = is_infinite(format, a) || is_infinite(format, b);
  if (infinite_product && ((a & 0x7fff) == 0 || (b & 0x7fff) == 0)) return nan;
  if (infinite_product)
    return is_infinite(format, c) && (c & 0x8000) != sign ? nan : infinity(format) | sign;
  if (is_infinite(format, c)) return c;
  const __float128 product = exact_value(format, a) * exact_value(format, b);
  const __float128 addend = exact_value(format, c);
  const __float128 sum = product + addend;
  if (sum == 0) {
    const bool both = sign != 0 && (c & 0x8000) != 0;
    return product == 0 && addend == 0 && both ? 0x8000 : 0;
  }
  const __float128 back = sum - product;
  return nearest(format, sum, (product - (sum - back)) + (addend - back));
}

TEST(Halves, Arithmetic) {
  for (const Format& format : {half, bfloat}) {
    const U64 one = static_cast<U64>(format.bias) << format.fraction_bits;
    const auto add = [&](U64 a, U64 b) { return exact_multiply_add(format, a, one, b); };
    const auto multiply = [&](U64 a, U64 b) {
      // Added to a zero of the product's sign, which leaves the product's own.
      return exact_multiply_add(format, a, b, (a ^ b) & 0x8000);
    };
    const auto extreme = [&](U64 a, U64 b, bool larger, bool nan) -> U64 {
      const bool a_nan = is_nan(format, a);
      const bool b_nan = is_nan(format, b);
      if ((a_nan && b_nan) || (nan && (a_nan || b_nan))) return 0x7fff;
      if (a_nan || b_nan) return a_nan ? b : a;
      const auto order = [](U64 x) {
        return (x & 0x8000) != 0 ? -static_cast<int>(x & 0x7fff) - 1 : static_cast<int>(x);
      };
      return (order(a) < order(b)) != larger ? a : b;
    };
    const auto relu = [&](U64 x) -> U64 {
      return is_nan(format, x) ? 0x7fff : x >= 0x8000 ? 0 : x;
    };
    using Function = std::function<U64(U64, U64, U64)>;
    const auto expect = [&](const std::string& opcode, const std::string& operands,
                            const Function& f) {
      expect_instruction(opcode + "." + format.name + " %d, " + operands + ";", {16, 16, 16, 16},
                         halves(), f);
      expect_instruction(opcode + "." + format.name + "x2 %d, " + operands + ";", {}, halves(),
                         [&](U64 a, U64 b, U64 c) {
                           return f(a & 0xffff, b & 0xffff, c & 0xffff) |
                                  f(a >> 16, b >> 16, c >> 16) << 16;
                         });
    };
    expect("add.rn", "%a, %b", [&](U64 a, U64 b, U64) { return add(a, b); });
    expect("sub.rn", "%a, %b",
           [&](U64 a, U64 b, U64) { return is_nan(format, b) ? 0x7fff : add(a, b ^ 0x8000); });
    expect("mul.rn", "%a, %b", [&](U64 a, U64 b, U64) { return multiply(a, b); });
    expect("fma.rn", "%a, %b, %c",
           [&](U64 a, U64 b, U64 c) { return exact_multiply_add(format, a, b, c); });
    expect("fma.rn.relu", "%a, %b, %c",
           [&](U64 a, U64 b, U64 c) { return relu(exact_multiply_add(format, a, b, c)); });
    expect("min", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, false, false); });
    expect("max", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, true, false); });
    expect("min.NaN", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, false, true); });
    expect("max.NaN", "%a, %b", [&](U64 a, U64 b, U64) { return extreme(a, b, true, true); });
    if (format.bias == half.bias) {
      expect("fma.rn.sat", "%a, %b, %c", [&](U64 a, U64 b, U64 c) -> U64 {
        const U64 x = exact_multiply_add(format, a, b, c);
        return is_nan(format, x) || (x & 0x8000) != 0 ? 0 : std::min(x, one);
      });
      const auto flush = [](U64 x) { return (x & 0x7c00) == 0 ? x & 0x8000 : x; };
      expect("fma.rn.ftz", "%a, %b, %c", [&](U64 a, U64 b, U64 c) {
        return flush(exact_multiply_add(format, flush(a), flush(b), flush(c)));
      });
    }
    const auto expect_comparison = [&](const std::string& name, auto f) {
      expect_instruction(
          "setp." + name + "." + format.name + " %p|%q, %a, %b;\nselp.b32 %w1, 1, 0, %p;\n" +
              "selp.b32 %d, 2, %w1, %q;",
          {32, 16, 16, 16}, halves(), [&](U64 a, U64 b, U64) {
            const bool unordered = is_nan(format, a) || is_nan(format, b);
            return f(exact_value(format, a), exact_value(format, b), unordered) ? 1 : 2;
          });
      expect_instruction(
          "setp." + name + "." + format.name + "x2 %p|%q, %a, %b;\nselp.b32 %w1, 1, 0, %p;\n" +
              "selp.b32 %w2, 2, 0, %q;\nor.b32 %d, %w1, %w2;",
          {}, halves(), [&](U64 a, U64 b, U64) {
            const auto yes = [&](U64 x, U64 y) {
              const bool unordered = is_nan(format, x) || is_nan(format, y);
              return f(exact_value(format, x), exact_value(format, y), unordered);
            };
            return U64{yes(a & 0xffff, b & 0xffff) ? 1U : 0U} | (yes(a >> 16, b >> 16) ? 2U : 0U);
          });
    };
    using F = __float128;
    expect_comparison("eq", [](F a, F b, bool u) { return !u && a == b; });
    expect_comparison("ne", [](F a, F b, bool u) { return !u && a != b; });
    expect_comparison("lt", [](F a, F b, bool u) { return !u && a < b; });
    expect_comparison("ge", [](F a, F b, bool u) { return !u && a >= b; });
    expect_comparison("gtu", [](F a, F b, bool u) { return u || a > b; });
    expect_comparison("leu", [](F a, F b, bool u) { return u || a <= b; });
    expect_comparison("neu", [](F a, F b, bool u) { return u || a != b; });
    expect_comparison("nan", [](F, F, bool u) { return u; });
  }
}

/// x's neighbour in the direction of a rounding mode, or x itself, by bisection.
U64 directed(const Format& format, double x, int mode) {
  if (std::isnan(x)) return 0x7fff;
  const U64 sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isinf(x)) return sign | infinity(format);
  if (mode == 0) return nearest(format, x, 0) | sign;
  const __float128 magnitude = std::fabs(x);
  U64 low = 0;
  U64 high = infinity(format);
  while (high - low > 1) {
    const U64 middle = (low + high) / 2;
    (magnitude < exact_value(format, middle) ? high : low) = middle;
  }
  const bool up = (mode == 3 && sign == 0) || (mode == 2 && sign != 0);
  return sign | (up && exact_value(format, low) != magnitude ? high : low);
}

TEST(Halves, Conversions) {
  for (const Format& format : {half, bfloat}) {
    const std::string name = format.name;
    for (int mode = 0; mode < 4; ++mode) {
      if (format.bias == bfloat.bias && mode > 1) continue;
      const std::string rounding = std::string("cvt.") + roundings[mode] + ".";
      expect_instruction(rounding + name + ".f32 %d, %a;", {16, 32, 32, 32}, numbers<float>(),
                         [&](U64 a, U64, U64) { return directed(format, number<float>(a), mode); });
      if (mode <= 1) {
        expect_instruction(rounding + name + "x2.f32 %d, %a, %b;", {32, 32, 32, 32},
                           numbers<float>(), [&](U64 a, U64 b, U64) {
                             return directed(format, number<float>(a), mode) << 16 |
                                    directed(format, number<float>(b), mode);
                           });
      }
      if (format.bias == bfloat.bias) continue;
      expect_instruction(rounding + name + ".f64 %d, %a;", {16, 64, 32, 32}, numbers<double>(),
                         [&](U64 a, U64, U64) -> U64 {
                           // A NaN is shortened: sign, a quiet bit, the highest of its fraction.
                           if (std::isnan(number<double>(a)))
                             return (a >> 48 & 0x8000) | 0x7e00 | (a >> 42 & 0x3ff);
                           return directed(format, number<double>(a), mode);
                         });
      expect_instruction(
          rounding + name + ".s32 %d, %a;", {16, 32, 32, 32}, numbers<float>(),
          [&](U64 a, U64, U64) { return directed(format, static_cast<std::int32_t>(a), mode); });
      expect_instruction(
          rounding + name + ".u16 %d, %a;", {16, 16, 32, 32}, halves(),
          [&](U64 a, U64, U64) { return directed(format, static_cast<double>(a), mode); });
      expect_instruction(std::string("cvt.") + roundings[mode] + "i.s32.f16 %d, %a;",
                         {32, 16, 32, 32}, halves(), [&](U64 a, U64, U64) {
                           double x = static_cast<double>(exact_value(format, a));
                           if (is_infinite(format, a)) x = (a & 0x8000) != 0 ? -HUGE_VAL : HUGE_VAL;
                           if (is_nan(format, a)) x = NAN;
                           return to_integer<std::int32_t>(x, mode, false);
                         });
      expect_instruction(std::string("cvt.") + roundings[mode] + "i.u8.f16 %d, %a;",
                         {16, 16, 32, 32}, halves(), [&](U64 a, U64, U64) {
                           double x = static_cast<double>(exact_value(format, a));
                           if (is_infinite(format, a)) x = (a & 0x8000) != 0 ? -HUGE_VAL : HUGE_VAL;
                           if (is_nan(format, a)) x = NAN;
                           return to_integer<std::uint8_t>(x, mode, false);
                         });
    }
    expect_instruction(
        "cvt.f32." + name + " %d, %a;", {32, 16, 32, 32}, halves(),
        [&](U64 a, U64, U64) {
          if (is_nan(format, a)) return bits_of(NAN);
          if (is_infinite(format, a)) return bits_of((a & 0x8000) != 0 ? -HUGE_VALF : HUGE_VALF);
          const auto x = static_cast<float>(exact_value(format, a));
          return bits_of((a & 0x8000) != 0 ? -std::fabs(x) : x);
        },
        [](U64 found, U64 want) {
          return std::isnan(number<float>(want)) ? std::isnan(number<float>(found)) : found == want;
        });
  }
}

// ---- approximations

/// Within a relative or an absolute bound of a function computed in double; special values exactly.
void expect_approximation(const std::string& text, double relative, double absolute,
                          double (*f)(double, double)) {
  expect_instruction(
      text, {}, numbers<float>(),
      [&](U64 a, U64 b, U64) {
        return bits_of(static_cast<float>(f(number<float>(a), number<float>(b))));
      },
      [&](U64 found_bits, U64 want_bits) {
        const float found = number<float>(found_bits);
        const float want = number<float>(want_bits);
        if (std::isnan(want)) return std::isnan(found);
        if (std::isinf(want) || want == 0) return found_bits == want_bits;
        // A subnormal result may be flushed.
        if (std::fabs(want) < std::numeric_limits<float>::min() && found == 0) return true;
        const double error = std::fabs(double{found} - want);
        return error <= relative * std::fabs(want) || error <= absolute;
      });
}

TEST(Approximations, AreWithinTheirDocumentedError) {
  const double ulp = std::ldexp(1.0, -23);
  expect_approximation("rcp.approx.f32 %d, %a;", ulp, 0, [](double a, double) { return 1 / a; });
  expect_approximation("sqrt.approx.f32 %d, %a;", ulp, 0,
                       [](double a, double) { return std::sqrt(a); });
  expect_approximation("rsqrt.approx.f32 %d, %a;", std::ldexp(1.0, -22.9), 0,
                       [](double a, double) { return 1 / std::sqrt(a); });
  expect_approximation("div.full.f32 %d, %a, %b;", 2 * ulp, 0,
                       [](double a, double b) { return a / b; });
  expect_approximation("lg2.approx.f32 %d, %a;", std::ldexp(1.0, -22), std::ldexp(1.0, -22),
                       [](double a, double) { return std::log2(a); });
  expect_approximation("ex2.approx.f32 %d, %a;", 2 * ulp, 0,
                       [](double a, double) { return std::exp2(a); });
  expect_approximation("tanh.approx.f32 %d, %a;", std::ldexp(1.0, -11), 0,
                       [](double a, double) { return std::tanh(a); });
  expect_approximation("sin.approx.f32 %d, %a;", 0, std::ldexp(1.0, -20.5),
                       [](double a, double) { return std::sin(a); });
  expect_approximation("cos.approx.f32 %d, %a;", 0, std::ldexp(1.0, -20.5),
                       [](double a, double) { return std::cos(a); });
}

}  // namespace
}  // namespace warpwise
