// Table of the lane operations on types of any width, by name. lanes_baseline.cpp and
// lanes_avx2.cpp include this after lanes_packed-inl.hpp.

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
    using W =
        std::conditional_t<sizeof(T) == 2,
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
    add_unary<T, T>(table, name("abs"), [](T a) { return a < 0 ? subtract_wrapping(T{0}, a) : a; });
    add_unary<T, T>(table, name("neg"), [](T a) { return subtract_wrapping(T{0}, a); });
  }
  if constexpr (sizeof(T) >= 4) {
    add_ternary<T, T, std::uint32_t, std::uint32_t>(
        table, name("bfe"),
        [](T a, std::uint32_t from, std::uint32_t n) { return bit_field_extract(a, from, n); });
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
  add_ternary<T, T, T, float>(table, "slct.ftz." + type + ".f32",
                              [](T a, T b, float c) { return flush(c) >= 0 ? a : b; });
  add_comparison<T>(table, "eq", type, [](T a, T b) { return a == b; });
  add_comparison<T>(table, "ne", type, [](T a, T b) { return a != b; });
  if constexpr (sizeof(T) >= 4) {
    add_unary<std::uint32_t, T>(table, name("popc"),
                                [](T a) { return static_cast<std::uint32_t>(std::popcount(a)); });
    add_unary<std::uint32_t, T>(
        table, name("clz"), [](T a) { return static_cast<std::uint32_t>(std::countl_zero(a)); });
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
  add_ternary<T, T, T, T>(table, name("fma"),
                          [](T a, T b, T c) { return passed_on(std::fma(a, b, c), a, b, c); });
  add_binary<T, T, T>(table, name("min"), [](T a, T b) { return minimum(a, b); });
  add_binary<T, T, T>(table, name("max"), [](T a, T b) { return maximum(a, b); });
  using U = Storage<T>;
  constexpr U sign = U{1} << (8 * sizeof(T) - 1);
  // On a GPU abs and neg are additions, so they treat a NaN as additions do: see passed_on().
  add_unary<T, T>(table, name("abs"), [](T a) {
    return a == a ? std::bit_cast<T>(static_cast<U>(std::bit_cast<U>(a) & ~sign))
                  : passed_on(a, a, a);
  });
  add_unary<T, T>(table, name("neg"), [](T a) {
    return a == a ? std::bit_cast<T>(static_cast<U>(std::bit_cast<U>(a) ^ sign))
                  : passed_on(a, a, a);
  });
  add_unary<T, T>(table, name("sqrt"), [](T a) { return canonical(std::sqrt(a)); });
  add_unary<T, T>(table, name("rcp"), [](T a) { return canonical(T{1} / a); });
  add_binary<U, U, U>(table, name("copysign"), [](U a, U b) { return (b & ~sign) | (a & sign); });
  add_comparisons<T>(table, type);
}

/// Adds single-precision operations that flush subnormal operands and results to zero.
inline void add_flushing(Table& table) {
  add_binary<float, float, float>(
      table, "add.ftz.f32", [](float a, float b) { return flush(canonical(flush(a) + flush(b))); });
  add_binary<float, float, float>(
      table, "sub.ftz.f32", [](float a, float b) { return flush(canonical(flush(a) - flush(b))); });
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
  add_unary<float, float>(table, "sqrt.ftz.f32",
                          [](float a) { return canonical(std::sqrt(flush(a))); });
  add_unary<float, float>(table, "rcp.ftz.f32",
                          [](float a) { return flush(canonical(1.0F / flush(a))); });
  add_unary<float, float>(table, "abs.ftz.f32",
                          [](float a) { return canonical(flush(std::fabs(a))); });
  add_unary<float, float>(table, "neg.ftz.f32", [](float a) { return canonical(-flush(a)); });
}

template <class D, class S>
void add_conversion(Table& table, const std::string& to, const std::string& from) {
  const Width source_width = width_of<S>();
  table["cvt." + to + "." + from] = {convert_integer<D, S>,
                                     {width_of<D>(), Width::none, source_width}};
  table["cvt.sat." + to + "." + from] = {convert_integer_saturating<D, S>,
                                         {width_of<D>(), Width::none, source_width}};
}

template <class D>
void add_conversions_from_lower_bits(Table& table, const std::string& to) {
  for_each_integer([&]<class S>(S, const char* from) {
    if constexpr (sizeof(S) < 8) {
      table["cvt.low." + to + "." + from] = {convert_lower_bits<D, S>,
                                             {width_of<D>(), Width::none, Width::w64}};
    }
  });
}

template <class D>
void add_conversions_to(Table& table, const std::string& to) {
  for_each_integer([&]<class S>(S, const char* from) { add_conversion<D, S>(table, to, from); });
}

/// Converts a float to a 32-bit integer, towards zero, saturated; NaN gives 0.
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
