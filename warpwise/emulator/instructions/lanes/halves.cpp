#include "warpwise/emulator/instructions/lanes/halves.hpp"

#include <array>
#include <cmath>
#include <string>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::uint16_t nan_bits = 0x7fff;

enum class HalfFormat { half, bfloat };

template <HalfFormat format>
constexpr SmallFormat small_format = format == HalfFormat::half ? half_format : bfloat_format;

/// Returns all numbers of the format. A table of 2^16 numbers is faster than decoding each operand.
template <HalfFormat format>
const std::array<float, 65536>& decoded() {
  static const std::array<float, 65536>& values = *[] {
    auto* table = new std::array<float, 65536>;
    for (unsigned bits = 0; bits < 65536; ++bits) {
      (*table)[bits] =
          static_cast<float>(decode(static_cast<std::uint16_t>(bits), small_format<format>));
    }
    return table;
  }();
  return values;
}

/// Flushes a subnormal to the zero of its sign.
template <HalfFormat format>
std::uint16_t flushed(std::uint16_t bits, bool flush) {
  constexpr std::uint16_t exponent = format == HalfFormat::half ? 0x7c00 : 0x7f80;
  return flush && (bits & exponent) == 0 ? bits & 0x8000 : bits;
}

template <HalfFormat format>
std::uint16_t finish(double x, FloatFlags flags) {
  if (flags.saturate != 0) x = saturated(x);
  if (flags.relu != 0 && x <= 0) x = 0;  // also turns -0 into +0
  return flushed<format>(encode(x, small_format<format>, Rounding::nearest), flags.flush != 0);
}

/// Returns the minimum, or with `larger` the maximum. -0 < +0. A NaN loses unless `propagate_nan`.
template <HalfFormat format, bool larger>
std::uint16_t extreme(std::uint16_t a, std::uint16_t b, FloatFlags flags) {
  const auto& value = decoded<format>();
  if (flags.xor_sign != 0) {
    const auto sign = static_cast<std::uint16_t>((a ^ b) & 0x8000);
    flags.xor_sign = 0;
    const std::uint16_t magnitude = extreme<format, larger>(a & 0x7fff, b & 0x7fff, flags);
    return value[magnitude] == value[magnitude] ? magnitude | sign : magnitude;
  }
  const float x = value[a];
  const float y = value[b];
  std::uint16_t result = 0;
  if (x != x || y != y) {
    if (flags.propagate_nan != 0 || (x != x && y != y)) return nan_bits;
    result = x != x ? b : a;
  } else if (x == y) {
    result = larger ? static_cast<std::uint16_t>(a & b) : static_cast<std::uint16_t>(a | b);
    if (a == b) result = a;
  } else {
    result = (x < y) != larger ? a : b;
  }
  if (flags.relu != 0 && value[result] <= 0) result = 0;
  return result;
}

// Operations on the bits of elements, with the instruction's flags.
template <HalfFormat format>
struct Add {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t, FloatFlags v) {
    const auto& value = decoded<format>();
    return finish<format>(double{value[a]} + double{value[b]}, v);
  }
};
template <HalfFormat format>
struct Subtract {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t, FloatFlags v) {
    const auto& value = decoded<format>();
    return finish<format>(double{value[a]} - double{value[b]}, v);
  }
};
template <HalfFormat format>
struct Multiply {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t, FloatFlags v) {
    const auto& value = decoded<format>();
    return finish<format>(double{value[a]} * double{value[b]}, v);
  }
};
template <HalfFormat format>
struct MultiplyAdd {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t c, FloatFlags v) {
    const auto& value = decoded<format>();
    return finish<format>(multiply_add_to_odd(value[a], value[b], value[c]), v);
  }
};
template <HalfFormat format>
struct Minimum {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t, FloatFlags v) {
    return extreme<format, false>(a, b, v);
  }
};
template <HalfFormat format>
struct Maximum {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b, std::uint16_t, FloatFlags v) {
    return extreme<format, true>(a, b, v);
  }
};
template <HalfFormat format>
struct Negate {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t, std::uint16_t, FloatFlags) {
    return a ^ 0x8000;
  }
};
template <HalfFormat format>
struct Absolute {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t, std::uint16_t, FloatFlags) {
    return a & 0x7fff;
  }
};
template <HalfFormat format>
struct Exponential {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t, std::uint16_t, FloatFlags v) {
    return finish<format>(std::exp2(double{decoded<format>()[a]}), v);
  }
};
template <HalfFormat format>
struct Tangent {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t, std::uint16_t, FloatFlags v) {
    return finish<format>(std::tanh(double{decoded<format>()[a]}), v);
  }
};

template <class Op, HalfFormat format, int operands, int elements>
void arithmetic(Warp& warp, const Operation& op) {
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = operands > 1 ? source<std::uint32_t>(warp, op.b) : a;
  const auto* c = operands > 2 ? source<std::uint32_t>(warp, op.c) : a;
  const auto flags = flags_of<FloatFlags>(op);
  auto* out = destination<std::uint32_t>(warp, op.dst);
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    std::uint32_t result = 0;
    for (int e = 0; e < elements; ++e) {
      const auto element = [&](std::uint32_t word) {
        return flushed<format>(static_cast<std::uint16_t>(word >> (16 * e)), flags.flush != 0);
      };
      const std::uint32_t r = Op::apply(element(a[i]), element(b[i]), element(c[i]), flags);
      result |= r << (16 * e);
    }
    out[i] = result;
  }
}

template <template <HalfFormat> class Op, int operands, HalfFormat format>
void add_for(Table& table, const std::string& opcode, const std::string& type) {
  const auto add = [&](const std::string& name, Handler handler, Width w) {
    Entry entry{handler, {w, Width::none, w}};
    if (operands > 1) entry.widths[3] = w;
    if (operands > 2) entry.widths[4] = w;
    table[opcode + "." + name] = entry;
  };
  add(type, arithmetic<Op<format>, format, operands, 1>, Width::w16);
  add(type + "x2", arithmetic<Op<format>, format, operands, 2>, Width::w32);
}

template <template <HalfFormat> class Op, int operands>
void add_operation(Table& table, const std::string& opcode) {
  add_for<Op, operands, HalfFormat::half>(table, opcode, "f16");
  add_for<Op, operands, HalfFormat::bfloat>(table, opcode, "bf16");
}

bool compared(int comparison, float a, float b) {
  const bool unordered = a != a || b != b;
  switch (comparison) {
    case 0: return a == b;
    case 1: return !unordered && a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a >= b;
    case 6: return unordered || a == b;
    case 7: return a != b;
    case 8: return !(a >= b);
    case 9: return !(a > b);
    case 10: return !(a <= b);
    case 11: return !(a < b);
    case 12: return !unordered;
    default: return unordered;
  }
}

/// Compares element e of all lanes, negated if `opposite`, and combines this with predicate c.
template <HalfFormat format, int comparison>
Mask compare_element(Warp& warp, const Operation& op, int e, bool opposite) {
  const auto& value = decoded<format>();
  const auto flags = flags_of<CompareFlags>(op);
  const auto* a = source<std::uint32_t>(warp, op.a);
  const auto* b = source<std::uint32_t>(warp, op.b);
  const auto element = [&](std::uint32_t word) {
    return value[flushed<format>(static_cast<std::uint16_t>(word >> (16 * e)), flags.flush != 0)];
  };
  Mask result = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    const bool yes = compared(comparison, element(a[i]), element(b[i]));
    result |= static_cast<Mask>(yes != opposite) << i;
  }
  return combined(warp, op, result);
}

/// Runs setp. For a pair, dst gets the lower element's result and dst2 the upper element's.
template <HalfFormat format, int elements, int comparison>
void compare(Warp& warp, const Operation& op) {
  const Mask first = compare_element<format, comparison>(warp, op, 0, false);
  const Mask second = elements == 2 ? compare_element<format, comparison>(warp, op, 1, false)
                                    : compare_element<format, comparison>(warp, op, 0, true);
  set_predicate(warp, op.dst, first);
  if (op.dst2 >= 0) set_predicate(warp, op.dst2, second);
}

enum class True { ones, half_one, bfloat_one, float_one };

template <HalfFormat format, int elements, int comparison, True how>
void compare_to_value(Warp& warp, const Operation& op) {
  static constexpr std::uint32_t yes[] = {elements == 2 ? 0xffffU : 0xffffffffU, 0x3c00, 0x3f80,
                                          0x3f800000};
  const Mask first = compare_element<format, comparison>(warp, op, 0, false);
  const Mask second = elements == 2 ? compare_element<format, comparison>(warp, op, 1, false) : 0;
  auto* out = destination<std::uint32_t>(warp, op.dst);
  const std::uint32_t word = yes[static_cast<int>(how)];
  for (int i = 0; i < warp_lanes; ++i) {
    if ((warp.active >> i & 1) == 0) continue;
    out[i] = (first >> i & 1) * word | (second >> i & 1) * word << 16;
  }
}

template <HalfFormat format, int comparison>
void add_comparison(Table& table, const std::string& name, const std::string& type) {
  const Width p = Width::predicate;
  const Width h = Width::w16;
  const Width w = Width::w32;
  table["setp." + name + "." + type] = {compare<format, 1, comparison>, {p, p, h, h, p}};
  table["setp." + name + "." + type + "x2"] = {compare<format, 2, comparison>, {p, p, w, w, p}};
  constexpr True one = format == HalfFormat::half ? True::half_one : True::bfloat_one;
  table["set." + name + "." + type + "." + type] = {compare_to_value<format, 1, comparison, one>,
                                                    {h, Width::none, h, h, p}};
  table["set." + name + "." + type + "x2." + type + "x2"] = {
      compare_to_value<format, 2, comparison, one>, {w, Width::none, w, w, p}};
  for (const char* integer : {"u32", "s32"}) {
    table["set." + name + "." + integer + "." + type] = {
        compare_to_value<format, 1, comparison, True::ones>, {w, Width::none, h, h, p}};
    table["set." + name + "." + integer + "." + type + "x2"] = {
        compare_to_value<format, 2, comparison, True::ones>, {w, Width::none, w, w, p}};
  }
}

template <HalfFormat format, int... comparison>
void add_comparisons(Table& table, const std::string& type,
                     std::integer_sequence<int, comparison...>) {
  static constexpr const char* names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                          "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  (add_comparison<format, comparison>(table, names[comparison], type), ...);
}

}  // namespace

const Table& half_operations() {
  static const Table table = [] {
    Table result;
    add_operation<Add, 2>(result, "add");
    add_operation<Subtract, 2>(result, "sub");
    add_operation<Multiply, 2>(result, "mul");
    add_operation<MultiplyAdd, 3>(result, "fma");
    add_operation<Minimum, 2>(result, "min");
    add_operation<Maximum, 2>(result, "max");
    add_operation<Negate, 1>(result, "neg");
    add_operation<Absolute, 1>(result, "abs");
    add_operation<Exponential, 1>(result, "ex2");
    add_operation<Tangent, 1>(result, "tanh");
    add_comparisons<HalfFormat::half>(result, "f16", std::make_integer_sequence<int, 14>{});
    add_comparisons<HalfFormat::bfloat>(result, "bf16", std::make_integer_sequence<int, 14>{});
    return result;
  }();
  return table;
}

}  // namespace warpwise::emulator
