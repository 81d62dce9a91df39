// The operations whose lanes do not meet: arithmetic, logic, comparisons, selections, simple conversions.
// No include guard: lanes.cpp includes this once for each instruction set, in a namespace of its own, with every
// header that it needs included before. The loops over 32 lanes are written for the compiler to vectorise.

template <class T>
using Storage = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
inline T from_storage(Storage<T> bits) {
  if constexpr (sizeof(T) == sizeof(bits)) return std::bit_cast<T>(bits);
  else return static_cast<T>(bits);
}

template <class T>
inline Storage<T> to_storage(T value) {
  if constexpr (sizeof(T) == 2) return static_cast<std::uint16_t>(value);
  else if constexpr (sizeof(T) == 1) return static_cast<std::uint8_t>(value);
  else return std::bit_cast<Storage<T>>(value);
}

/// Writes the active lanes. Lanes that have exited may hold anything.
template <class S>
inline void put(const Warp& warp, std::int32_t operand, const S* out) {
  S* to = destination<S>(warp, operand);
  if (warp.whole) {
    for (int i = 0; i < warp_lanes; ++i) to[i] = out[i];
  } else {
    const Mask active = warp.active;
    for (int i = 0; i < warp_lanes; ++i) to[i] = (active >> i & 1) != 0 ? out[i] : to[i];
  }
}

/// One bit for each byte that is 1.
inline Mask gather_bits(const std::uint8_t* flags) {
  Mask mask = 0;
  for (int k = 0; k < 4; ++k) {
    std::uint64_t eight;
    std::memcpy(&eight, flags + 8 * k, 8);
    mask |= static_cast<Mask>((eight * 0x0102040810204080U) >> 56) << (8 * k);
  }
  return mask;
}

template <class R, class A, class Op>
void unary(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<A>>(warp, op.a);
  alignas(64) Storage<R> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) out[i] = to_storage<R>(Op{}(from_storage<A>(a[i])));
  put(warp, op.dst, out);
}

template <class R, class A, class B, class Op>
void binary(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<A>>(warp, op.a);
  const auto* b = source<Storage<B>>(warp, op.b);
  alignas(64) Storage<R> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = to_storage<R>(Op{}(from_storage<A>(a[i]), from_storage<B>(b[i])));
  }
  put(warp, op.dst, out);
}

template <class R, class A, class B, class C, class Op>
void ternary(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<A>>(warp, op.a);
  const auto* b = source<Storage<B>>(warp, op.b);
  const auto* c = source<Storage<C>>(warp, op.c);
  alignas(64) Storage<R> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = to_storage<R>(
        Op{}(from_storage<A>(a[i]), from_storage<B>(b[i]), from_storage<C>(c[i])));
  }
  put(warp, op.dst, out);
}

/// As ternary, with the operation's variant as a further argument.
template <class R, class A, class B, class C, class Op>
void ternary_variant(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<A>>(warp, op.a);
  const auto* b = source<Storage<B>>(warp, op.b);
  const auto* c = source<Storage<C>>(warp, op.c);
  alignas(64) Storage<R> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = to_storage<R>(
        Op{}(from_storage<A>(a[i]), from_storage<B>(b[i]), from_storage<C>(c[i]), op.variant));
  }
  put(warp, op.dst, out);
}

template <class R, class A, class B, class C, class D, class Op>
void quaternary(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<A>>(warp, op.a);
  const auto* b = source<Storage<B>>(warp, op.b);
  const auto* c = source<Storage<C>>(warp, op.c);
  const auto* d = source<Storage<D>>(warp, op.d);
  alignas(64) Storage<R> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = to_storage<R>(Op{}(from_storage<A>(a[i]), from_storage<B>(b[i]),
                                from_storage<C>(c[i]), from_storage<D>(d[i])));
  }
  put(warp, op.dst, out);
}

template <class T>
inline T without_subnormals(T x) {
  if constexpr (std::is_same_v<T, float>) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return std::bit_cast<float>((bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits);
  } else {
    return x;
  }
}

/// setp: variant's lowest two bits combine the comparison with predicate c: 1 and, 2 or, 3 xor; bit 2
/// negates c; bit 3 says that dst2 takes the opposite comparison, combined likewise; bit 4 flushes subnormals.
template <class T, class Op>
void compare(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  alignas(64) std::uint8_t flags[warp_lanes];
  if (std::is_same_v<T, float> && (op.variant & 16) != 0) {
    for (int i = 0; i < warp_lanes; ++i) {
      flags[i] = Op{}(without_subnormals(from_storage<T>(a[i])), without_subnormals(from_storage<T>(b[i])));
    }
  } else {
    for (int i = 0; i < warp_lanes; ++i) {
      flags[i] = Op{}(from_storage<T>(a[i]), from_storage<T>(b[i])) ? 1 : 0;
    }
  }
  Mask result = gather_bits(flags);
  Mask opposite = ~result;
  if ((op.variant & 3) != 0) {
    Mask c = predicate(warp, op.c);
    if ((op.variant & 4) != 0) c = ~c;
    const auto combine = [&](Mask m) {
      return (op.variant & 3) == 1 ? m & c : (op.variant & 3) == 2 ? m | c : m ^ c;
    };
    result = combine(result);
    opposite = combine(opposite);
  }
  set_predicate(warp, op.dst, result);
  if ((op.variant & 8) != 0) set_predicate(warp, op.dst2, opposite);
}

/// set: as setp without a second result; true is variant >> 8 of what the destination's type holds.
template <class R, class T, class Op>
void compare_to_value(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  Mask c = (op.variant & 3) != 0 ? predicate(warp, op.c) : 0;
  if ((op.variant & 4) != 0) c = ~c;
  const bool flushes = (op.variant & 16) != 0;
  const auto operand = [&](Storage<T> bits) {
    const T x = from_storage<T>(bits);
    return flushes ? without_subnormals(x) : x;
  };
  alignas(64) Storage<R> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    bool result = Op{}(operand(a[i]), operand(b[i]));
    const bool other = (c >> i & 1) != 0;
    switch (op.variant & 3) {
      case 1: result = result && other; break;
      case 2: result = result || other; break;
      case 3: result = result != other; break;
      default: break;
    }
    constexpr bool is_float = std::is_floating_point_v<R>;
    const R yes = is_float ? static_cast<R>(1) : static_cast<R>(-1);
    out[i] = to_storage<R>(result ? yes : static_cast<R>(0));
  }
  put(warp, op.dst, out);
}

template <class T>
void select(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  const Mask c = predicate(warp, op.c) ^ ((op.variant & 4) != 0 ? all_lanes : 0);
  alignas(64) Storage<T> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) out[i] = (c >> i & 1) != 0 ? a[i] : b[i];
  put(warp, op.dst, out);
}

template <class Op>
void predicate_binary(Warp& warp, const Operation& op) {
  set_predicate(warp, op.dst, Op{}(predicate(warp, op.a), predicate(warp, op.b)));
}

template <class Op>
void predicate_unary(Warp& warp, const Operation& op) {
  set_predicate(warp, op.dst, Op{}(predicate(warp, op.a)));
}

/// Integer to integer. The destination register may be wider than its type D, which is then extended;
/// variant masks what a register of 16 bits keeps.
template <class D, class S>
void convert_integer(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<S>>(warp, op.a);
  alignas(64) Storage<D> out[warp_lanes];
  if constexpr (sizeof(D) == 8) {
    for (int i = 0; i < warp_lanes; ++i) {
      out[i] = static_cast<std::uint64_t>(static_cast<D>(from_storage<S>(a[i])));
    }
  } else {
    const std::uint32_t kept = op.variant;
    for (int i = 0; i < warp_lanes; ++i) {
      out[i] = static_cast<std::uint32_t>(static_cast<D>(from_storage<S>(a[i]))) & kept;
    }
  }
  put(warp, op.dst, out);
}

template <class D, class S>
void convert_integer_saturating(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<S>>(warp, op.a);
  alignas(64) Storage<D> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const S value = from_storage<S>(a[i]);
    D result = static_cast<D>(value);
    if (std::cmp_less(value, std::numeric_limits<D>::min())) result = std::numeric_limits<D>::min();
    if (std::cmp_greater(value, std::numeric_limits<D>::max())) result = std::numeric_limits<D>::max();
    if constexpr (sizeof(D) == 8) out[i] = static_cast<std::uint64_t>(result);
    else out[i] = static_cast<std::uint32_t>(result) & op.variant;
  }
  put(warp, op.dst, out);
}

/// A value of the same width, whose bits a register move carries.
template <class T>
void move(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  if (warp.whole) {
    std::memcpy(destination<Storage<T>>(warp, op.dst), a, sizeof(Storage<T>) * warp_lanes);
  } else {
    put(warp, op.dst, a);
  }
}

/// {a, b, ...} of `bits` each into one register, and back: lists hold the element registers.
template <class R, int bits>
void pack(Warp& warp, const Operation& op) {
  constexpr int parts = static_cast<int>(sizeof(R)) * 8 / bits;
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  alignas(64) R out[warp_lanes] = {};
  for (int part = 0; part < parts; ++part) {
    const auto* a = source<std::uint32_t>(warp, list[part]);
    for (int i = 0; i < warp_lanes; ++i) out[i] |= static_cast<R>(a[i]) << (part * bits);
  }
  put(warp, op.dst, out);
}

template <class R, int bits>
void unpack(Warp& warp, const Operation& op) {
  constexpr int parts = static_cast<int>(sizeof(R)) * 8 / bits;
  constexpr std::uint32_t kept = bits == 32 ? 0xffffffffU : (1U << (bits % 32)) - 1;
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  alignas(64) R whole[warp_lanes];
  std::memcpy(whole, source<R>(warp, op.a), sizeof(whole));
  for (int part = 0; part < parts; ++part) {
    if (list[part] == Operation::none) continue;  // `_`
    alignas(64) std::uint32_t out[warp_lanes];
    for (int i = 0; i < warp_lanes; ++i) {
      out[i] = static_cast<std::uint32_t>(whole[i] >> (part * bits)) & kept;
    }
    put(warp, list[part], out);
  }
}

// ---- numbers

inline float canonical(float x) { return x == x ? x : std::bit_cast<float>(0x7fffffffU); }
inline double canonical(double x) { return x; }
inline double quiet(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | std::uint64_t{1} << 51); }

/// A result that is NaN: single precision has one, double precision passes on an operand, b before c before a.
inline float passed_on(float result, float, float, float = 0) { return canonical(result); }
inline double passed_on(double result, double a, double b, double c = 0) {
  if (result == result) return result;
  return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : result;
}

inline float flush(float x) { return without_subnormals(x); }

// Two powers of two that move the smallest normal numbers away from the subnormals.
constexpr float scale_up = 0x1p64F;
constexpr float scaled_normal = 0x1p-62F;  // of the smallest normal number

/// A rounded result, flushed. Numbers that only the coarse steps of subnormals round up to the smallest normal one are
/// flushed too, as on a GPU: `scaled` is the same result computed of scale_up times as much, without those steps.
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
  if (b == 0) return static_cast<T>(-1);  // what the GPU's own routine gives
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(std::make_unsigned_t<T>{0} - static_cast<std::make_unsigned_t<T>>(a));
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
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (n >= bits ? bits - 1 : n));
  else return n >= bits ? T{0} : static_cast<T>(a >> n);
}

/// A position or length: GPUs look at 8 bits of it for fields of 32 bits, at all of it for those of 64.
template <class T>
inline std::uint32_t field_operand(std::uint32_t value) {
  // Beyond 255 its size does not matter, and sums of two do not wrap.
  return sizeof(T) != 8 ? value & 0xff : value < 255 ? value : 255;
}

template <class T>
inline T bit_field_extract(T a, std::uint32_t position, std::uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr std::uint32_t bits = 8 * sizeof(T);
  const std::uint32_t from = field_operand<T>(position);
  const std::uint32_t count = field_operand<T>(length);
  if (count == 0) return 0;
  // Beyond the top lie copies of the sign (zeros of an unsigned).
  const U sign = std::is_signed_v<T> && a < 0 ? ~U{0} : U{0};
  const U shifted = from >= bits ? sign
                    : from == 0  ? static_cast<U>(a)
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

/// Position of the highest bit that differs from the sign; all ones if there is none.
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

/// The selectors of prmt's special modes, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
inline std::uint32_t permutation_of(std::uint32_t mode, std::uint32_t c) {
  const std::uint32_t n = c & 3;
  const std::uint32_t forward[4] = {0x3210, 0x4321, 0x5432, 0x6543};
  const std::uint32_t backward[4] = {0x5670, 0x6701, 0x7012, 0x0123};
  const std::uint32_t replicate[4] = {0x0000, 0x1111, 0x2222, 0x3333};
  const std::uint32_t clamp_left[4] = {0x3210, 0x3211, 0x3222, 0x3333};
  const std::uint32_t clamp_right[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  const std::uint32_t halves[4] = {0x1010, 0x3232, 0x1010, 0x3232};
  switch (mode) {
    case 1: return forward[n];
    case 2: return backward[n];
    case 3: return replicate[n];
    case 4: return clamp_left[n];
    case 5: return clamp_right[n];
    case 6: return halves[n];
    default: return c;
  }
}

inline std::uint32_t logic3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
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

/// The lowest n < 32 bits of a, zero- or sign-extended.
inline std::uint32_t extend_bits(std::uint32_t a, std::uint32_t n, bool sign) {
  if (n == 0) return 0;
  const std::uint32_t ones = (1U << n) - 1;
  return sign && (a >> (n - 1) & 1) != 0 ? (a & ones) | ~ones : a & ones;
}

// ---- packed integers of the video instructions: variant bits

enum PackedVariant : std::uint32_t {
  packed_a_signed = 1, packed_b_signed = 2, packed_d_signed = 4, packed_saturate = 8, packed_accumulate = 16,
  packed_comparison_shift = 8,  // vset: 0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge
};

template <int parts, class Op>
void packed(Warp& warp, const Operation& op) {
  constexpr int bits = 32 / parts;
  constexpr std::uint32_t kept = (1U << bits) - 1;
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  const auto* c = source<std::uint32_t>(warp, op.c);
  const std::uint32_t variant = op.variant;
  const auto element = [](std::uint32_t word, int k, bool is_signed) {
    const std::uint32_t raw = word >> (k * bits) & kept;
    return is_signed ? static_cast<std::int32_t>(raw << (32 - bits)) >> (32 - bits)
                     : static_cast<std::int32_t>(raw);
  };
  const bool d_signed = (variant & packed_d_signed) != 0;
  const std::int32_t low = d_signed ? -(1 << (bits - 1)) : 0;
  const std::int32_t high = d_signed ? (1 << (bits - 1)) - 1 : static_cast<std::int32_t>(kept);
  const bool saturate = (variant & packed_saturate) != 0;
  const bool accumulate = (variant & packed_accumulate) != 0;
  alignas(64) std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    std::uint32_t result = accumulate ? c[i] : 0;
    std::uint32_t word = 0;
    for (int k = 0; k < parts; ++k) {
      std::int32_t r = Op{}(element(a[i], k, (variant & packed_a_signed) != 0),
                            element(b[i], k, (variant & packed_b_signed) != 0), variant);
      if (saturate) r = r < low ? low : r > high ? high : r;
      word |= (static_cast<std::uint32_t>(r) & kept) << (k * bits);
      if (accumulate) result += static_cast<std::uint32_t>(r);
    }
    out[i] = accumulate ? result : word;
  }
  put(warp, op.dst, out);
}

/// vabsdiff4.u32.u32.u32, with or without .add: what the SAD kernels are made of.
template <bool accumulate>
void absolute_differences(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  const auto* c = source<std::uint32_t>(warp, op.c);
  alignas(64) std::uint32_t out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    std::uint32_t result = accumulate ? c[i] : 0;
    for (int k = 0; k < 4; ++k) {
      const std::int32_t x = static_cast<std::int32_t>(a[i] >> (8 * k) & 0xff) -
                             static_cast<std::int32_t>(b[i] >> (8 * k) & 0xff);
      const auto difference = static_cast<std::uint32_t>(x < 0 ? -x : x);
      result = accumulate ? result + difference : result | difference << (8 * k);
    }
    out[i] = result;
  }
  put(warp, op.dst, out);
}

// ---- extended precision: variant 1 reads the carry, 2 writes it

template <class T, bool subtract>
void add_with_carry(Warp& warp, const Operation& op) {
  const auto* a = source<T>(warp, op.a);
  const auto* b = source<T>(warp, op.b);
  alignas(64) T out[warp_lanes];
  Mask carries = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    const T in = (op.variant & 1) != 0 ? (warp.carry >> i & 1) : 0;
    bool carry = false;
    if constexpr (subtract) {
      const T first = a[i] - b[i];
      out[i] = first - in;
      carry = a[i] < b[i] || first < in;
    } else {
      const T first = a[i] + b[i];
      out[i] = first + in;
      carry = first < a[i] || out[i] < first;
    }
    carries |= static_cast<Mask>(carry) << i;
  }
  put(warp, op.dst, out);
  if ((op.variant & 2) != 0) warp.carry = (warp.carry & ~warp.active) | (carries & warp.active);
}

template <class T, bool high>
void multiply_add_with_carry(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  const auto* c = source<Storage<T>>(warp, op.c);
  alignas(64) Storage<T> out[warp_lanes];
  Mask carries = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    using U = Storage<T>;
    const T x = from_storage<T>(a[i]);
    const T y = from_storage<T>(b[i]);
    const U product = static_cast<U>(high ? multiply_high(x, y) : multiply_low(x, y));
    const U first = product + c[i];
    out[i] = first + ((op.variant & 1) != 0 ? (warp.carry >> i & 1) : 0);
    carries |= static_cast<Mask>(first < product || out[i] < first) << i;
  }
  put(warp, op.dst, out);
  if ((op.variant & 2) != 0) warp.carry = (warp.carry & ~warp.active) | (carries & warp.active);
}

// ---- the table

template <class T>
constexpr Width width_of() {
  return sizeof(T) == 8 ? Width::w64 : sizeof(T) == 4 ? Width::w32 : Width::w16;
}

template <class R, class A, class Op>
void add_unary(Table& table, const std::string& name, Op) {
  table[name] = {unary<R, A, Op>, {width_of<R>(), Width::none, width_of<A>()}};
}
template <class R, class A, class B, class Op>
void add_binary(Table& table, const std::string& name, Op) {
  table[name] = {binary<R, A, B, Op>, {width_of<R>(), Width::none, width_of<A>(), width_of<B>()}};
}
template <class R, class A, class B, class C, class Op>
void add_ternary(Table& table, const std::string& name, Op) {
  table[name] = {ternary<R, A, B, C, Op>,
                 {width_of<R>(), Width::none, width_of<A>(), width_of<B>(), width_of<C>()}};
}
template <class R, class A, class B, class C, class Op>
void add_ternary_variant(Table& table, const std::string& name, Op) {
  table[name] = {ternary_variant<R, A, B, C, Op>,
                 {width_of<R>(), Width::none, width_of<A>(), width_of<B>(), width_of<C>()}};
}
template <class R, class A, class B, class C, class D, class Op>
void add_quaternary(Table& table, const std::string& name, Op) {
  table[name] = {
      quaternary<R, A, B, C, D, Op>,
      {width_of<R>(), Width::none, width_of<A>(), width_of<B>(), width_of<C>(), width_of<D>()}};
}

template <class T, class Op>
void add_comparison(Table& table, const std::string& comparison, const std::string& type, Op) {
  const Width w = width_of<T>();
  const Width p = Width::predicate;
  table["setp." + comparison + "." + type] = {compare<T, Op>, {p, p, w, w, p}};
  table["set." + comparison + ".u32." + type] = {compare_to_value<std::uint32_t, T, Op>,
                                                 {Width::w32, Width::none, w, w, p}};
  table["set." + comparison + ".s32." + type] = table["set." + comparison + ".u32." + type];
  table["set." + comparison + ".f32." + type] = {compare_to_value<float, T, Op>,
                                                 {Width::w32, Width::none, w, w, p}};
}

template <class T>
void add_comparisons(Table& table, const std::string& type) {
  add_comparison<T>(table, "eq", type, [](T a, T b) { return a == b; });
  if constexpr (std::is_floating_point_v<T>) {
    add_comparison<T>(table, "ne", type, [](T a, T b) { return a < b || a > b; });
    add_comparison<T>(table, "equ", type, [](T a, T b) { return !(a < b || a > b); });
    add_comparison<T>(table, "neu", type, [](T a, T b) { return a != b; });
    add_comparison<T>(table, "ltu", type, [](T a, T b) { return !(a >= b); });
    add_comparison<T>(table, "leu", type, [](T a, T b) { return !(a > b); });
    add_comparison<T>(table, "gtu", type, [](T a, T b) { return !(a <= b); });
    add_comparison<T>(table, "geu", type, [](T a, T b) { return !(a < b); });
    add_comparison<T>(table, "num", type, [](T a, T b) { return a == a && b == b; });
    add_comparison<T>(table, "nan", type, [](T a, T b) { return a != a || b != b; });
  } else {
    add_comparison<T>(table, "ne", type, [](T a, T b) { return a != b; });
  }
  const auto order = [&](const char* lt, const char* le, const char* gt, const char* ge) {
    add_comparison<T>(table, lt, type, [](T a, T b) { return a < b; });
    add_comparison<T>(table, le, type, [](T a, T b) { return a <= b; });
    add_comparison<T>(table, gt, type, [](T a, T b) { return a > b; });
    add_comparison<T>(table, ge, type, [](T a, T b) { return a >= b; });
  };
  order("lt", "le", "gt", "ge");
  if constexpr (std::is_unsigned_v<T>) order("lo", "ls", "hi", "hs");
}

template <class T>
void add_integer(Table& table, const std::string& type) {
  const auto name = [&](const char* opcode) { return std::string(opcode) + "." + type; };
  using U = std::make_unsigned_t<T>;
  add_binary<T, T, T>(table, name("add"), [](T a, T b) { return add_wrapping(a, b); });
  add_binary<T, T, T>(table, name("sub"), [](T a, T b) { return subtract_wrapping(a, b); });
  add_binary<T, T, T>(table, name("mul.lo"), [](T a, T b) { return multiply_low(a, b); });
  add_binary<T, T, T>(table, name("mul.hi"), [](T a, T b) { return multiply_high(a, b); });
  add_ternary<T, T, T, T>(table, name("mad.lo"),
                          [](T a, T b, T c) { return add_wrapping(multiply_low(a, b), c); });
  add_ternary<T, T, T, T>(table, name("mad.hi"),
                          [](T a, T b, T c) { return add_wrapping(multiply_high(a, b), c); });
  if constexpr (sizeof(T) < 8) {
    using W = std::conditional_t<sizeof(T) == 2,
                                 std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                                 std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    add_binary<W, T, T>(table, name("mul.wide"), [](T a, T b) {
      return static_cast<W>(static_cast<W>(a) * static_cast<W>(b));
    });
    add_ternary<W, T, T, W>(table, name("mad.wide"), [](T a, T b, W c) {
      return add_wrapping(static_cast<W>(static_cast<W>(a) * static_cast<W>(b)), c);
    });
  }
  add_ternary<T, T, T, T>(table, name("sad"), [](T a, T b, T c) {
    const U difference = a < b ? static_cast<U>(static_cast<U>(b) - static_cast<U>(a))
                               : static_cast<U>(static_cast<U>(a) - static_cast<U>(b));
    return static_cast<T>(static_cast<U>(c) + difference);
  });
  add_binary<T, T, T>(table, name("div"), [](T a, T b) { return divide(a, b); });
  add_binary<T, T, T>(table, name("rem"), [](T a, T b) { return remainder(a, b); });
  add_binary<T, T, T>(table, name("min"), [](T a, T b) { return minimum(a, b); });
  add_binary<T, T, T>(table, name("max"), [](T a, T b) { return maximum(a, b); });
  add_binary<T, T, std::uint32_t>(table, name("shr"),
                                  [](T a, std::uint32_t n) { return shift_right(a, n); });
  if constexpr (std::is_signed_v<T>) {
    add_unary<T, T>(table, name("abs"), [](T a) {
      return a < 0 ? subtract_wrapping(T{0}, a) : a;
    });
    add_unary<T, T>(table, name("neg"), [](T a) { return subtract_wrapping(T{0}, a); });
  }
  if constexpr (sizeof(T) >= 4) {
    add_ternary<T, T, std::uint32_t, std::uint32_t>(
        table, name("bfe"), [](T a, std::uint32_t from, std::uint32_t n) { return bit_field_extract(a, from, n); });
    add_unary<std::uint32_t, T>(table, name("bfind"), [](T a) { return find_bit(a); });
    add_unary<std::uint32_t, T>(table, name("bfind.shiftamt"), [](T a) {
      const std::uint32_t at = find_bit(a);
      return at == 0xffffffffU ? at : static_cast<std::uint32_t>(8 * sizeof(T) - 1) - at;
    });
  }
  add_comparisons<T>(table, type);
}

template <class T>
void add_bits(Table& table, const std::string& type) {
  const auto name = [&](const char* opcode) { return std::string(opcode) + "." + type; };
  add_binary<T, T, T>(table, name("and"), [](T a, T b) { return static_cast<T>(a & b); });
  add_binary<T, T, T>(table, name("or"), [](T a, T b) { return static_cast<T>(a | b); });
  add_binary<T, T, T>(table, name("xor"), [](T a, T b) { return static_cast<T>(a ^ b); });
  add_unary<T, T>(table, name("not"), [](T a) { return static_cast<T>(~a); });
  add_unary<T, T>(table, name("cnot"), [](T a) { return static_cast<T>(a == 0); });
  add_binary<T, T, std::uint32_t>(table, name("shl"),
                                  [](T a, std::uint32_t n) { return shift_left(a, n); });
  add_binary<T, T, std::uint32_t>(table, name("shr"),
                                  [](T a, std::uint32_t n) { return shift_right(a, n); });
  const Width w = width_of<T>();
  const Width p = Width::predicate;
  table[name("selp")] = {select<T>, {w, Width::none, w, w, p}};
  table[name("mov")] = {move<T>, {w, Width::none, w}};
  add_ternary<T, T, T, std::int32_t>(table, name("slct") + ".s32",
                                     [](T a, T b, std::int32_t c) { return c >= 0 ? a : b; });
  add_ternary<T, T, T, float>(table, name("slct") + ".f32",
                              [](T a, T b, float c) { return c >= 0 ? a : b; });
  add_comparison<T>(table, "eq", type, [](T a, T b) { return a == b; });
  add_comparison<T>(table, "ne", type, [](T a, T b) { return a != b; });
  if constexpr (sizeof(T) >= 4) {
    add_unary<std::uint32_t, T>(table, name("popc"),
                                [](T a) { return static_cast<std::uint32_t>(std::popcount(a)); });
    add_unary<std::uint32_t, T>(table, name("clz"),
                                [](T a) { return static_cast<std::uint32_t>(std::countl_zero(a)); });
    add_unary<T, T>(table, name("brev"), [](T a) { return reverse_bits(a); });
    add_quaternary<T, T, T, std::uint32_t, std::uint32_t>(
        table, name("bfi"), [](T a, T b, std::uint32_t from, std::uint32_t n) {
          return bit_field_insert(a, b, from, n);
        });
  }
}

template <class T>
void add_floating(Table& table, const std::string& type) {
  const auto name = [&](const char* opcode) { return std::string(opcode) + "." + type; };
  add_binary<T, T, T>(table, name("add"), [](T a, T b) { return passed_on(a + b, a, b); });
  add_binary<T, T, T>(table, name("sub"), [](T a, T b) { return passed_on(a - b, a, b); });
  add_binary<T, T, T>(table, name("mul"), [](T a, T b) { return passed_on(a * b, a, b); });
  add_binary<T, T, T>(table, name("div"), [](T a, T b) { return canonical(a / b); });
  add_ternary<T, T, T, T>(table, name("fma"), [](T a, T b, T c) { return passed_on(std::fma(a, b, c), a, b, c); });
  add_binary<T, T, T>(table, name("min"), [](T a, T b) { return minimum(a, b); });
  add_binary<T, T, T>(table, name("max"), [](T a, T b) { return maximum(a, b); });
  using U = Storage<T>;
  constexpr U sign = U{1} << (8 * sizeof(T) - 1);
  // They are additions to a GPU: a NaN becomes a quiet one, and keeps its sign.
  add_unary<T, T>(table, name("abs"), [](T a) {
    return a == a ? std::bit_cast<T>(static_cast<U>(std::bit_cast<U>(a) & ~sign)) : passed_on(a, a, a);
  });
  add_unary<T, T>(table, name("neg"), [](T a) {
    return a == a ? std::bit_cast<T>(static_cast<U>(std::bit_cast<U>(a) ^ sign)) : passed_on(a, a, a);
  });
  add_unary<T, T>(table, name("sqrt"), [](T a) { return canonical(std::sqrt(a)); });
  add_unary<T, T>(table, name("rcp"), [](T a) { return canonical(T{1} / a); });
  add_binary<U, U, U>(table, name("copysign"),
                      [](U a, U b) { return (b & ~sign) | (a & sign); });
  add_comparisons<T>(table, type);
}

/// Single precision with subnormal operands and results flushed to zero.
inline void add_flushing(Table& table) {
  add_binary<float, float, float>(table, "add.ftz.f32", [](float a, float b) {
    return flush(canonical(flush(a) + flush(b)));
  });
  add_binary<float, float, float>(table, "sub.ftz.f32", [](float a, float b) {
    return flush(canonical(flush(a) - flush(b)));
  });
  add_binary<float, float, float>(table, "mul.ftz.f32", [](float a, float b) {
    return flush(canonical(flush(a) * flush(b)), flush(a) * scale_up * flush(b));
  });
  add_ternary<float, float, float, float>(table, "fma.ftz.f32", [](float a, float b, float c) {
    return flush(canonical(std::fma(flush(a), flush(b), flush(c))),
                 std::fma(flush(a) * scale_up, flush(b), flush(c) * scale_up));
  });
  add_binary<float, float, float>(table, "min.ftz.f32",
                                  [](float a, float b) { return minimum(flush(a), flush(b)); });
  add_binary<float, float, float>(table, "max.ftz.f32",
                                  [](float a, float b) { return maximum(flush(a), flush(b)); });
  add_binary<float, float, float>(table, "div.ftz.f32", [](float a, float b) {
    return flush(canonical(flush(a) / flush(b)), flush(a) * scale_up / flush(b));
  });
  add_unary<float, float>(table, "sqrt.ftz.f32", [](float a) { return canonical(std::sqrt(flush(a))); });
  add_unary<float, float>(table, "rcp.ftz.f32", [](float a) { return flush(canonical(1.0F / flush(a))); });
  add_unary<float, float>(table, "abs.ftz.f32", [](float a) { return canonical(flush(std::fabs(a))); });
  add_unary<float, float>(table, "neg.ftz.f32", [](float a) { return canonical(-flush(a)); });
}

template <class D, class S>
void add_conversion(Table& table, const std::string& to, const std::string& from) {
  const Width source_width = width_of<S>();
  table["cvt." + to + "." + from] = {convert_integer<D, S>, {width_of<D>(), Width::none, source_width}};
  table["cvt.sat." + to + "." + from] = {convert_integer_saturating<D, S>,
                                         {width_of<D>(), Width::none, source_width}};
}

/// The lower bits of a register of 64 bits, which PTX lets a narrower type be read from.
template <class D, class S>
void convert_lower_bits(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint64_t>(warp, op.a);
  alignas(64) Storage<D> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = static_cast<Storage<D>>(static_cast<D>(static_cast<S>(a[i])));
    if constexpr (sizeof(D) < 8) out[i] &= op.variant;
  }
  put(warp, op.dst, out);
}

template <class D>
void add_conversions_from_lower_bits(Table& table, const std::string& to) {
  const auto add = [&]<class S>(S, const char* from) {
    table["cvt.low." + to + "." + from] = {convert_lower_bits<D, S>, {width_of<D>(), Width::none, Width::w64}};
  };
  add(std::uint8_t{}, "u8");
  add(std::int8_t{}, "s8");
  add(std::uint16_t{}, "u16");
  add(std::int16_t{}, "s16");
  add(std::uint32_t{}, "u32");
  add(std::int32_t{}, "s32");
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
}

/// Float to 32-bit integer, towards zero, saturated; NaN gives 0.
template <class T>
inline T truncate(float x) {
  const float low = static_cast<float>(std::numeric_limits<T>::min());
  constexpr float beyond = std::is_signed_v<T> ? 2147483648.0F : 4294967296.0F;
  if (!(x > -1.0F) && std::is_unsigned_v<T>) return 0;
  if (x != x) return 0;
  if (x < low) return std::numeric_limits<T>::min();
  if (x >= beyond) return std::numeric_limits<T>::max();
  return static_cast<T>(static_cast<std::int64_t>(x));
}

inline void add_common_conversions(Table& table) {
  using I = std::int32_t;
  using U = std::uint32_t;
  add_unary<float, I>(table, "cvt.rn.f32.s32", [](I a) { return static_cast<float>(a); });
  add_unary<float, U>(table, "cvt.rn.f32.u32", [](U a) { return static_cast<float>(a); });
  add_unary<float, std::uint16_t>(table, "cvt.rn.f32.u16",
                                  [](std::uint16_t a) { return static_cast<float>(a); });
  add_unary<float, std::uint8_t>(table, "cvt.rn.f32.u8",
                                 [](std::uint8_t a) { return static_cast<float>(a); });
  add_unary<I, float>(table, "cvt.rzi.s32.f32", [](float a) { return truncate<I>(a); });
  add_unary<U, float>(table, "cvt.rzi.u32.f32", [](float a) { return truncate<U>(a); });
  add_unary<double, float>(table, "cvt.f64.f32", [](float a) { return static_cast<double>(a); });
  add_unary<float, double>(table, "cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); });
  add_unary<float, std::uint16_t>(table, "cvt.f32.f16",
                                  [](std::uint16_t a) { return canonical(to_float(Float16{a})); });
  add_unary<float, std::uint16_t>(table, "cvt.f32.bf16",
                                  [](std::uint16_t a) { return to_float(BFloat16{a}); });
}

template <int parts>
void add_packed(Table& table) {
  const std::string n = std::to_string(parts);
  const std::array<Width, 6> widths = {Width::w32, Width::none, Width::w32, Width::w32, Width::w32};
  const auto add = [&](const char* opcode, auto operation) {
    table[opcode + n] = {packed<parts, decltype(operation)>, widths};
  };
  using I = std::int32_t;
  using U = std::uint32_t;
  add("vadd", [](I a, I b, U) { return a + b; });
  add("vsub", [](I a, I b, U) { return a - b; });
  add("vavrg", [](I a, I b, U) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; });
  add("vabsdiff", [](I a, I b, U) { return a > b ? a - b : b - a; });
  add("vmin", [](I a, I b, U) { return a < b ? a : b; });
  add("vmax", [](I a, I b, U) { return a > b ? a : b; });
  add("vset", [](I a, I b, U variant) {
    switch (variant >> packed_comparison_shift) {
      case 0: return static_cast<I>(a == b);
      case 1: return static_cast<I>(a != b);
      case 2: return static_cast<I>(a < b);
      case 3: return static_cast<I>(a <= b);
      case 4: return static_cast<I>(a > b);
      default: return static_cast<I>(a >= b);
    }
  });
}

/// add.u16x2, min.s16x2, ...: two halves of a word, each by itself.
template <class H, class Op>
void add_halves(Table& table, const std::string& name, Op) {
  add_binary<std::uint32_t, std::uint32_t, std::uint32_t>(table, name, [](std::uint32_t a, std::uint32_t b) {
    const auto low = static_cast<std::uint16_t>(Op{}(static_cast<H>(a), static_cast<H>(b)));
    const auto high = static_cast<std::uint16_t>(Op{}(static_cast<H>(a >> 16), static_cast<H>(b >> 16)));
    return static_cast<std::uint32_t>(high) << 16 | low;
  });
}

template <class H>
void add_halves_of(Table& table, const std::string& type) {
  add_halves<H>(table, "add." + type, [](H a, H b) { return a + b; });
  add_halves<H>(table, "min." + type, [](H a, H b) { return a < b ? a : b; });
  add_halves<H>(table, "max." + type, [](H a, H b) { return a > b ? a : b; });
  add_halves<H>(table, "min.relu." + type, [](H a, H b) { return maximum<H>(a < b ? a : b, 0); });
  add_halves<H>(table, "max.relu." + type, [](H a, H b) { return maximum<H>(a > b ? a : b, 0); });
}

inline void add_predicates(Table& table) {
  const Width p = Width::predicate;
  const auto two = [&](const char* name, auto operation) {
    table[name] = {predicate_binary<decltype(operation)>, {p, Width::none, p, p}};
  };
  two("and.pred", [](Mask a, Mask b) { return a & b; });
  two("or.pred", [](Mask a, Mask b) { return a | b; });
  two("xor.pred", [](Mask a, Mask b) { return a ^ b; });
  const auto one = [&](const char* name, auto operation) {
    table[name] = {predicate_unary<decltype(operation)>, {p, Width::none, p}};
  };
  one("not.pred", [](Mask a) { return ~a; });
  one("mov.pred", [](Mask a) { return a; });
}

inline void add_words(Table& table) {
  using U = std::uint32_t;
  using I = std::int32_t;
  using L = std::int64_t;
  add_binary<I, I, I>(table, "add.sat.s32", [](I a, I b) { return saturate_s32(L{a} + b); });
  add_binary<I, I, I>(table, "sub.sat.s32", [](I a, I b) { return saturate_s32(L{a} - b); });
  add_ternary<I, I, I, I>(table, "mad.hi.sat.s32",
                          [](I a, I b, I c) { return saturate_s32(L{multiply_high(a, b)} + c); });
  add_binary<I, I, I>(table, "min.relu.s32", [](I a, I b) { return maximum(minimum(a, b), 0); });
  add_binary<I, I, I>(table, "max.relu.s32", [](I a, I b) { return maximum(maximum(a, b), 0); });
  add_binary<I, I, I>(table, "mul24.lo.s32", [](I a, I b) {
    return static_cast<I>(L{signed_24(a)} * signed_24(b));
  });
  add_binary<U, U, U>(table, "mul24.lo.u32", [](U a, U b) { return unsigned_24(a) * unsigned_24(b); });
  add_binary<I, I, I>(table, "mul24.hi.s32", [](I a, I b) {
    return static_cast<I>((L{signed_24(a)} * signed_24(b)) >> 16);
  });
  add_binary<U, U, U>(table, "mul24.hi.u32", [](U a, U b) {
    return static_cast<U>((std::uint64_t{unsigned_24(a)} * unsigned_24(b)) >> 16);
  });
  add_ternary<I, I, I, I>(table, "mad24.lo.s32", [](I a, I b, I c) {
    return static_cast<I>(static_cast<U>(L{signed_24(a)} * signed_24(b)) + static_cast<U>(c));
  });
  add_ternary<U, U, U, U>(table, "mad24.lo.u32",
                          [](U a, U b, U c) { return unsigned_24(a) * unsigned_24(b) + c; });
  add_ternary<I, I, I, I>(table, "mad24.hi.s32", [](I a, I b, I c) {
    return add_wrapping(static_cast<I>(L{signed_24(a)} * signed_24(b) >> 16), c);
  });
  add_ternary<U, U, U, U>(table, "mad24.hi.u32", [](U a, U b, U c) {
    return static_cast<U>(std::uint64_t{unsigned_24(a)} * unsigned_24(b) >> 16) + c;
  });
  add_ternary_variant<U, U, U, U>(table, "prmt.b32", [](U a, U b, U c, U mode) {
    return permute_bytes(a, b, permutation_of(mode, c));
  });
  add_quaternary<U, U, U, U, U>(table, "lop3.b32",
                                [](U a, U b, U c, U t) { return logic3(a, b, c, t); });
  add_ternary<U, U, U, U>(table, "shf.l.wrap.b32", [](U a, U b, U n) {
    return static_cast<U>(((std::uint64_t{b} << 32 | a) << (n & 31)) >> 32);
  });
  add_ternary<U, U, U, U>(table, "shf.l.clamp.b32", [](U a, U b, U n) {
    return static_cast<U>(((std::uint64_t{b} << 32 | a) << (n < 32 ? n : 32)) >> 32);
  });
  add_ternary<U, U, U, U>(table, "shf.r.wrap.b32", [](U a, U b, U n) {
    return static_cast<U>((std::uint64_t{b} << 32 | a) >> (n & 31));
  });
  add_ternary<U, U, U, U>(table, "shf.r.clamp.b32", [](U a, U b, U n) {
    return static_cast<U>((std::uint64_t{b} << 32 | a) >> (n < 32 ? n : 32));
  });
  add_ternary<U, U, U, U>(table, "dp4a.u32.u32", [](U a, U b, U c) { return dot4<std::uint8_t, std::uint8_t>(a, b, c); });
  add_ternary<U, U, U, U>(table, "dp4a.s32.s32", [](U a, U b, U c) { return dot4<std::int8_t, std::int8_t>(a, b, c); });
  add_ternary<U, U, U, U>(table, "dp4a.u32.s32", [](U a, U b, U c) { return dot4<std::uint8_t, std::int8_t>(a, b, c); });
  add_ternary<U, U, U, U>(table, "dp4a.s32.u32", [](U a, U b, U c) { return dot4<std::int8_t, std::uint8_t>(a, b, c); });
  const auto dot_halves = [&]<class A, class B>(const std::string& types) {
    add_ternary<U, U, U, U>(table, "dp2a.lo." + types, [](U a, U b, U c) { return dot2<A, B>(a, b, c, 0); });
    add_ternary<U, U, U, U>(table, "dp2a.hi." + types, [](U a, U b, U c) { return dot2<A, B>(a, b, c, 1); });
  };
  dot_halves.template operator()<std::uint16_t, std::uint8_t>("u32.u32");
  dot_halves.template operator()<std::int16_t, std::int8_t>("s32.s32");
  dot_halves.template operator()<std::uint16_t, std::int8_t>("u32.s32");
  dot_halves.template operator()<std::int16_t, std::uint8_t>("s32.u32");
  add_binary<U, U, U>(table, "bmsk.clamp.b32", [](U a, U b) {
    const U from = a < 32 ? a : 32;
    const U count = b < 32 ? b : 32;
    const std::uint64_t ones = ((std::uint64_t{1} << count) - 1) << from;
    return static_cast<U>(ones);
  });
  add_binary<U, U, U>(table, "bmsk.wrap.b32", [](U a, U b) {
    return static_cast<U>(((std::uint64_t{1} << (b & 31)) - 1) << (a & 31));
  });
  add_binary<U, U, U>(table, "szext.wrap.u32", [](U a, U b) { return extend_bits(a, b & 31, false); });
  add_binary<U, U, U>(table, "szext.wrap.s32", [](U a, U b) { return extend_bits(a, b & 31, true); });
  add_binary<U, U, U>(table, "szext.clamp.u32", [](U a, U b) { return b > 31 ? a : extend_bits(a, b, false); });
  add_binary<U, U, U>(table, "szext.clamp.s32", [](U a, U b) { return b > 31 ? a : extend_bits(a, b, true); });
  const auto words = [&](const char* name, Handler handler) {
    table[name] = {handler, {Width::w32, Width::none, Width::w32, Width::w32, Width::w32}};
  };
  words("vabsdiff4.u32.u32.u32", absolute_differences<false>);
  words("vabsdiff4.u32.u32.u32.add", absolute_differences<true>);
}

template <class S, class U>
void add_carries(Table& table, const std::string& bits) {
  const Width w = width_of<U>();
  table["addc.b" + bits] = {add_with_carry<U, false>, {w, Width::none, w, w}};
  table["subc.b" + bits] = {add_with_carry<U, true>, {w, Width::none, w, w}};
  table["madc.lo.u" + bits] = {multiply_add_with_carry<U, false>, {w, Width::none, w, w, w}};
  table["madc.hi.u" + bits] = {multiply_add_with_carry<U, true>, {w, Width::none, w, w, w}};
  table["madc.lo.s" + bits] = {multiply_add_with_carry<S, false>, {w, Width::none, w, w, w}};
  table["madc.hi.s" + bits] = {multiply_add_with_carry<S, true>, {w, Width::none, w, w, w}};
}

/// Addresses between a space's own and the generic one.
inline void add_addresses(Table& table) {
  using A = std::uint64_t;
  add_unary<A, A>(table, "cvta.shared.u64", [](A a) { return a + shared_window; });
  add_unary<A, A>(table, "cvta.to.shared.u64", [](A a) { return a - shared_window; });
  add_unary<A, A>(table, "cvta.local.u64", [](A a) { return a + local_window; });
  add_unary<A, A>(table, "cvta.to.local.u64", [](A a) { return a - local_window; });
  add_unary<A, A>(table, "cvta.param.u64", [](A a) { return a + parameter_window; });
  add_unary<A, A>(table, "cvta.to.param.u64", [](A a) { return a - parameter_window; });
  for (const char* same : {"cvta.global.u64", "cvta.to.global.u64", "cvta.const.u64", "cvta.to.const.u64"}) {
    add_unary<A, A>(table, same, [](A a) { return a; });
  }
  const auto is_in = [&](const char* space, auto test) {
    table[std::string("isspacep.") + space] = {
        compare<A, decltype(test)>, {Width::predicate, Width::none, Width::w64, Width::none}};
  };
  is_in("shared", [](A a, A) { return a >= shared_window && a < shared_window + window_bytes; });
  is_in("local", [](A a, A) { return a >= local_window && a < local_window + window_bytes; });
  is_in("param", [](A a, A) { return a >= parameter_window && a < parameter_window + window_bytes; });
  is_in("global", [](A a, A) { return a >= global_base; });
}

inline Table make_table() {
  Table table;
  add_integer<std::uint16_t>(table, "u16");
  add_integer<std::int16_t>(table, "s16");
  add_integer<std::uint32_t>(table, "u32");
  add_integer<std::int32_t>(table, "s32");
  add_integer<std::uint64_t>(table, "u64");
  add_integer<std::int64_t>(table, "s64");
  add_bits<std::uint16_t>(table, "b16");
  add_bits<std::uint32_t>(table, "b32");
  add_bits<std::uint64_t>(table, "b64");
  add_floating<float>(table, "f32");
  add_floating<double>(table, "f64");
  add_flushing(table);
  add_conversions_to<std::uint8_t>(table, "u8");
  add_conversions_to<std::int8_t>(table, "s8");
  add_conversions_to<std::uint16_t>(table, "u16");
  add_conversions_to<std::int16_t>(table, "s16");
  add_conversions_to<std::uint32_t>(table, "u32");
  add_conversions_to<std::int32_t>(table, "s32");
  add_conversions_to<std::uint64_t>(table, "u64");
  add_conversions_to<std::int64_t>(table, "s64");
  add_conversions_from_lower_bits<std::uint8_t>(table, "u8");
  add_conversions_from_lower_bits<std::int8_t>(table, "s8");
  add_conversions_from_lower_bits<std::uint16_t>(table, "u16");
  add_conversions_from_lower_bits<std::int16_t>(table, "s16");
  add_conversions_from_lower_bits<std::uint32_t>(table, "u32");
  add_conversions_from_lower_bits<std::int32_t>(table, "s32");
  add_conversions_from_lower_bits<std::uint64_t>(table, "u64");
  add_conversions_from_lower_bits<std::int64_t>(table, "s64");
  add_common_conversions(table);
  add_packed<2>(table);
  add_packed<4>(table);
  add_halves_of<std::uint16_t>(table, "u16x2");
  add_halves_of<std::int16_t>(table, "s16x2");
  add_predicates(table);
  add_words(table);
  add_carries<std::int32_t, std::uint32_t>(table, "32");
  add_carries<std::int64_t, std::uint64_t>(table, "64");
  add_addresses(table);
  const auto packing = [&](const char* name, Handler handler, Width whole, bool is_pack) {
    table[name] = {handler, is_pack ? std::array<Width, 6>{whole}
                                    : std::array<Width, 6>{Width::none, Width::none, whole}};
  };
  packing("pack.16x2", pack<std::uint32_t, 16>, Width::w32, true);
  packing("pack.8x4", pack<std::uint32_t, 8>, Width::w32, true);
  packing("pack.32x2", pack<std::uint64_t, 32>, Width::w64, true);
  packing("pack.16x4", pack<std::uint64_t, 16>, Width::w64, true);
  packing("unpack.16x2", unpack<std::uint32_t, 16>, Width::w32, false);
  packing("unpack.8x4", unpack<std::uint32_t, 8>, Width::w32, false);
  packing("unpack.32x2", unpack<std::uint64_t, 32>, Width::w64, false);
  packing("unpack.16x4", unpack<std::uint64_t, 16>, Width::w64, false);
  return table;
}
