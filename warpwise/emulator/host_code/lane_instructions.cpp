// Machine code of single lane operations. Each entry below gives the same bits as the entry of the
// same name in instructions/lanes.

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/host_code/lane_code.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"

namespace warpwise::emulator {
namespace {

using C = LaneCode;
using Emit = void (*)(C&);
using Table = C::Table;

template <class Instruction>
constexpr Emit unary(Instruction) {
  return [](C& c) { Instruction{}(c.to(), c.out(), c.any(c.op().a)); };
}
template <class Instruction>
constexpr Emit binary(Instruction) {
  return [](C& c) {
    const Xbyak::Ymm a = c.in(c.op().a);
    Instruction{}(c.to(), c.out(), a, c.any(c.op().b));
  };
}

/// Replaces each NaN in the result by the only NaN that operations of single precision give.
void make_canonical(C& c) {
  c.to().vcmpunordps(c.scratch(0), c.out(), c.out());
  c.to().vblendvps(c.out(), c.out(), c.table(Table::nan32), c.scratch(0));
}

template <class Instruction>
constexpr Emit binary_float(Instruction) {
  return [](C& c) {
    const Xbyak::Ymm a = c.in(c.op().a);
    Instruction{}(c.to(), c.out(), a, c.any(c.op().b));
    make_canonical(c);
  };
}

/// Swaps the operands of doubles. If both are NaNs, the CPU passes on its first operand, but a GPU
/// passes on b.
template <class Instruction>
constexpr Emit swapped_double(Instruction) {
  return [](C& c) {
    const Xbyak::Ymm b = c.in(c.op().b);
    Instruction{}(c.to(), c.out(), b, c.any(c.op().a));
  };
}

/// Replaces the result by an operand, made quiet, in the lanes where the operand is a NaN.
void pass_on(C& c, Xbyak::Ymm operand) {
  c.to().vcmpunordpd(c.scratch(0), operand, operand);
  c.to().vorpd(c.scratch(1), operand, c.table(Table::quiet64));
  c.to().vblendvpd(c.out(), c.out(), c.scratch(1), c.scratch(0));
}

template <class Instruction>
constexpr Emit multiply_wide(Instruction) {
  return [](C& c) {
    c.to().vpmovzxdq(c.scratch(0), c.four(c.op().a, 0));
    c.to().vpmovzxdq(c.scratch(1), c.four(c.op().b, 1));
    Instruction{}(c.to(), c.out(), c.scratch(0), c.scratch(1));
  };
}
template <class Instruction>
constexpr Emit multiply_add_wide(Instruction) {
  return [](C& c) {
    c.to().vpmovzxdq(c.scratch(0), c.four(c.op().a, 0));
    c.to().vpmovzxdq(c.scratch(1), c.four(c.op().b, 1));
    Instruction{}(c.to(), c.scratch(0), c.scratch(0), c.scratch(1));
    c.to().vpaddq(c.out(), c.scratch(0), c.any(c.op().c));
  };
}

void multiply_add_low(C& c) {
  const Xbyak::Ymm a = c.in(c.op().a);
  c.to().vpmulld(c.scratch(0), a, c.any(c.op().b));
  c.to().vpaddd(c.out(), c.scratch(0), c.any(c.op().c));
}

/// Computes the lower 64 bits of a product, from products of 32-bit halves.
void multiply_long(C& c) {
  const Xbyak::Ymm a = c.in(c.op().a);
  const Xbyak::Ymm b = c.in(c.op().b);
  c.to().vpsrlq(c.scratch(0), a, 32);
  c.to().vpmuludq(c.scratch(0), c.scratch(0), b);
  c.to().vpsrlq(c.scratch(1), b, 32);
  c.to().vpmuludq(c.scratch(1), c.scratch(1), a);
  c.to().vpaddq(c.scratch(0), c.scratch(0), c.scratch(1));
  c.to().vpsllq(c.scratch(0), c.scratch(0), 32);
  c.to().vpmuludq(c.out(), a, b);
  c.to().vpaddq(c.out(), c.out(), c.scratch(0));
}

void multiply_words(C& c) {
  const Xbyak::Ymm a = c.in(c.op().a);
  const Xbyak::Ymm b = c.in(c.op().b);
  c.to().vpand(c.scratch(0), a, c.table(Table::word));
  c.to().vpand(c.scratch(1), b, c.table(Table::word));
  c.to().vpmulld(c.out(), c.scratch(0), c.scratch(1));
}

void select_lanes(C& c) {
  const Operation& op = c.op();
  const std::int32_t yes = op.c_negated ? op.b : op.a;
  const std::int32_t no = op.c_negated ? op.a : op.b;
  c.expand_predicate(op.c);
  const Xbyak::Ymm other = c.in(no);
  c.to().vblendvps(c.out(), other, c.any(yes), c.scratch(0));
}

void copy(C& c) { c.to().vmovdqu(c.out(), c.any(c.op().a)); }

/// Extends the lower bits of the result to 32 bits.
template <class T>
void extend(C& c) {
  if constexpr (sizeof(T) < 4) {
    constexpr std::uint8_t n = 32 - 8 * sizeof(T);
    c.to().vpslld(c.out(), c.out(), n);
    if constexpr (std::is_signed_v<T>)
      c.to().vpsrad(c.out(), c.out(), n);
    else
      c.to().vpsrld(c.out(), c.out(), n);
  }
}

void keep(C& c) {
  if (flags_of<IntegerConversionFlags>(c.op()).kept == 0xffffU)
    c.to().vpand(c.out(), c.out(), c.table(Table::word));
}

template <class D, class S>
void convert(C& c) {
  copy(c);
  extend<S>(c);
  extend<D>(c);
  keep(c);
}

void take_lower_halves(C& c) {
  const Xbyak::Ymm first = c.in_half(c.op().a, 0);
  const Xbyak::Ymm second = c.in_half(c.op().a, 1);
  c.to().vshufps(c.scratch(0), first, second, 0x88);
  c.to().vpermq(c.out(), c.scratch(0), 0xd8);
  keep(c);
}

void truncate_to_s32(C& c) {
  const Xbyak::Ymm a = c.in(c.op().a);
  c.to().vcvttps2dq(c.out(), a);
  // The CPU gives 0x80000000 for NaN and for numbers that are too large. PTX demands 0 and
  // 0x7fffffff.
  c.to().vcmpgeps(c.scratch(0), a, c.table(Table::beyond32));
  c.to().vpxor(c.out(), c.out(), c.scratch(0));
  c.to().vcmpordps(c.scratch(0), a, a);
  c.to().vpand(c.out(), c.out(), c.scratch(0));
}

/// Computes min or max. A NaN loses against a number, and -0 is less than 0.
template <class Instruction, class Join>
constexpr Emit extreme(Instruction, Join) {
  return [](C& c) {
    const Xbyak::Ymm a = c.in(c.op().a);
    const Xbyak::Ymm b = c.in(c.op().b);
    Instruction{}(c.to(), c.scratch(0), a, b);
    Instruction{}(c.to(), c.scratch(1), b, a);
    Join{}(c.to(), c.out(), c.scratch(0), c.scratch(1));
    c.to().vcmpunordps(c.scratch(0), a, a);
    c.to().vblendvps(c.out(), c.out(), b, c.scratch(0));
    c.to().vcmpunordps(c.scratch(0), b, b);
    c.to().vblendvps(c.out(), c.out(), a, c.scratch(0));
    make_canonical(c);
  };
}

using G = Xbyak::CodeGenerator;
using Y = const Xbyak::Ymm&;
using O = const Xbyak::Operand&;

class Instructions {
 public:
  Instructions() {
    add_words();
    add_longs();
    add_conversions();
    add_floats();
    add_doubles();
  }
  const LaneInstruction* find(Handler handler) const {
    const auto found = all_.find(handler);
    return found == all_.end() ? nullptr : &found->second;
  }

 private:
  void add(std::string_view name, Emit emit) {
    const Entry& entry = lane_operations().find(name)->second;
    all_[entry.handler] = {entry.widths, emit};
  }
  void add_both(std::string_view name, std::string_view bits, Emit emit) {
    for (const char sign : {'u', 's'})
      add(std::string(name) + "." + sign + std::string(bits), emit);
  }

  void add_words() {
    add_both("add", "32", binary([](G& g, Y d, Y a, O b) { g.vpaddd(d, a, b); }));
    add_both("sub", "32", binary([](G& g, Y d, Y a, O b) { g.vpsubd(d, a, b); }));
    add_both("mul.lo", "32", binary([](G& g, Y d, Y a, O b) { g.vpmulld(d, a, b); }));
    add_both("mad.lo", "32", multiply_add_low);
    add("mul.wide.u16", multiply_words);
    add("min.s32", binary([](G& g, Y d, Y a, O b) { g.vpminsd(d, a, b); }));
    add("max.s32", binary([](G& g, Y d, Y a, O b) { g.vpmaxsd(d, a, b); }));
    add("min.u32", binary([](G& g, Y d, Y a, O b) { g.vpminud(d, a, b); }));
    add("max.u32", binary([](G& g, Y d, Y a, O b) { g.vpmaxud(d, a, b); }));
    add("abs.s32", unary([](G& g, Y d, O a) { g.vpabsd(d, a); }));
    add("neg.s32", [](C& c) {
      c.to().vpxor(c.scratch(0), c.scratch(0), c.scratch(0));
      c.to().vpsubd(c.out(), c.scratch(0), c.any(c.op().a));
    });
    for (const char* bits : {"32", "64"}) {
      const std::string b = ".b" + std::string(bits);
      add("and" + b, binary([](G& g, Y d, Y x, O y) { g.vpand(d, x, y); }));
      add("or" + b, binary([](G& g, Y d, Y x, O y) { g.vpor(d, x, y); }));
      add("xor" + b, binary([](G& g, Y d, Y x, O y) { g.vpxor(d, x, y); }));
      add("not" + b, [](C& c) {
        c.to().vpcmpeqd(c.scratch(0), c.scratch(0), c.scratch(0));
        c.to().vpxor(c.out(), c.scratch(0), c.any(c.op().a));
      });
      add("mov" + b, copy);
      add("selp" + b, select_lanes);
    }
    add("shl.b32", binary([](G& g, Y d, Y a, O b) { g.vpsllvd(d, a, b); }));
    add("shr.b32", binary([](G& g, Y d, Y a, O b) { g.vpsrlvd(d, a, b); }));
    add("shr.u32", binary([](G& g, Y d, Y a, O b) { g.vpsrlvd(d, a, b); }));
    add("shr.s32", binary([](G& g, Y d, Y a, O b) { g.vpsravd(d, a, b); }));
  }

  void add_longs() {
    add_both("add", "64", binary([](G& g, Y d, Y a, O b) { g.vpaddq(d, a, b); }));
    add_both("sub", "64", binary([](G& g, Y d, Y a, O b) { g.vpsubq(d, a, b); }));
    add_both("mul.lo", "64", multiply_long);
    add("mul.wide.s32", multiply_wide([](G& g, Y d, Y a, O b) { g.vpmuldq(d, a, b); }));
    add("mul.wide.u32", multiply_wide([](G& g, Y d, Y a, O b) { g.vpmuludq(d, a, b); }));
    add("mad.wide.s32", multiply_add_wide([](G& g, Y d, Y a, O b) { g.vpmuldq(d, a, b); }));
    add("mad.wide.u32", multiply_add_wide([](G& g, Y d, Y a, O b) { g.vpmuludq(d, a, b); }));
    const auto shift = [](auto instruction) -> Emit {
      using Instruction = decltype(instruction);
      return [](C& c) {
        c.to().vpmovzxdq(c.scratch(0), c.four(c.op().b, 0));
        const Xbyak::Ymm a = c.in(c.op().a);
        Instruction{}(c.to(), c.out(), a, c.scratch(0));
      };
    };
    add("shl.b64", shift([](G& g, Y d, Y a, Y n) { g.vpsllvq(d, a, n); }));
    add("shr.b64", shift([](G& g, Y d, Y a, Y n) { g.vpsrlvq(d, a, n); }));
    add("shr.u64", shift([](G& g, Y d, Y a, Y n) { g.vpsrlvq(d, a, n); }));
    for (const char* name :
         {"cvta.global.u64", "cvta.to.global.u64", "cvta.const.u64", "cvta.to.const.u64"})
      add(name, copy);
  }

  void add_conversions() {
    const auto from = [&]<class S>(S, const std::string& source) {
      add("cvt.u8." + source, convert<std::uint8_t, S>);
      add("cvt.s8." + source, convert<std::int8_t, S>);
      add("cvt.u16." + source, convert<std::uint16_t, S>);
      add("cvt.s16." + source, convert<std::int16_t, S>);
      add("cvt.u32." + source, convert<std::uint32_t, S>);
      add("cvt.s32." + source, convert<std::int32_t, S>);
    };
    from(std::uint8_t{}, "u8");
    from(std::int8_t{}, "s8");
    from(std::uint16_t{}, "u16");
    from(std::int16_t{}, "s16");
    from(std::uint32_t{}, "u32");
    from(std::int32_t{}, "s32");
    for (const char* name : {"cvt.s64.s32", "cvt.u64.s32"})
      add(name, [](C& c) { c.to().vpmovsxdq(c.out(), c.four(c.op().a, 0)); });
    for (const char* name : {"cvt.s64.u32", "cvt.u64.u32"})
      add(name, [](C& c) { c.to().vpmovzxdq(c.out(), c.four(c.op().a, 0)); });
    for (const char* name : {"cvt.u32.u64", "cvt.u32.s64", "cvt.s32.u64", "cvt.s32.s64"})
      add(name, take_lower_halves);
    add("cvt.rn.f32.s32", unary([](G& g, Y d, O a) { g.vcvtdq2ps(d, a); }));
    add("cvt.rzi.s32.f32", truncate_to_s32);
    add("cvt.f64.f32", [](C& c) { c.to().vcvtps2pd(c.out(), c.four(c.op().a, 0)); });
  }

  void add_floats() {
    add("add.f32", binary_float([](G& g, Y d, Y a, O b) { g.vaddps(d, a, b); }));
    add("sub.f32", binary_float([](G& g, Y d, Y a, O b) { g.vsubps(d, a, b); }));
    add("mul.f32", binary_float([](G& g, Y d, Y a, O b) { g.vmulps(d, a, b); }));
    add("div.f32", binary_float([](G& g, Y d, Y a, O b) { g.vdivps(d, a, b); }));
    add("sqrt.f32", [](C& c) {
      c.to().vsqrtps(c.out(), c.any(c.op().a));
      make_canonical(c);
    });
    add("fma.f32", [](C& c) {
      const Xbyak::Ymm a = c.in(c.op().a);
      c.to().vmovdqu(c.out(), c.any(c.op().c));
      c.to().vfmadd231ps(c.out(), a, c.any(c.op().b));
      make_canonical(c);
    });
    add("neg.f32", [](C& c) {
      const Xbyak::Ymm a = c.in(c.op().a);
      c.to().vxorps(c.out(), a, c.table(Table::sign32));
      make_canonical(c);
    });
    add("abs.f32", [](C& c) {
      const Xbyak::Ymm a = c.in(c.op().a);
      c.to().vandps(c.out(), a, c.table(Table::magnitude32));
      make_canonical(c);
    });
    add("min.f32", extreme([](G& g, Y d, Y a, O b) { g.vminps(d, a, b); },
                           [](G& g, Y d, Y a, O b) { g.vorps(d, a, b); }));
    add("max.f32", extreme([](G& g, Y d, Y a, O b) { g.vmaxps(d, a, b); },
                           [](G& g, Y d, Y a, O b) { g.vandps(d, a, b); }));
  }

  void add_doubles() {
    add("add.f64", swapped_double([](G& g, Y d, Y a, O b) { g.vaddpd(d, a, b); }));
    add("mul.f64", swapped_double([](G& g, Y d, Y a, O b) { g.vmulpd(d, a, b); }));
    add("sub.f64", [](C& c) {
      const Xbyak::Ymm a = c.in(c.op().a);
      const Xbyak::Ymm b = c.in(c.op().b);
      c.to().vsubpd(c.out(), a, b);
      pass_on(c, b);
    });
    add("fma.f64", [](C& c) {
      const Xbyak::Ymm a = c.in(c.op().a);
      const Xbyak::Ymm b = c.in(c.op().b);
      const Xbyak::Ymm third = c.in(c.op().c);
      c.to().vmovdqu(c.out(), third);
      c.to().vfmadd231pd(c.out(), a, b);
      pass_on(c, a);
      pass_on(c, third);
      pass_on(c, b);
    });
  }

  std::map<Handler, LaneInstruction> all_;
};

}  // namespace

const LaneInstruction word_load = {
    {Width::w32, Width::none, Width::w32}, [](LaneCode& c) {
      const Xbyak::Ymm at = c.in(c.op().a);
      G& g = c.to();
      g.vpcmpeqd(c.scratch(0), c.scratch(0), c.scratch(0));
      g.vpgatherdd(c.out(), g.ptr[g.rdx + at + static_cast<int>(c.op().offset)], c.scratch(0));
    }};

const LaneInstruction* lane_instruction(const Operation& op) {
  static const Instructions instructions;
  return instructions.find(op.run);
}

}  // namespace warpwise::emulator
