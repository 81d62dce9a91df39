// Tables of the lane operations on words, parts of words, predicates and addresses, and the table
// of all lane operations. lanes_baseline.cpp and lanes_avx2.cpp include this last.

template <int parts>
void add_packed(Table& table) {
  const std::string n = std::to_string(parts);
  const std::array<Width, 6> widths = {Width::w32, Width::none, Width::w32, Width::w32, Width::w32};
  const auto add = [&](const char* opcode, auto operation) {
    table[opcode + n] = {packed<parts, decltype(operation)>, widths};
  };
  using I = std::int32_t;
  using C = PackedComparison;
  add("vadd", [](I a, I b, C) { return a + b; });
  add("vsub", [](I a, I b, C) { return a - b; });
  add("vavrg", [](I a, I b, C) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; });
  add("vabsdiff", [](I a, I b, C) { return a > b ? a - b : b - a; });
  add("vmin", [](I a, I b, C) { return a < b ? a : b; });
  add("vmax", [](I a, I b, C) { return a > b ? a : b; });
  add("vset", [](I a, I b, C comparison) {
    switch (comparison) {
      case C::eq: return static_cast<I>(a == b);
      case C::ne: return static_cast<I>(a != b);
      case C::lt: return static_cast<I>(a < b);
      case C::le: return static_cast<I>(a <= b);
      case C::gt: return static_cast<I>(a > b);
      case C::ge: break;
    }
    return static_cast<I>(a >= b);
  });
}

/// Adds an operation on the two halves of a word: add.u16x2, min.s16x2, ...
template <class H, class Op>
void add_halves(Table& table, const std::string& name, Op) {
  add_binary<std::uint32_t, std::uint32_t, std::uint32_t>(
      table, name, [](std::uint32_t a, std::uint32_t b) {
        const auto low = static_cast<std::uint16_t>(Op{}(static_cast<H>(a), static_cast<H>(b)));
        const auto high =
            static_cast<std::uint16_t>(Op{}(static_cast<H>(a >> 16), static_cast<H>(b >> 16)));
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

inline void add_products_of_24_bits(Table& table) {
  using U = std::uint32_t;
  using I = std::int32_t;
  using L = std::int64_t;
  add_binary<I, I, I>(table, "mul24.lo.s32",
                      [](I a, I b) { return static_cast<I>(L{signed_24(a)} * signed_24(b)); });
  add_binary<U, U, U>(table, "mul24.lo.u32",
                      [](U a, U b) { return unsigned_24(a) * unsigned_24(b); });
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
  add_ternary<I, I, I, I>(table, "mad24.hi.sat.s32", [](I a, I b, I c) {
    return saturate_s32((L{signed_24(a)} * signed_24(b) >> 16) + c);
  });
  add_ternary<U, U, U, U>(table, "mad24.hi.u32", [](U a, U b, U c) {
    return static_cast<U>(std::uint64_t{unsigned_24(a)} * unsigned_24(b) >> 16) + c;
  });
}

inline void add_dot_products(Table& table) {
  using U = std::uint32_t;
  add_ternary<U, U, U, U>(table, "dp4a.u32.u32",
                          [](U a, U b, U c) { return dot4<std::uint8_t, std::uint8_t>(a, b, c); });
  add_ternary<U, U, U, U>(table, "dp4a.s32.s32",
                          [](U a, U b, U c) { return dot4<std::int8_t, std::int8_t>(a, b, c); });
  add_ternary<U, U, U, U>(table, "dp4a.u32.s32",
                          [](U a, U b, U c) { return dot4<std::uint8_t, std::int8_t>(a, b, c); });
  add_ternary<U, U, U, U>(table, "dp4a.s32.u32",
                          [](U a, U b, U c) { return dot4<std::int8_t, std::uint8_t>(a, b, c); });
  const auto dot_halves = [&]<class A, class B>(const std::string& types) {
    add_ternary<U, U, U, U>(table, "dp2a.lo." + types,
                            [](U a, U b, U c) { return dot2<A, B>(a, b, c, 0); });
    add_ternary<U, U, U, U>(table, "dp2a.hi." + types,
                            [](U a, U b, U c) { return dot2<A, B>(a, b, c, 1); });
  };
  dot_halves.template operator()<std::uint16_t, std::uint8_t>("u32.u32");
  dot_halves.template operator()<std::int16_t, std::int8_t>("s32.s32");
  dot_halves.template operator()<std::uint16_t, std::int8_t>("u32.s32");
  dot_halves.template operator()<std::int16_t, std::uint8_t>("s32.u32");
}

inline void add_bit_fields(Table& table) {
  using U = std::uint32_t;
  using I = std::int32_t;
  add_ternary<U, U, U, I>(table, "fns.b32", [](U a, U b, I n) { return nth_set_bit(a, b, n); });
  add_binary<U, U, U>(table, "bmsk.clamp.b32", [](U a, U b) {
    const U from = a < 32 ? a : 32;
    const U count = b < 32 ? b : 32;
    const std::uint64_t ones = ((std::uint64_t{1} << count) - 1) << from;
    return static_cast<U>(ones);
  });
  add_binary<U, U, U>(table, "bmsk.wrap.b32", [](U a, U b) {
    return static_cast<U>(((std::uint64_t{1} << (b & 31)) - 1) << (a & 31));
  });
  add_binary<U, U, U>(table, "szext.wrap.u32",
                      [](U a, U b) { return extend_bits(a, b & 31, false); });
  add_binary<U, U, U>(table, "szext.wrap.s32",
                      [](U a, U b) { return extend_bits(a, b & 31, true); });
  add_binary<U, U, U>(table, "szext.clamp.u32",
                      [](U a, U b) { return b > 31 ? a : extend_bits(a, b, false); });
  add_binary<U, U, U>(table, "szext.clamp.s32",
                      [](U a, U b) { return b > 31 ? a : extend_bits(a, b, true); });
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
  add_products_of_24_bits(table);
  add_dot_products(table);
  add_bit_fields(table);
  table["prmt.b32"] = {permute, {Width::w32, Width::none, Width::w32, Width::w32, Width::w32}};
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

/// Tests if generic addresses lie in the own block's shared memory. That memory also has a second
/// range of addresses, which begins at a place given by the block's rank in its cluster.
inline void test_own_shared(Warp& warp, const Operation& op) {
  const auto* a = source<Address>(warp, op.a);
  const Address own = Address{warp.block->rank} + 1;
  alignas(64) std::uint8_t results[warp_lanes];
  for (int i = 0; i < warp_lanes; ++i) {
    const Address window = (a[i] - shared_window) / block_window_bytes;
    results[i] = a[i] >= shared_window && (window == 0 || window == own) ? 1 : 0;
  }
  set_predicate(warp, op.dst, gather_bits(results));
}

/// Adds conversions between a space's addresses and generic addresses, and tests of their space.
inline void add_addresses(Table& table) {
  using A = std::uint64_t;
  add_unary<A, A>(table, "cvta.shared.u64", [](A a) { return a + shared_window; });
  add_unary<A, A>(table, "cvta.to.shared.u64", [](A a) { return a - shared_window; });
  add_unary<A, A>(table, "cvta.local.u64", [](A a) { return a + local_window; });
  add_unary<A, A>(table, "cvta.to.local.u64", [](A a) { return a - local_window; });
  add_unary<A, A>(table, "cvta.param.u64", [](A a) { return a + parameter_window; });
  add_unary<A, A>(table, "cvta.to.param.u64", [](A a) { return a - parameter_window; });
  for (const char* same :
       {"cvta.global.u64", "cvta.to.global.u64", "cvta.const.u64", "cvta.to.const.u64"}) {
    add_unary<A, A>(table, same, [](A a) { return a; });
  }
  const auto is_in = [&](const char* space, auto test) {
    table[std::string("isspacep.") + space] = {
        compare<A, decltype(test)>, {Width::predicate, Width::none, Width::w64, Width::none}};
  };
  table["isspacep.shared"] = {test_own_shared,
                              {Width::predicate, Width::none, Width::w64, Width::none}};
  is_in("shared::cluster",
        [](A a, A) { return a >= shared_window && a < shared_window + window_bytes; });
  is_in("local", [](A a, A) { return a >= local_window && a < local_window + window_bytes; });
  is_in("param",
        [](A a, A) { return a >= parameter_window && a < parameter_window + window_bytes; });
  is_in("global", [](A a, A) { return is_global(a); });
}

Table make_table() {
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
  for_each_integer([&]<class D>(D, const char* name) {
    add_conversions_to<D>(table, name);
    add_conversions_from_lower_bits<D>(table, name);
  });
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
  packing("pack.8x2", pack<std::uint32_t, 8, 2>, Width::w16, true);
  packing("unpack.8x2", unpack<std::uint32_t, 8, 2>, Width::w16, false);
  packing("pack.8x4", pack<std::uint32_t, 8>, Width::w32, true);
  packing("pack.32x2", pack<std::uint64_t, 32>, Width::w64, true);
  packing("pack.16x4", pack<std::uint64_t, 16>, Width::w64, true);
  packing("unpack.16x2", unpack<std::uint32_t, 16>, Width::w32, false);
  packing("unpack.8x4", unpack<std::uint32_t, 8>, Width::w32, false);
  packing("unpack.32x2", unpack<std::uint64_t, 32>, Width::w64, false);
  packing("unpack.16x4", unpack<std::uint64_t, 16>, Width::w64, false);
  return table;
}
