#include "warpwise/emulator/host_code/predicate_code.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"

namespace warpwise::emulator {
namespace {

using Xbyak::Address;
using Xbyak::CodeGenerator;
using Xbyak::Ymm;
namespace reg = Xbyak::util;

constexpr int vector_bytes = 32;

/// Compares the lanes of ymm0 with a vector in memory, and leaves all ones in ymm0 where the result
/// is true. The result may be the comparison's opposite.
using Compare = void (*)(CodeGenerator& to, const Address& b);

struct Comparison {
  Compare compare = nullptr;
  bool is_opposite = false;  ///< `compare` gives the opposite result
  bool is_wide = false;      ///< of 64 bits
  bool is_float = false;     ///< may flush subnormal operands
};

enum class Logic { conjunction, disjunction, difference, negation, copy };

template <std::uint8_t kind>
void compare_floats(CodeGenerator& to, const Address& b) {
  to.vcmpps(reg::ymm0, reg::ymm0, b, kind);
}
template <std::uint8_t kind>
void compare_doubles(CodeGenerator& to, const Address& b) {
  to.vcmppd(reg::ymm0, reg::ymm0, b, kind);
}
void equal_words(CodeGenerator& to, const Address& b) { to.vpcmpeqd(reg::ymm0, reg::ymm0, b); }
void greater_words(CodeGenerator& to, const Address& b) { to.vpcmpgtd(reg::ymm0, reg::ymm0, b); }
void less_words(CodeGenerator& to, const Address& b) {
  to.vmovdqu(reg::ymm1, b);
  to.vpcmpgtd(reg::ymm0, reg::ymm1, reg::ymm0);
}
void at_least_unsigned(CodeGenerator& to, const Address& b) {
  to.vpmaxud(reg::ymm1, reg::ymm0, b);
  to.vpcmpeqd(reg::ymm0, reg::ymm0, reg::ymm1);
}
void at_most_unsigned(CodeGenerator& to, const Address& b) {
  to.vpminud(reg::ymm1, reg::ymm0, b);
  to.vpcmpeqd(reg::ymm0, reg::ymm0, reg::ymm1);
}
void equal_longs(CodeGenerator& to, const Address& b) { to.vpcmpeqq(reg::ymm0, reg::ymm0, b); }
void greater_longs(CodeGenerator& to, const Address& b) { to.vpcmpgtq(reg::ymm0, reg::ymm0, b); }
void less_longs(CodeGenerator& to, const Address& b) {
  to.vmovdqu(reg::ymm1, b);
  to.vpcmpgtq(reg::ymm0, reg::ymm1, reg::ymm0);
}
/// Maps the unsigned numbers of ymm0 and `b` to signed ones of the same order, in ymm0 and ymm1.
void flip_signs(CodeGenerator& to, const Address& b) {
  to.vpcmpeqd(reg::ymm2, reg::ymm2, reg::ymm2);
  to.vpsllq(reg::ymm2, reg::ymm2, 63);
  to.vpxor(reg::ymm0, reg::ymm0, reg::ymm2);
  to.vpxor(reg::ymm1, reg::ymm2, b);
}
void greater_unsigned_longs(CodeGenerator& to, const Address& b) {
  flip_signs(to, b);
  to.vpcmpgtq(reg::ymm0, reg::ymm0, reg::ymm1);
}
void less_unsigned_longs(CodeGenerator& to, const Address& b) {
  flip_signs(to, b);
  to.vpcmpgtq(reg::ymm0, reg::ymm1, reg::ymm0);
}

class Known {
 public:
  Known() {
    for (const char* type : {"s32", "u32", "b32"}) add_equality(type, equal_words, false);
    for (const char* type : {"s64", "u64", "b64"}) add_equality(type, equal_longs, true);
    add_order("s32", {greater_words, false}, {less_words, false}, {less_words, true},
              {greater_words, true});
    add_order("u32", {at_most_unsigned, true}, {at_least_unsigned, true},
              {at_least_unsigned, false}, {at_most_unsigned, false});
    add_order("s64", {greater_longs, false, true}, {less_longs, false, true},
              {less_longs, true, true}, {greater_longs, true, true});
    add_order("u64", {greater_unsigned_longs, false, true}, {less_unsigned_longs, false, true},
              {less_unsigned_longs, true, true}, {greater_unsigned_longs, true, true});
    // The template arguments are the codes of comparisons in vcmpps and vcmppd.
    add_floats<0>("eq");
    add_floats<12>("ne");
    add_floats<17>("lt");
    add_floats<18>("le");
    add_floats<30>("gt");
    add_floats<29>("ge");
    add_floats<8>("equ");
    add_floats<4>("neu");
    add_floats<25>("ltu");
    add_floats<26>("leu");
    add_floats<22>("gtu");
    add_floats<21>("geu");
    add_floats<7>("num");
    add_floats<3>("nan");
    const auto logic = [&](const char* name, Logic what) {
      logic_[lane_operations().at(name).handler] = what;
    };
    logic("and.pred", Logic::conjunction);
    logic("or.pred", Logic::disjunction);
    logic("xor.pred", Logic::difference);
    logic("not.pred", Logic::negation);
    logic("mov.pred", Logic::copy);
  }

  const Comparison* comparison(const Operation& op) const {
    const auto found = comparisons_.find(op.run);
    if (found == comparisons_.end()) return nullptr;
    const bool flushes = found->second.is_float && flags_of<CompareFlags>(op).flush != 0;
    return flushes ? nullptr : &found->second;
  }
  const Logic* logic(const Operation& op) const {
    const auto found = logic_.find(op.run);
    return found == logic_.end() ? nullptr : &found->second;
  }

 private:
  void add(const std::string& name, const std::string& type, Comparison comparison) {
    comparisons_[lane_operations().at("setp." + name + "." + type).handler] = comparison;
  }
  void add_equality(const std::string& type, Compare compare, bool is_wide) {
    add("eq", type, {compare, false, is_wide});
    add("ne", type, {compare, true, is_wide});
  }
  void add_order(const std::string& type, Comparison gt, Comparison lt, Comparison ge,
                 Comparison le) {
    const bool is_unsigned = type[0] == 'u';
    add("gt", type, gt);
    add("lt", type, lt);
    add("ge", type, ge);
    add("le", type, le);
    if (!is_unsigned) return;
    add("hi", type, gt);
    add("lo", type, lt);
    add("hs", type, ge);
    add("ls", type, le);
  }
  template <std::uint8_t kind>
  void add_floats(const std::string& name) {
    add(name, "f32", {compare_floats<kind>, false, false, true});
    add(name, "f64", {compare_doubles<kind>, false, true});
  }

  std::map<Handler, Comparison> comparisons_;
  std::map<Handler, Logic> logic_;
};

const Known& known() {
  static const Known all;
  return all;
}

void write_comparison(CodeGenerator& to, const HostRegisters& at, const Operation& op,
                      const Comparison& comparison) {
  const auto vector = [&](std::int32_t operand, int k) -> Address {
    return to.ptr[(operand < 0 ? at.constants : at.registers) +
                  ((operand < 0 ? ~operand : operand) + vector_bytes * k)];
  };
  const int lanes = comparison.is_wide ? 4 : 8;
  for (int k = 0; k < warp_lanes / lanes; ++k) {
    to.vmovdqu(reg::ymm0, vector(op.a, k));
    comparison.compare(to, vector(op.b, k));
    const Xbyak::Reg32& part = k == 0 ? reg::eax : reg::ecx;
    if (comparison.is_wide)
      to.vmovmskpd(part, reg::ymm0);
    else
      to.vmovmskps(part, reg::ymm0);
    if (k == 0) continue;
    to.shl(reg::ecx, static_cast<int>(k * lanes));
    to.or_(reg::eax, reg::ecx);
  }
  if (comparison.is_opposite) to.not_(reg::eax);
}

void store_predicate(CodeGenerator& to, const HostRegisters& at, std::int32_t dst,
                     const Xbyak::Reg32& value) {
  const Address place = to.dword[at.registers + dst];
  if (at.is_partial) {
    to.and_(value, at.lanes);
    to.andn(reg::ecx, at.lanes, place);
    to.or_(value, reg::ecx);
  }
  to.mov(place, value);
}

/// Combines a comparison in `result` with predicate c.
void combine(CodeGenerator& to, const HostRegisters& at, const Operation& op,
             const Xbyak::Reg32& result) {
  const Combination how = flags_of<CompareFlags>(op).combination;
  if (how == Combination::none) return;
  load_predicate(to, at, reg::ecx, op.c, op.c_negated);
  if (how == Combination::with_and)
    to.and_(result, reg::ecx);
  else if (how == Combination::with_or)
    to.or_(result, reg::ecx);
  else
    to.xor_(result, reg::ecx);
}

void write_logic(CodeGenerator& to, const HostRegisters& at, const Operation& op, Logic what) {
  load_predicate(to, at, reg::eax, op.a, op.a_negated);
  if (what == Logic::negation) {
    to.not_(reg::eax);
  } else if (what != Logic::copy) {
    load_predicate(to, at, reg::ecx, op.b, op.b_negated);
    if (what == Logic::conjunction)
      to.and_(reg::eax, reg::ecx);
    else if (what == Logic::disjunction)
      to.or_(reg::eax, reg::ecx);
    else
      to.xor_(reg::eax, reg::ecx);
  }
  store_predicate(to, at, op.dst, reg::eax);
}

}  // namespace

void load_predicate(CodeGenerator& to, const HostRegisters& at, const Xbyak::Reg32& into,
                    std::int32_t operand, bool negated) {
  to.mov(
      into,
      to.dword[(operand < 0 ? at.constants : at.registers) + (operand < 0 ? ~operand : operand)]);
  if (negated) to.not_(into);
}

bool has_predicate_code(const Operation& op) {
  return known().comparison(op) != nullptr || known().logic(op) != nullptr;
}

void write_predicate_code(CodeGenerator& to, const HostRegisters& at, const Operation& op) {
  if (const Logic* what = known().logic(op)) return write_logic(to, at, op, *what);
  write_comparison(to, at, op, *known().comparison(op));
  if (op.dst2 >= 0) {
    to.mov(reg::edx, reg::eax);
    to.not_(reg::edx);
    combine(to, at, op, reg::edx);
  }
  combine(to, at, op, reg::eax);
  store_predicate(to, at, op.dst, reg::eax);
  if (op.dst2 >= 0) store_predicate(to, at, op.dst2, reg::edx);
}

}  // namespace warpwise::emulator
