// The operations whose lanes do not meet: arithmetic, logic, comparisons, selections, simple
// conversions. No include guard: lanes.cpp includes this once for each instruction set, in a
// namespace of its own, with every header that it needs included before. The loops over 32 lanes
// are written for the compiler to vectorise.

template <class T>
using Storage = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
inline T from_storage(Storage<T> bits) {
  if constexpr (sizeof(T) == sizeof(bits))
    return std::bit_cast<T>(bits);
  else
    return static_cast<T>(bits);
}

template <class T>
inline Storage<T> to_storage(T value) {
  if constexpr (sizeof(T) == 2)
    return static_cast<std::uint16_t>(value);
  else if constexpr (sizeof(T) == 1)
    return static_cast<std::uint8_t>(value);
  else
    return std::bit_cast<Storage<T>>(value);
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
    out[i] =
        to_storage<R>(Op{}(from_storage<A>(a[i]), from_storage<B>(b[i]), from_storage<C>(c[i])));
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
    out[i] = to_storage<R>(Op{}(from_storage<A>(a[i]), from_storage<B>(b[i]), from_storage<C>(c[i]),
                                from_storage<D>(d[i])));
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

/// setp: variant's lowest two bits combine the comparison with predicate c: 1 and, 2 or, 3 xor; bit
/// 2 negates c; bit 3 says that dst2 takes the opposite comparison, combined likewise; bit 4
/// flushes subnormals.
template <class T, class Op>
void compare(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  alignas(64) std::uint8_t flags[warp_lanes];
  if (std::is_same_v<T, float> && (op.variant & 16) != 0) {
    for (int i = 0; i < warp_lanes; ++i) {
      flags[i] = Op{}(without_subnormals(from_storage<T>(a[i])),
                      without_subnormals(from_storage<T>(b[i])));
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

/// Integer to integer. The destination register may be wider than its type D, which is then
/// extended; variant masks what a register of 16 bits keeps.
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
    if (std::cmp_greater(value, std::numeric_limits<D>::max()))
      result = std::numeric_limits<D>::max();
    if constexpr (sizeof(D) == 8)
      out[i] = static_cast<std::uint64_t>(result);
    else
      out[i] = static_cast<std::uint32_t>(result) & op.variant;
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
inline double quiet(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | std::uint64_t{1} << 51);
}

/// A result that is NaN: single precision has one, double precision passes on an operand, b before
/// c before a.
inline float passed_on(float result, float, float, float = 0) { return canonical(result); }
inline double passed_on(double result, double a, double b, double c = 0) {
  if (result == result) return result;
  return b != b ? quiet(b) : c != c ? quiet(c) : a != a ? quiet(a) : result;
}

inline float flush(float x) { return without_subnormals(x); }

// Two powers of two that move the smallest normal numbers away from the subnormals.
constexpr float scale_up = 0x1p64F;
constexpr float scaled_normal = 0x1p-62F;  // of the smallest normal number

/// A rounded result, flushed. Numbers that only the coarse steps of subnormals round up to the
/// smallest normal one are flushed too, as on a GPU: `scaled` is the same result computed of
/// scale_up times as much, without those steps.
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

/// A position or length: GPUs look at 8 bits of it for fields of 32 bits, at all of it for those
/// of 64.
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

/// The lowest n < 32 bits of a, zero- or sign-extended.
inline std::uint32_t extend_bits(std::uint32_t a, std::uint32_t n, bool sign) {
  if (n == 0) return 0;
  const std::uint32_t ones = (1U << n) - 1;
  return sign && (a >> (n - 1) & 1) != 0 ? (a & ones) | ~ones : a & ones;
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
