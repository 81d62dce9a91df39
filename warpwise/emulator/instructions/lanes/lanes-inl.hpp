// Operations without exchange between lanes: arithmetic, logic, comparisons, selections, simple
// conversions. The compiler can vectorise their loops over 32 lanes. This file has no include
// guard, because lanes_baseline.cpp and lanes_avx2.cpp include it in separate namespaces, after the
// headers that it needs.

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

/// Writes the active lanes. It may overwrite exited lanes, whose values are never read.
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

/// Returns a mask in which bit i is set if byte i is 1.
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

/// Runs setp. dst2 gets the opposite comparison, combined with c in the same way.
template <class T, class Op>
void compare(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  alignas(64) std::uint8_t results[warp_lanes];
  if (std::is_same_v<T, float> && flags_of<CompareFlags>(op).flush != 0) {
    for (int i = 0; i < warp_lanes; ++i) {
      results[i] = Op{}(without_subnormals(from_storage<T>(a[i])),
                        without_subnormals(from_storage<T>(b[i])));
    }
  } else {
    for (int i = 0; i < warp_lanes; ++i) {
      results[i] = Op{}(from_storage<T>(a[i]), from_storage<T>(b[i])) ? 1 : 0;
    }
  }
  const Mask result = gather_bits(results);
  // Both combinations read c before a result is written, because it may overwrite c's register.
  const Mask first = combined(warp, op, result);
  const Mask second = combined(warp, op, ~result);
  set_predicate(warp, op.dst, first);
  if (op.dst2 >= 0) set_predicate(warp, op.dst2, second);
}

/// Runs set, which is like setp but writes a number to each lane.
template <class R, class T, class Op>
void compare_to_value(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  const bool flushes = flags_of<CompareFlags>(op).flush != 0;
  const auto operand = [&](Storage<T> bits) {
    const T x = from_storage<T>(bits);
    return flushes ? without_subnormals(x) : x;
  };
  alignas(64) std::uint8_t results[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) results[i] = Op{}(operand(a[i]), operand(b[i])) ? 1 : 0;
  const Mask result = combined(warp, op, gather_bits(results));
  constexpr R yes = std::is_floating_point_v<R> ? static_cast<R>(1) : static_cast<R>(-1);
  alignas(64) Storage<R> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i)
    out[i] = to_storage<R>((result >> i & 1) != 0 ? yes : static_cast<R>(0));
  put(warp, op.dst, out);
}

template <class T>
void select(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  const auto* b = source<Storage<T>>(warp, op.b);
  const Mask c = predicate(warp, op.c, op.c_negated);
  alignas(64) Storage<T> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) out[i] = (c >> i & 1) != 0 ? a[i] : b[i];
  put(warp, op.dst, out);
}

template <class Op>
void predicate_binary(Warp& warp, const Operation& op) {
  set_predicate(warp, op.dst,
                Op{}(predicate(warp, op.a, op.a_negated), predicate(warp, op.b, op.b_negated)));
}

template <class Op>
void predicate_unary(Warp& warp, const Operation& op) {
  set_predicate(warp, op.dst, Op{}(predicate(warp, op.a, op.a_negated)));
}

/// Converts integer to integer. If the destination register is wider than its type D, the value is
/// extended. A register of 16 bits is stored in 32 bits. The flags hold a mask of the bits that the
/// register keeps.
template <class D, class S>
void convert_integer(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<S>>(warp, op.a);
  alignas(64) Storage<D> out[warp_lanes];
  if constexpr (sizeof(D) == 8) {
    for (int i = 0; i < warp_lanes; ++i) {
      out[i] = static_cast<std::uint64_t>(static_cast<D>(from_storage<S>(a[i])));
    }
  } else {
    const std::uint32_t kept = flags_of<IntegerConversionFlags>(op).kept;
    for (int i = 0; i < warp_lanes; ++i) {
      out[i] = static_cast<std::uint32_t>(static_cast<D>(from_storage<S>(a[i]))) & kept;
    }
  }
  put(warp, op.dst, out);
}

template <class D, class S>
void convert_integer_saturating(Warp& warp, const Operation& op) {
  [[maybe_unused]] const std::uint32_t kept = flags_of<IntegerConversionFlags>(op).kept;
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
      out[i] = static_cast<std::uint32_t>(result) & kept;
  }
  put(warp, op.dst, out);
}

/// Converts an integer of type S in the lower bits of a 64-bit register. PTX allows operands in
/// registers that are wider than their type.
template <class D, class S>
void convert_lower_bits(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint64_t>(warp, op.a);
  alignas(64) Storage<D> out[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    out[i] = static_cast<Storage<D>>(static_cast<D>(static_cast<S>(a[i])));
    if constexpr (sizeof(D) < 8) out[i] &= flags_of<IntegerConversionFlags>(op).kept;
  }
  put(warp, op.dst, out);
}

/// Copies values of type T without a conversion.
template <class T>
void move(Warp& warp, const Operation& op) {
  const auto* a = source<Storage<T>>(warp, op.a);
  if (warp.whole) {
    std::memcpy(destination<Storage<T>>(warp, op.dst), a, sizeof(Storage<T>) * warp_lanes);
  } else {
    put(warp, op.dst, a);
  }
}

/// Packs elements {a, b, ...} of `bits` bits each into one register; unpack() does the reverse.
/// Lists hold the registers of the elements.
template <class R, int bits, int parts = static_cast<int>(sizeof(R)) * 8 / bits>
void pack(Warp& warp, const Operation& op) {
  constexpr std::uint32_t kept = bits == 8 ? 0xff : ~std::uint32_t{0};  // a register has >= 16 bits
  const std::int32_t* list = list_of(warp, op);
  alignas(64) R out[warp_lanes] = {};
  for (int part = 0; part < parts; ++part) {
    const auto* a = source<std::uint32_t>(warp, list[part]);
    for (int i = 0; i < warp_lanes; ++i) out[i] |= static_cast<R>(a[i] & kept) << (part * bits);
  }
  put(warp, op.dst, out);
}

template <class R, int bits, int parts = static_cast<int>(sizeof(R)) * 8 / bits>
void unpack(Warp& warp, const Operation& op) {
  constexpr std::uint32_t kept = bits == 32 ? 0xffffffffU : (1U << (bits % 32)) - 1;
  const std::int32_t* list = list_of(warp, op);
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
