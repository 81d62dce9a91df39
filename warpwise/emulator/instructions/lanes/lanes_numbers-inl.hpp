// Functions that compute one lane of the operations of lanes-inl.hpp. lanes_baseline.cpp and
// lanes_avx2.cpp include this after lanes-inl.hpp.

inline float canonical(float x) { return x == x ? x : std::bit_cast<float>(0x7fffffffU); }
inline double canonical(double x) { return x; }
inline double quiet(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | std::uint64_t{1} << 51);
}

/// Replaces a NaN result. Single precision has only one NaN. Double precision returns the first NaN
/// among the operands b, c and a.
inline float passed_on(float result, float, float, float = 0) { return canonical(result); }
inline double passed_on(double result, double a, double b, double c = 0) {
  if (result == result) return result;
  return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : result;
}

inline float flush(float x) { return without_subnormals(x); }

// A factor for flush() below. A result computed times this factor is rounded to 24 bits, even if
// the result itself is subnormal.
constexpr float scale_up = 0x1p64F;
constexpr float scaled_normal = 0x1p-62F;  // the smallest normal number, scaled

/// Flushes a result to zero. A GPU decides by the result rounded to 24 bits. That can be below the
/// smallest normal number although `result`, rounded as a subnormal, equals this number.
/// \param scaled  the result computed times scale_up, and thereby rounded to 24 bits
inline float flush(float result, float scaled) {
  const auto bits = std::bit_cast<std::uint32_t>(result);
  const bool tiny = (bits & 0x7fffffffU) == 0x00800000U && std::fabs(scaled) < scaled_normal;
  return std::bit_cast<float>((bits & 0x7f800000U) == 0 || tiny ? bits & 0x80000000U : bits);
}

template <class T>
inline T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = Storage<T>;
    const T equal = std::bit_cast<T>(std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b));
    const T smaller = a < b ? a : (b < a ? b : equal);
    const T result = a != a ? b : (b != b ? a : smaller);
    return passed_on(result, result, result);
  } else {
    return a < b ? a : b;
  }
}

template <class T>
inline T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = Storage<T>;
    const T equal = std::bit_cast<T>(std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b));
    const T larger = a > b ? a : (b > a ? b : equal);
    const T result = a != a ? b : (b != b ? a : larger);
    return passed_on(result, result, result);
  } else {
    return a > b ? a : b;
  }
}

template <class T>
inline T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);  // as the GPU's routine for division does
  if constexpr (std::is_signed_v<T>) {
    if (b == -1)
      return static_cast<T>(std::make_unsigned_t<T>{0} - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
inline T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class T>
inline T multiply_high(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(a) * b) >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>((static_cast<Wide>(a) * b) >> (8 * sizeof(T)));
  }
}

template <class T>
inline T multiply_low(T a, T b) {
  using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}

template <class T>
inline T add_wrapping(T a, T b) {
  using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}

template <class T>
inline T subtract_wrapping(T a, T b) {
  using U = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
}

inline std::int32_t saturate_s32(std::int64_t x) {
  return static_cast<std::int32_t>(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

template <class T>
inline T shift_left(T a, std::uint32_t n) {
  constexpr std::uint32_t bits = 8 * sizeof(T);
  return n >= bits ? T{0} : static_cast<T>(a << n);
}

template <class T>
inline T shift_right(T a, std::uint32_t n) {
  constexpr std::uint32_t bits = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n >= bits ? bits - 1 : n));
  else
    return n >= bits ? T{0} : static_cast<T>(a >> n);
}

/// Returns the position or length of a bit field as a GPU reads it: 8 bits for a 32-bit field, all
/// bits for a 64-bit field.
template <class T>
inline std::uint32_t field_operand(std::uint32_t value) {
  // All values above 255 have the same effect. The limit keeps position + length from wrapping.
  return sizeof(T) != 8 ? value & 0xff : value < 255 ? value : 255;
}

template <class T>
inline T bit_field_extract(T a, std::uint32_t position, std::uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr std::uint32_t bits = 8 * sizeof(T);
  const std::uint32_t from = field_operand<T>(position);
  const std::uint32_t count = field_operand<T>(length);
  if (count == 0) return 0;
  // Bits above the top are copies of the sign (zeros if unsigned).
  const U sign = std::is_signed_v<T> && a < 0 ? ~U{0} : U{0};
  const U shifted = from >= bits ? sign
                    : from == 0
                        ? static_cast<U>(a)
                        : static_cast<U>((static_cast<U>(a) >> from) | (sign << (bits - from)));
  if (count >= bits) return static_cast<T>(shifted);
  const U field = shifted & ((U{1} << count) - 1);
  if constexpr (std::is_signed_v<T>) {
    const std::uint32_t top = from + count - 1 < bits - 1 ? from + count - 1 : bits - 1;
    const bool negative = (static_cast<U>(a) >> top & 1) != 0;
    return static_cast<T>(negative ? field | ~((U{1} << count) - 1) : field);
  }
  return static_cast<T>(field);
}

template <class T>
inline T bit_field_insert(T a, T b, std::uint32_t position, std::uint32_t length) {
  constexpr std::uint32_t bits = 8 * sizeof(T);
  const std::uint32_t from = field_operand<T>(position);
  const std::uint32_t count = field_operand<T>(length);
  if (count == 0 || from >= bits) return b;
  const T ones = count >= bits ? ~T{0} : (T{1} << count) - 1;
  const T mask = ones << from;
  return (b & ~mask) | ((a << from) & mask);
}

template <class T>
inline T reverse_bits(T x) {
  T result = 0;
  for (std::size_t i = 0; i < 8 * sizeof(T); ++i) result |= (x >> i & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}

/// Returns the position of the highest bit that differs from the sign; all ones if there is none.
template <class T>
inline std::uint32_t find_bit(T a) {
  using U = std::make_unsigned_t<T>;
  U bits = static_cast<U>(a);
  if constexpr (std::is_signed_v<T>) {
    if (a < 0) bits = ~bits;
  }
  return bits == 0 ? 0xffffffffU
                   : static_cast<std::uint32_t>(8 * sizeof(T) - 1) -
                         static_cast<std::uint32_t>(std::countl_zero(bits));
}

inline std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selectors) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t selector = selectors >> (4 * k) & 0xf;
    std::uint32_t byte = static_cast<std::uint32_t>(both >> (8 * (selector & 7))) & 0xff;
    if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * k);
  }
  return result;
}

/// Returns the byte selectors of a mode of prmt.
inline std::uint32_t permutation_of(PermuteMode mode, std::uint32_t c) {
  const std::uint32_t n = c & 3;
  const std::uint32_t forward[4] = {0x3210, 0x4321, 0x5432, 0x6543};
  const std::uint32_t backward[4] = {0x5670, 0x6701, 0x7012, 0x0123};
  const std::uint32_t replicate[4] = {0x0000, 0x1111, 0x2222, 0x3333};
  const std::uint32_t clamp_left[4] = {0x3210, 0x3211, 0x3222, 0x3333};
  const std::uint32_t clamp_right[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  const std::uint32_t halves[4] = {0x1010, 0x3232, 0x1010, 0x3232};
  switch (mode) {
    case PermuteMode::f4e: return forward[n];
    case PermuteMode::b4e: return backward[n];
    case PermuteMode::rc8: return replicate[n];
    case PermuteMode::ecl: return clamp_left[n];
    case PermuteMode::ecr: return clamp_right[n];
    case PermuteMode::rc16: return halves[n];
    case PermuteMode::selectors: break;
  }
  return c;
}

inline std::uint32_t logic3(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                            std::uint32_t table) {
  std::uint32_t result = 0;
  for (int k = 0; k < 8; ++k) {
    const std::uint32_t chosen = (table >> k & 1) != 0 ? ~0U : 0U;
    result |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c) & chosen;
  }
  return result;
}

template <class A, class B>
inline std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (int k = 0; k < 4; ++k) {
    c += static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<A>(a >> (8 * k))) *
                                    static_cast<std::int32_t>(static_cast<B>(b >> (8 * k))));
  }
  return c;
}

template <class A, class B>
inline std::uint32_t dot2(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t high) {
  for (int k = 0; k < 2; ++k) {
    c += static_cast<std::uint32_t>(static_cast<std::int64_t>(static_cast<A>(a >> (16 * k))) *
                                    static_cast<B>(b >> (8 * (k + 2 * static_cast<int>(high)))));
  }
  return c;
}

inline std::int32_t signed_24(std::int32_t a) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8;
}
inline std::uint32_t unsigned_24(std::uint32_t a) { return a & 0xffffffU; }

/// Returns the position of the n-th set bit from `base` on: upwards for a positive n, downwards for
/// a negative one, at `base` itself for 0. All ones if there is none.
inline std::uint32_t nth_set_bit(std::uint32_t bits, std::uint32_t base, std::int32_t n) {
  const std::int64_t step = n < 0 ? -1 : 1;
  std::int64_t left = n == 0 ? 1 : n * step;
  for (std::int64_t at = base; at >= 0 && at < 32; at += step) {
    if ((bits >> at & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(at);
    if (n == 0) break;
  }
  return 0xffffffffU;
}

/// Extends the lowest n < 32 bits of a, with zeros or with their sign.
inline std::uint32_t extend_bits(std::uint32_t a, std::uint32_t n, bool sign) {
  if (n == 0) return 0;
  const std::uint32_t ones = (1U << n) - 1;
  return sign && (a >> (n - 1) & 1) != 0 ? (a & ones) | ~ones : a & ones;
}
