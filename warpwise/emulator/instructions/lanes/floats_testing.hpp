#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "emulator/instruction.hpp"

// For tests of floating-point instructions: test numbers, this machine's arithmetic in each
// rounding mode, and equality of results.
namespace warpwise::test {

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

/// Returns all pairs of special numbers, then random numbers of any size or of moderate size.
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

/// Returns true if the bits are equal, or if both numbers are NaN. In single precision a found NaN
/// must be 0x7fffffff.
template <class T>
bool same_number(U64 found, U64 want) {
  if (std::isnan(number<T>(want))) {
    return sizeof(T) == 4 ? static_cast<U32>(found) == 0x7fffffff : std::isnan(number<T>(found));
  }
  return static_cast<BitsOf<T>>(found) == static_cast<BitsOf<T>>(want);
}

inline constexpr const char* roundings[] = {"rn", "rz", "rm", "rp"};
inline constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/// Computes f in a rounding mode. Volatile keeps the arithmetic between the mode switches.
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

}  // namespace warpwise::test
