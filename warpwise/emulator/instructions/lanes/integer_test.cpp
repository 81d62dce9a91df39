// Integer instructions of PTX, one at a time, against plain arithmetic in wider types.

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <type_traits>

#include "emulator/instruction.hpp"

namespace warpwise {
namespace integer_tests {

using test::expect_instruction;
using test::Inputs;
using test::Registers;
using Wide = __int128;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

/// Returns random 64-bit values, many of which are extreme values of some width.
const Inputs& integers() {
  static const Inputs inputs = [] {
    Inputs result;
    std::mt19937_64 random(1);
    static constexpr U64 extremes[] = {
        0,          1,          2,          31,           32,
        63,         64,         65,         0x7f,         0x80,
        0xff,       0x7fff,     0x8000,     0xffff,       ~U64{0},
        0x7fffffff, 0x80000000, 0xffffffff, U64{1} << 63, (U64{1} << 63) - 1,
        255,        256};
    for (int i = 0; i < 1536; ++i) {
      for (auto* each : {&result.a, &result.b, &result.c}) {
        U64 value = random();
        if (random() % 3 == 0) value = extremes[random() % std::size(extremes)];
        if (random() % 6 == 0) value = random() % 70;
        each->push_back(value);
      }
    }
    return result;
  }();
  return inputs;
}

/// Returns integers() as dividends and divisors. The lowest 16 bits of b are never all zero, so no
/// instruction divides by zero.
const Inputs& divisors() {
  static const Inputs inputs = [] {
    Inputs result = integers();
    for (U64& b : result.b) {
      if ((b & 0xffff) == 0) b |= 3;
    }
    return result;
  }();
  return inputs;
}

template <class T>
std::string type_name() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

/// Returns the 128-bit value of the bits of a T.
template <class T>
Wide value(U64 bits) {
  return static_cast<Wide>(static_cast<T>(bits));
}

template <class T>
class Integers : public testing::Test {};
using IntegerTypes = testing::Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                                    std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

TYPED_TEST(Integers, Arithmetic) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const Registers same{bits, bits, bits, bits};
  const std::string type = type_name<T>();
  const auto expect = [&](const std::string& text, const Registers& registers, auto f) {
    expect_instruction(text, registers, integers(), [&](U64 a, U64 b, U64 c) {
      return static_cast<U64>(f(value<T>(a), value<T>(b), value<T>(c)));
    });
  };
  expect("add." + type + " %d, %a, %b;", same, [](Wide a, Wide b, Wide) { return a + b; });
  expect("sub." + type + " %d, %a, %b;", same, [](Wide a, Wide b, Wide) { return a - b; });
  expect("mul.lo." + type + " %d, %a, %b;", same, [](Wide a, Wide b, Wide) {
    return static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
  });
  const auto high = [](Wide a, Wide b) {
    if constexpr (std::is_signed_v<T>)
      return (a * b) >> bits;
    else
      return static_cast<Wide>(
          (static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >> bits);
  };
  expect("mul.hi." + type + " %d, %a, %b;", same, [&](Wide a, Wide b, Wide) { return high(a, b); });
  expect("mad.lo." + type + " %d, %a, %b, %c;", same, [](Wide a, Wide b, Wide c) {
    return static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) +
           static_cast<unsigned __int128>(c);
  });
  expect("mad.hi." + type + " %d, %a, %b, %c;", same,
         [&](Wide a, Wide b, Wide c) { return high(a, b) + c; });
  expect("sad." + type + " %d, %a, %b, %c;", same,
         [](Wide a, Wide b, Wide c) { return c + (a < b ? b - a : a - b); });
  expect("min." + type + " %d, %a, %b;", same, [](Wide a, Wide b, Wide) { return a < b ? a : b; });
  expect("max." + type + " %d, %a, %b;", same, [](Wide a, Wide b, Wide) { return a < b ? b : a; });
  if constexpr (std::is_signed_v<T>) {
    expect("abs." + type + " %d, %a;", same, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
    expect("neg." + type + " %d, %a;", same, [](Wide a, Wide, Wide) { return -a; });
  }
  if constexpr (bits < 64) {
    const Registers wide{2 * bits, bits, bits, 2 * bits};
    expect("mul.wide." + type + " %d, %a, %b;", wide, [](Wide a, Wide b, Wide) { return a * b; });
    expect_instruction("mad.wide." + type + " %d, %a, %b, %c;", wide, integers(),
                       [](U64 a, U64 b, U64 c) {
                         return static_cast<U64>(value<T>(a) * value<T>(b) + static_cast<Wide>(c));
                       });
  }
  const auto divide = [&](const std::string& text, auto f) {
    expect_instruction(text, same, divisors(), [&](U64 a, U64 b, U64) {
      return static_cast<U64>(f(value<T>(a), value<T>(b)));
    });
  };
  divide("div." + type + " %d, %a, %b;", [](Wide a, Wide b) { return a / b; });
  divide("rem." + type + " %d, %a, %b;", [](Wide a, Wide b) { return a % b; });
}

TYPED_TEST(Integers, Shifts) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const std::string type = type_name<T>();
  const std::string untyped = "b" + std::to_string(bits);
  const Registers shift{bits, bits, 32, bits};
  const auto amount = [](U64 b) { return static_cast<int>(b > 127 ? 127 : b); };
  expect_instruction("shr." + type + " %d, %a, %b;", shift, integers(), [&](U64 a, U64 b, U64) {
    const int n = amount(b);
    return static_cast<U64>(value<T>(a) >> (std::is_signed_v<T> ? std::min(n, bits - 1) : n));
  });
  expect_instruction("shr." + untyped + " %d, %a, %b;", shift, integers(), [&](U64 a, U64 b, U64) {
    return static_cast<U64>(static_cast<Wide>(a) >> amount(b));
  });
  expect_instruction("shl." + untyped + " %d, %a, %b;", shift, integers(),
                     [&](U64 a, U64 b, U64) { return b >= 64 ? 0 : a << b; });
}

TYPED_TEST(Integers, Comparisons) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const std::string type = type_name<T>();
  const Registers compared{32, bits, bits, bits};
  const auto compare = [&](const std::string& name, auto f) {
    expect_instruction("setp." + name + "." + type + " %p, %a, %b;\nselp.b32 %d, 1, 0, %p;",
                       compared, integers(),
                       [&](U64 a, U64 b, U64) { return f(value<T>(a), value<T>(b)) ? 1 : 0; });
    expect_instruction(
        "set." + name + ".u32." + type + " %d, %a, %b;", compared, integers(),
        [&](U64 a, U64 b, U64) { return f(value<T>(a), value<T>(b)) ? 0xffffffff : 0; });
    expect_instruction(
        "set." + name + ".f32." + type + " %d, %a, %b;", compared, integers(),
        [&](U64 a, U64 b, U64) { return f(value<T>(a), value<T>(b)) ? 0x3f800000 : 0; });
    // The comparison is combined with %q or !%q. %r gets the same for the opposite comparison.
    const std::string odd = bits == 16   ? "and.b16 %h1, %c, 1;\nsetp.ne.b16 %q, %h1, 0;\n"
                            : bits == 32 ? "and.b32 %w1, %c, 1;\nsetp.ne.b32 %q, %w1, 0;\n"
                                         : "and.b64 %l1, %c, 1;\nsetp.ne.b64 %q, %l1, 0;\n";
    for (const bool negated : {false, true}) {
      for (const std::string combination : {"and", "or", "xor"}) {
        expect_instruction(odd + "setp." + name + "." + combination + "." + type +
                               " %p|%r, %a, %b, " + (negated ? "!" : "") +
                               "%q;\nselp.b32 %w1, 1, 0, %p;\nselp.b32 %w2, 2, 0, %r;\n" +
                               "or.b32 %d, %w1, %w2;",
                           compared, integers(), [&](U64 a, U64 b, U64 c) {
                             const bool first = f(value<T>(a), value<T>(b));
                             const bool second = ((c & 1) != 0) != negated;
                             const auto combine = [&](bool yes) {
                               if (combination == "and") return yes && second;
                               return combination == "or" ? yes || second : yes != second;
                             };
                             return U64{combine(first) ? 1U : 0U} | (combine(!first) ? 2U : 0U);
                           });
      }
    }
  };
  compare("eq", [](Wide a, Wide b) { return a == b; });
  compare("ne", [](Wide a, Wide b) { return a != b; });
  compare("lt", [](Wide a, Wide b) { return a < b; });
  compare("le", [](Wide a, Wide b) { return a <= b; });
  compare("gt", [](Wide a, Wide b) { return a > b; });
  compare("ge", [](Wide a, Wide b) { return a >= b; });
  if constexpr (!std::is_signed_v<T>) {
    compare("lo", [](Wide a, Wide b) { return a < b; });
    compare("ls", [](Wide a, Wide b) { return a <= b; });
    compare("hi", [](Wide a, Wide b) { return a > b; });
    compare("hs", [](Wide a, Wide b) { return a >= b; });
  }
}

TYPED_TEST(Integers, BitFields) {
  using T = TypeParam;
  if constexpr (sizeof(T) >= 4) {  // PTX has no bit fields of 16 bits
    constexpr int bits = 8 * sizeof(T);
    const std::string type = type_name<T>();
    const std::string untyped = "b" + std::to_string(bits);
    // As on a GPU, 32-bit fields use the lowest byte, 64-bit ones all; values above 255 act alike.
    const auto field = [](U64 x) {
      return static_cast<int>(bits == 64 ? std::min<U64>(x & 0xffffffff, 255) : x & 0xff);
    };
    expect_instruction("bfe." + type + " %d, %a, %b, %c;", {bits, bits, 32, 32}, integers(),
                       [&](U64 a, U64 b, U64 c) {
                         const int from = field(b);
                         const int count = field(c);
                         const auto bit = [&](int i) { return static_cast<U64>(a >> i & 1); };
                         const U64 sign = !std::is_signed_v<T> || count == 0
                                              ? 0
                                              : bit(std::min(from + count - 1, bits - 1));
                         U64 result = 0;
                         for (int i = 0; i < bits; ++i)
                           result |= (i < count && from + i < bits ? bit(from + i) : sign) << i;
                         return result;
                       });
    if constexpr (!std::is_signed_v<T>) {
      expect_instruction("mov.b64 {%w1, %w2}, %c;\nbfi." + untyped + " %d, %a, %b, %w1, %w2;",
                         {bits, bits, bits, 64}, integers(), [&](U64 a, U64 b, U64 c) {
                           const int from = field(c);
                           const int count = field(c >> 32);
                           U64 result = b;
                           for (int i = 0; i < count && from + i < bits; ++i) {
                             const U64 bit = i < bits ? a >> i & 1 : 0;
                             result = (result & ~(U64{1} << (from + i))) | bit << (from + i);
                           }
                           return result;
                         });
    }
  }
}

TYPED_TEST(Integers, PlacesAndCountsOfBits) {
  using T = TypeParam;
  if constexpr (sizeof(T) >= 4) {
    constexpr int bits = 8 * sizeof(T);
    const std::string type = type_name<T>();
    const std::string untyped = "b" + std::to_string(bits);
    expect_instruction("bfind." + type + " %d, %a;", {32, bits, 32, 32}, integers(),
                       [&](U64 a, U64, U64) {
                         const U64 skipped = value<T>(a) < 0 ? 1 : 0;
                         for (int i = bits - 1; i >= 0; --i) {
                           if ((a >> i & 1) != skipped) return static_cast<U64>(i);
                         }
                         return ~U64{0};
                       });
    expect_instruction("bfind.shiftamt." + type + " %d, %a;", {32, bits, 32, 32}, integers(),
                       [&](U64 a, U64, U64) {
                         const U64 skipped = value<T>(a) < 0 ? 1 : 0;
                         for (int i = 0; i < bits; ++i) {
                           if ((a >> (bits - 1 - i) & 1) != skipped) return static_cast<U64>(i);
                         }
                         return ~U64{0};
                       });
    if constexpr (!std::is_signed_v<T>) {
      expect_instruction("popc." + untyped + " %d, %a;", {32, bits, 32, 32}, integers(),
                         [](U64 a, U64, U64) { return static_cast<U64>(std::popcount(a)); });
      expect_instruction(
          "clz." + untyped + " %d, %a;", {32, bits, 32, 32}, integers(),
          [&](U64 a, U64, U64) { return static_cast<U64>(std::countl_zero(a) - (64 - bits)); });
      expect_instruction("brev." + untyped + " %d, %a;", {bits, bits, 32, 32}, integers(),
                         [&](U64 a, U64, U64) {
                           U64 result = 0;
                           for (int i = 0; i < bits; ++i) result |= (a >> i & 1) << (bits - 1 - i);
                           return result;
                         });
    }
  }
}

TYPED_TEST(Integers, Logic) {
  using T = TypeParam;
  constexpr int bits = 8 * sizeof(T);
  const Registers same{bits, bits, bits, bits};
  const std::string untyped = "b" + std::to_string(bits);
  const auto expect = [&](const std::string& opcode, const test::Expected& expected) {
    expect_instruction(opcode + "." + untyped + " %d, %a, %b;", same, integers(), expected);
  };
  expect("and", [](U64 a, U64 b, U64) { return a & b; });
  expect("or", [](U64 a, U64 b, U64) { return a | b; });
  expect("xor", [](U64 a, U64 b, U64) { return a ^ b; });
  expect_instruction("not." + untyped + " %d, %a;", same, integers(),
                     [](U64 a, U64, U64) { return ~a; });
  expect_instruction("cnot." + untyped + " %d, %a;", same, integers(),
                     [](U64 a, U64, U64) { return a == 0 ? 1 : 0; });
  expect_instruction("slct." + type_name<T>() + ".s32 %d, %a, %b, %c;", {bits, bits, bits, 32},
                     integers(),
                     [](U64 a, U64 b, U64 c) { return static_cast<std::int32_t>(c) >= 0 ? a : b; });
}

TEST(Words, ThreeInputLogic) {
  for (int table = 0; table < 256; ++table) {
    expect_instruction("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", {}, integers(),
                       [&](U64 a, U64 b, U64 c) {
                         U64 result = 0;
                         for (int i = 0; i < 32; ++i) {
                           const U64 which = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
                           result |= (static_cast<U64>(table) >> which & 1) << i;
                         }
                         return result;
                       });
  }
}

TEST(Words, Permutations) {
  const auto byte = [](U64 a, U64 b, U64 i) { return (b << 32 | a) >> (8 * (i & 7)) & 0xff; };
  const auto permuted = [&](U64 a, U64 b, U64 c) {
    U64 result = 0;
    for (int k = 0; k < 4; ++k) {
      const U64 selector = c >> (4 * k) & 15;
      U64 chosen = byte(a, b, selector);
      if (selector >= 8) chosen = chosen >= 0x80 ? 0xff : 0;
      result |= chosen << (8 * k);
    }
    return result;
  };
  expect_instruction("prmt.b32 %d, %a, %b, %c;", {}, integers(), permuted);
  // All lanes have the same selectors: each of 16 at each of the four bytes.
  for (U64 selector = 0; selector < 16; ++selector) {
    for (int k = 0; k < 4; ++k) {
      const U64 c = (0x6510 & ~(U64{15} << (4 * k))) | selector << (4 * k);
      expect_instruction("prmt.b32 %d, %a, %b, " + std::to_string(c) + ";", {}, integers(),
                         [&](U64 a, U64 b, U64 /*c*/) { return permuted(a, b, c); });
    }
  }
  const auto expect = [&](const std::string& mode, auto selector) {
    expect_instruction("prmt.b32." + mode + " %d, %a, %b, %c;", {}, integers(),
                       [&](U64 a, U64 b, U64 c) {
                         U64 result = 0;
                         for (int k = 0; k < 4; ++k)
                           result |= byte(a, b, selector(static_cast<int>(c & 3), k)) << (8 * k);
                         return result;
                       });
  };
  const auto number = [](int i) { return static_cast<U64>(i); };
  expect("f4e", [&](int n, int k) { return number(n + k); });
  expect("b4e", [&](int n, int k) { return number((n - k + 8) % 8); });
  expect("rc8", [&](int n, int) { return number(n); });
  expect("ecl", [&](int n, int k) { return number(std::max(n, k)); });
  expect("ecr", [&](int n, int k) { return number(std::min(n, k)); });
  expect("rc16", [&](int n, int k) { return number(2 * (n & 1) + (k & 1)); });
}

TEST(Words, FunnelShifts) {
  const auto both = [](U64 a, U64 b) { return b << 32 | a; };
  expect_instruction("shf.l.wrap.b32 %d, %a, %b, %c;", {}, integers(),
                     [&](U64 a, U64 b, U64 c) { return both(a, b) << (c & 31) >> 32; });
  expect_instruction("shf.r.wrap.b32 %d, %a, %b, %c;", {}, integers(),
                     [&](U64 a, U64 b, U64 c) { return both(a, b) >> (c & 31); });
  expect_instruction("shf.l.clamp.b32 %d, %a, %b, %c;", {}, integers(),
                     [&](U64 a, U64 b, U64 c) { return c >= 32 ? a : both(a, b) << c >> 32; });
  expect_instruction("shf.r.clamp.b32 %d, %a, %b, %c;", {}, integers(),
                     [&](U64 a, U64 b, U64 c) { return c >= 32 ? b : both(a, b) >> c; });
}

U64 element(U64 word, int from, int bits, bool is_signed) {
  U64 raw = word >> from & ((U64{1} << bits) - 1);
  if (is_signed && raw >> (bits - 1) != 0) raw |= ~U64{0} << bits;
  return raw;
}

TEST(Words, DotProducts) {
  for (const bool a_signed : {false, true}) {
    for (const bool b_signed : {false, true}) {
      const std::string types =
          std::string(a_signed ? ".s32" : ".u32") + (b_signed ? ".s32" : ".u32");
      expect_instruction("dp4a" + types + " %d, %a, %b, %c;", {}, integers(),
                         [&](U64 a, U64 b, U64 c) {
                           for (int k = 0; k < 4; ++k)
                             c += element(a, 8 * k, 8, a_signed) * element(b, 8 * k, 8, b_signed);
                           return c;
                         });
      for (const int half : {0, 1}) {
        expect_instruction(
            std::string("dp2a") + (half != 0 ? ".hi" : ".lo") + types + " %d, %a, %b, %c;", {},
            integers(), [&](U64 a, U64 b, U64 c) {
              for (int k = 0; k < 2; ++k) {
                c += element(a, 16 * k, 16, a_signed) * element(b, 16 * half + 8 * k, 8, b_signed);
              }
              return c;
            });
      }
    }
  }
}

TEST(Words, Saturating) {
  const auto clamp = [](std::int64_t x) {
    return static_cast<U64>(std::clamp<std::int64_t>(x, INT32_MIN, INT32_MAX));
  };
  const auto s = [](U64 x) { return std::int64_t{static_cast<std::int32_t>(x)}; };
  expect_instruction("add.sat.s32 %d, %a, %b;", {}, integers(),
                     [&](U64 a, U64 b, U64) { return clamp(s(a) + s(b)); });
  expect_instruction("sub.sat.s32 %d, %a, %b;", {}, integers(),
                     [&](U64 a, U64 b, U64) { return clamp(s(a) - s(b)); });
  expect_instruction("mad.hi.sat.s32 %d, %a, %b, %c;", {}, integers(),
                     [&](U64 a, U64 b, U64 c) { return clamp((s(a) * s(b) >> 32) + s(c)); });
}

TEST(Words, Of24Bits) {
  const auto s = [](U64 x) { return std::int64_t{static_cast<std::int32_t>(x << 8) >> 8}; };
  const auto u = [](U64 x) { return x & 0xffffff; };
  expect_instruction("mul24.lo.s32 %d, %a, %b;", {}, integers(),
                     [&](U64 a, U64 b, U64) { return static_cast<U64>(s(a) * s(b)); });
  expect_instruction("mul24.lo.u32 %d, %a, %b;", {}, integers(),
                     [&](U64 a, U64 b, U64) { return u(a) * u(b); });
  expect_instruction("mul24.hi.s32 %d, %a, %b;", {}, integers(),
                     [&](U64 a, U64 b, U64) { return static_cast<U64>(s(a) * s(b) >> 16); });
  expect_instruction("mul24.hi.u32 %d, %a, %b;", {}, integers(),
                     [&](U64 a, U64 b, U64) { return u(a) * u(b) >> 16; });
  expect_instruction("mad24.lo.s32 %d, %a, %b, %c;", {}, integers(),
                     [&](U64 a, U64 b, U64 c) { return static_cast<U64>(s(a) * s(b)) + c; });
  expect_instruction("mad24.lo.u32 %d, %a, %b, %c;", {}, integers(),
                     [&](U64 a, U64 b, U64 c) { return u(a) * u(b) + c; });
}

TEST(Words, Masks) {
  expect_instruction("bmsk.clamp.b32 %d, %a, %b;", {}, integers(), [](U64 a, U64 b, U64) {
    U64 result = 0;
    for (U64 i = 0; i < 32; ++i) result |= U64{i >= a && i - a < b ? 1U : 0U} << i;
    return result;
  });
  expect_instruction("bmsk.wrap.b32 %d, %a, %b;", {}, integers(),
                     [](U64 a, U64 b, U64) { return ((U64{1} << (b & 31)) - 1) << (a & 31); });
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? "s32" : "u32";
    const auto extend = [&](U64 a, U64 n) {
      return n == 0 ? 0 : element(a, 0, static_cast<int>(n), is_signed);
    };
    expect_instruction("szext.wrap." + type + " %d, %a, %b;", {}, integers(),
                       [&](U64 a, U64 b, U64) { return extend(a, b & 31); });
    expect_instruction("szext.clamp." + type + " %d, %a, %b;", {}, integers(),
                       [&](U64 a, U64 b, U64) { return extend(a, std::min<U64>(b, 32)); });
  }
}

/// Tests vadd2, vadd4, ... on signed and unsigned elements: plain, saturated, or accumulated.
TEST(Words, Video) {
  struct Operation {
    const char* name;
    std::int64_t (*apply)(std::int64_t, std::int64_t);
  };
  static constexpr Operation operations[] = {
      {"vadd", [](std::int64_t a, std::int64_t b) { return a + b; }},
      {"vsub", [](std::int64_t a, std::int64_t b) { return a - b; }},
      {"vavrg", [](std::int64_t a, std::int64_t b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }},
      {"vabsdiff", [](std::int64_t a, std::int64_t b) { return a < b ? b - a : a - b; }},
      {"vmin", [](std::int64_t a, std::int64_t b) { return std::min(a, b); }},
      {"vmax", [](std::int64_t a, std::int64_t b) { return std::max(a, b); }}};
  for (const Operation& operation : operations) {
    for (const int parts : {2, 4}) {
      for (int signs = 0; signs < 8; ++signs) {
        for (const std::string mode : {"", ".sat", ".add"}) {
          const auto sign = [&](int bit) { return (signs & bit) != 0; };
          const auto type = [&](int bit) { return std::string(sign(bit) ? ".s32" : ".u32"); };
          const int bits = 32 / parts;
          expect_instruction(
              operation.name + std::to_string(parts) + type(1) + type(2) + type(4) + mode +
                  " %d, %a, %b, %c;",
              {}, integers(), [&](U64 a, U64 b, U64 c) {
                U64 word = 0;
                for (int k = 0; k < parts; ++k) {
                  std::int64_t r = operation.apply(
                      static_cast<std::int64_t>(element(a, k * bits, bits, sign(2))),
                      static_cast<std::int64_t>(element(b, k * bits, bits, sign(4))));
                  if (mode == ".sat") {
                    const std::int64_t low = sign(1) ? -(1 << (bits - 1)) : 0;
                    r = std::clamp<std::int64_t>(r, low, low + (1 << bits) - 1);
                  }
                  if (mode == ".add")
                    c += static_cast<U64>(r);
                  else
                    word |= element(static_cast<U64>(r), 0, bits, false) << (k * bits);
                }
                return mode == ".add" ? c : word;
              });
        }
      }
    }
  }
}

/// Tests instructions with a carry: two of them compute a number of twice the width.
TEST(Words, Carries) {
  using Big = unsigned __int128;
  for (const int bits : {32, 64}) {
    const std::string u = "u" + std::to_string(bits);
    const std::string l = bits == 32 ? "%w" : "%l";
    const Registers same{bits, bits, bits, bits};
    const auto join = [&](U64 high, U64 low) { return static_cast<Big>(high) << bits | low; };
    for (const bool high : {false, true}) {
      const auto part = [&](Big x) { return static_cast<U64>(high ? x >> bits : x); };
      const std::string take = high ? "2;" : "1;";
      // Computes (b:a) + (a:c), (b:a) - (a:c) and a * b + (c:c); x:y has x as its upper half.
      const std::string move = "mov.b" + std::to_string(bits) + " %d, " + l + take;
      expect_instruction(
          "add.cc." + u + " " + l + "1, %a, %c;\naddc." + u + " " + l + "2, %b, %a;\n" + move, same,
          integers(), [&](U64 a, U64 b, U64 c) { return part(join(b, a) + join(a, c)); });
      expect_instruction(
          "sub.cc." + u + " " + l + "1, %a, %c;\nsubc." + u + " " + l + "2, %b, %a;\n" + move, same,
          integers(), [&](U64 a, U64 b, U64 c) { return part(join(b, a) - join(a, c)); });
      expect_instruction("mad.lo.cc." + u + " " + l + "1, %a, %b, %c;\nmadc.hi." + u + " " + l +
                             "2, %a, %b, %c;\n" + move,
                         same, integers(), [&](U64 a, U64 b, U64 c) {
                           return part(static_cast<Big>(a) * b + join(c, c));
                         });
    }
    // The result is the carry out of the second addition.
    expect_instruction("add.cc." + u + " " + l + "1, %a, %c;\naddc.cc." + u + " " + l +
                           "2, %b, %a;\naddc." + u + " %d, 0, 0;",
                       same, integers(), [&](U64 a, U64 b, U64 c) {
                         const Big one = static_cast<Big>(a) + c;
                         return static_cast<U64>((static_cast<Big>(b) + a + (one >> bits)) >> bits);
                       });
  }
}

// ---- conversions

template <class D, class S>
void expect_conversions() {
  const int bits = std::max<int>(16, 8 * sizeof(D));
  const int from = std::max<int>(16, 8 * sizeof(S));
  const std::string types = type_name<D>() + "." + type_name<S>();
  for (const int wide : {bits, 32, 64}) {
    if (wide < bits || (wide == 64 && bits != 64)) continue;
    expect_instruction(
        "cvt." + types + " %d, %a;", {wide, from, 32, 32}, integers(),
        [](U64 a, U64, U64) { return static_cast<U64>(value<D>(static_cast<U64>(value<S>(a)))); });
    expect_instruction("cvt.sat." + types + " %d, %a;", {wide, from, 32, 32}, integers(),
                       [](U64 a, U64, U64) {
                         const Wide low = std::numeric_limits<D>::min();
                         const Wide high = std::numeric_limits<D>::max();
                         return static_cast<U64>(std::clamp(value<S>(a), low, high));
                       });
  }
  // A narrow type may be read from a wide register.
  for (const int wide : {32, 64}) {
    if (wide <= from) continue;
    expect_instruction(
        "cvt." + types + " %d, %a;", {bits, wide, 32, 32}, integers(),
        [](U64 a, U64, U64) { return static_cast<U64>(value<D>(static_cast<U64>(value<S>(a)))); });
  }
}

template <class D>
void expect_conversions_to() {
  expect_conversions<D, std::uint8_t>();
  expect_conversions<D, std::int8_t>();
  expect_conversions<D, std::uint16_t>();
  expect_conversions<D, std::int16_t>();
  expect_conversions<D, std::uint32_t>();
  expect_conversions<D, std::int32_t>();
  expect_conversions<D, std::uint64_t>();
  expect_conversions<D, std::int64_t>();
}

TEST(Conversions, BetweenIntegers) {
  expect_conversions_to<std::uint8_t>();
  expect_conversions_to<std::int8_t>();
  expect_conversions_to<std::uint16_t>();
  expect_conversions_to<std::int16_t>();
  expect_conversions_to<std::uint32_t>();
  expect_conversions_to<std::int32_t>();
  expect_conversions_to<std::uint64_t>();
  expect_conversions_to<std::int64_t>();
}

TEST(Words, NthSetBit) {
  expect_instruction("and.b32 %w1, %b, 31; shr.s32 %w2, %c, 26; fns.b32 %d, %a, %w1, %w2;", {},
                     integers(), [](U64 a, U64 b, U64 c) -> U64 {
                       const int base = static_cast<int>(b & 31);
                       const int n = static_cast<std::int32_t>(c) >> 26;
                       std::vector<int> set;  // in the order of the search
                       for (int i = base; i >= 0 && i < 32; i += n < 0 ? -1 : 1)
                         if ((a >> i & 1) != 0) set.push_back(i);
                       if (n == 0) return (a >> base & 1) != 0 ? base : 0xffffffff;
                       const auto wanted = static_cast<std::size_t>(std::abs(n));
                       return wanted <= set.size() ? set[wanted - 1] : 0xffffffff;
                     });
}

TEST(Words, ProductsOf24BitsSaturate) {
  expect_instruction("mad24.hi.sat.s32 %d, %a, %b, %c;", {}, integers(), [](U64 a, U64 b, U64 c) {
    const auto signed_24 = [](U64 x) {
      return static_cast<Wide>(static_cast<std::int32_t>(x << 8)) / 256;
    };
    const Wide sum = (signed_24(a) * signed_24(b) >> 16) + static_cast<std::int32_t>(c);
    const Wide low = std::numeric_limits<std::int32_t>::min();
    const Wide high = std::numeric_limits<std::int32_t>::max();
    return static_cast<U64>(sum < low ? low : sum > high ? high : sum);
  });
}

}  // namespace integer_tests
}  // namespace warpwise
