#include "warpwise/emulator/decode/select.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/lanes/conversions.hpp"
#include "warpwise/emulator/instructions/lanes/halves.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"
#include "warpwise/emulator/instructions/lanes/rounded.hpp"
#include "warpwise/emulator/instructions/warp_operations.hpp"

namespace warpwise::emulator {
namespace {

using Modifiers = std::vector<std::string>;

bool has(const Modifiers& modifiers, std::string_view which) {
  return std::find(modifiers.begin(), modifiers.end(), which) != modifiers.end();
}

const Entry* find(std::string_view key) {
  for (const Table* table : {&lane_operations(), &rounded_operations(), &conversion_operations(),
                             &half_operations(), &warp_operations()}) {
    const auto found = table->find(key);
    if (found != table->end()) return &found->second;
  }
  return nullptr;
}

bool is_half(std::string_view type) {
  return type.substr(0, 3) == "f16" || type.substr(0, 4) == "bf16";
}
bool is_wide_float(std::string_view type) {
  return type == "f32" || type == "f64" || type == "f32x2";
}

/// Returns the bit type of the same size: "f32" -> "b32".
std::string untyped(const std::string& type) {
  return type == "pred" ? type : "b" + std::to_string(type_bits(type));
}

Rounding rounding_of(const Modifiers& modifiers) {
  static const std::map<std::string_view, Rounding> names = {
      {"rn", Rounding::nearest}, {"rz", Rounding::zero},     {"rm", Rounding::down},
      {"rp", Rounding::up},      {"rni", Rounding::nearest}, {"rzi", Rounding::zero},
      {"rmi", Rounding::down},   {"rpi", Rounding::up}};
  for (const std::string& modifier : modifiers) {
    const auto found = names.find(modifier);
    if (found != names.end()) return found->second;
  }
  return Rounding::nearest;
}

FloatFlags float_flags(const Modifiers& modifiers) {
  FloatFlags flags;
  flags.rounding = rounding_of(modifiers);
  flags.flush = has(modifiers, "ftz") ? 1 : 0;
  flags.saturate = has(modifiers, "sat") ? 1 : 0;
  flags.relu = has(modifiers, "relu") ? 1 : 0;
  flags.propagate_nan = has(modifiers, "NaN") ? 1 : 0;
  flags.finite = has(modifiers, "satfinite") ? 1 : 0;
  flags.xor_sign = has(modifiers, "xorsign") && has(modifiers, "abs") ? 1 : 0;
  return flags;
}

std::optional<Selection> selected(const std::string& key, InstructionClass c,
                                  std::uint32_t flags = 0) {
  const Entry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  Selection selection;
  selection.entry = *entry;
  selection.flags = flags;
  selection.instruction_class = c;
  return selection;
}

std::string joined(const std::string& opcode, const Modifiers& modifiers) {
  std::string key = opcode;
  for (const std::string& modifier : modifiers) key += "." + modifier;
  return key;
}

// Returns true if every modifier is a type or is in `known`. Any other modifier makes the
// instruction unknown.
bool only(const Modifiers& modifiers, const std::set<std::string_view>& known) {
  return std::all_of(modifiers.begin(), modifiers.end(), [&](const std::string& modifier) {
    return is_type(modifier) || known.contains(modifier);
  });
}

std::optional<Selection> select_floating(const std::string& opcode, const Modifiers& modifiers,
                                         const std::string& type) {
  static const std::set<std::string_view> known = {
      "rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN", "relu", "xorsign", "abs"};
  if (!only(modifiers, known)) return std::nullopt;
  const FloatFlags flags = float_flags(modifiers);
  if (has(modifiers, "approx") || has(modifiers, "full")) {
    const std::string kind = has(modifiers, "full") ? ".full." : ".approx.";
    const std::string ftz = type == "f64" && flags.flush != 0 ? "ftz." : "";
    return selected(opcode + kind + ftz + type, InstructionClass::special, packed_flags(flags));
  }
  const bool is_double = type == "f64";
  if (is_double && (flags.flush != 0 || flags.saturate != 0)) return std::nullopt;
  const bool slow = opcode == "div" || opcode == "sqrt" || opcode == "rcp";
  const InstructionClass c = slow        ? InstructionClass::special
                             : is_double ? InstructionClass::float64
                                         : InstructionClass::float32;
  const std::string operation = opcode == "mad" ? "fma" : opcode;
  if (flags.xor_sign != 0) {
    const std::string nan = flags.propagate_nan != 0 ? ".nan." : ".";
    return selected(operation + ".xorsign" + nan + type, c, packed_flags(flags));
  }
  if (has(modifiers, "abs")) return std::nullopt;
  if (flags.propagate_nan != 0) return selected(operation + ".nan." + type, c, packed_flags(flags));
  const bool is_pair = type == "f32x2";
  if (flags == FloatFlags{} && !is_pair) return selected(operation + "." + type, c);
  FloatFlags flushing;
  flushing.flush = 1;
  if (flags == flushing && !is_pair) {
    if (auto found = selected(operation + ".ftz." + type, c)) return found;
  }
  return selected(operation + ".*." + type, c, packed_flags(flags));
}

std::optional<Selection> select_half(const std::string& opcode, const Modifiers& modifiers,
                                     const std::string& type) {
  static const std::set<std::string_view> known = {"rn",  "ftz",  "sat",     "approx",
                                                   "NaN", "relu", "xorsign", "abs"};
  if (!only(modifiers, known)) return std::nullopt;
  const bool special = opcode == "ex2" || opcode == "tanh";
  const bool sums = opcode == "add" || opcode == "sub" || opcode == "mul" || opcode == "fma";
  const bool is_bfloat = type[0] == 'b';
  const FloatFlags flags = float_flags(modifiers);
  if (flags.saturate != 0 && (is_bfloat || !sums)) return std::nullopt;
  const bool is_extreme = opcode == "min" || opcode == "max";
  if (has(modifiers, "xorsign") != has(modifiers, "abs") || (flags.xor_sign != 0 && !is_extreme))
    return std::nullopt;
  if (flags.flush != 0 && is_bfloat && !special) return std::nullopt;
  return selected(opcode + "." + type, special ? InstructionClass::special : InstructionClass::half,
                  packed_flags(flags));
}

std::optional<Selection> select_carry(const std::string& opcode, const Modifiers& modifiers,
                                      const std::string& type) {
  const bool reads = opcode == "addc" || opcode == "subc" || opcode == "madc";
  const bool writes = has(modifiers, "cc");
  if (!reads && !writes) return std::nullopt;
  CarryFlags carry;
  carry.reads = reads ? 1 : 0;
  carry.writes = writes ? 1 : 0;
  const std::uint32_t flags = packed_flags(carry);
  const std::string bits = std::to_string(type_bits(type));
  if (opcode == "add" || opcode == "addc")
    return selected("addc.b" + bits, InstructionClass::integer, flags);
  if (opcode == "sub" || opcode == "subc")
    return selected("subc.b" + bits, InstructionClass::integer, flags);
  const std::string half = has(modifiers, "hi") ? "hi." : "lo.";
  return selected("madc." + half + type, InstructionClass::integer, flags);
}

/// Selects setp or set. Modifiers: a comparison, maybe a combination with a predicate, maybe .ftz,
/// and types.
std::optional<Selection> select_comparison(const std::string& opcode, const Modifiers& modifiers) {
  CompareFlags flags;
  std::string key = opcode;
  std::vector<std::string> types;
  for (const std::string& modifier : modifiers) {
    if (modifier == "and")
      flags.combination = Combination::with_and;
    else if (modifier == "or")
      flags.combination = Combination::with_or;
    else if (modifier == "xor")
      flags.combination = Combination::with_xor;
    else if (modifier == "ftz")
      flags.flush = 1;
    else if (is_type(modifier))
      types.push_back(modifier);
    else
      key += "." + modifier;
  }
  if (types.empty()) return std::nullopt;
  const std::string& compared = types.back();
  const bool flushes = compared == "f32" || compared == "f16" || compared == "f16x2";
  if (flags.flush != 0 && !flushes) return std::nullopt;
  for (const std::string& type : types) key += "." + type;
  auto found = selected(key, InstructionClass::compare, packed_flags(flags));
  // Only a combination has a predicate as its third source.
  if (found && flags.combination == Combination::none) found->entry.widths[4] = Width::none;
  return found;
}

/// Returns true for a type of two floats of 8, 6 or 4 bits. Conversions to such a type saturate.
bool is_narrow(std::string_view type) { return type.starts_with("e") && type.ends_with("x2"); }

std::optional<Selection> select_conversion(const Modifiers& modifiers) {
  std::vector<std::string> types;
  for (const std::string& modifier : modifiers) {
    if (is_type(modifier)) types.push_back(modifier);
  }
  if (has(modifiers, "pack")) {
    // cvt.pack.sat.u8.s32.b32: the last type is the type of the third source.
    if (types.size() < 2 || !has(modifiers, "sat")) return std::nullopt;
    return selected("cvt.pack." + types[0], InstructionClass::conversion);
  }
  static const std::set<std::string_view> known = {
      "rn", "rz", "rna", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "relu", "satfinite"};
  if (types.size() != 2 || !only(modifiers, known)) return std::nullopt;
  const std::string pair = types[0] + "." + types[1];
  const bool is_away = has(modifiers, "rna");
  if (is_away && pair != "tf32.f32") return std::nullopt;
  if (is_narrow(types[0]) && !has(modifiers, "satfinite")) return std::nullopt;
  const auto is_integer = [](const std::string& type) {
    return type[0] == 's' || (type[0] == 'u' && type[1] != 'e');
  };
  std::optional<Selection> found;
  if (is_integer(types[0]) && is_integer(types[1])) {
    found = selected((has(modifiers, "sat") ? "cvt.sat." : "cvt.") + pair,
                     InstructionClass::conversion);
    if (found) found->is_integer_conversion = true;
  } else {
    found = selected(joined("cvt", modifiers), InstructionClass::conversion);
    FloatFlags flags = float_flags(modifiers);
    const auto integer_rounding = [](const std::string& m) {
      return m.size() == 3 && m[0] == 'r' && m[2] == 'i';
    };
    const bool to_integral = std::any_of(modifiers.begin(), modifiers.end(), integer_rounding);
    flags.to_integral = to_integral && !is_integer(types[0]) ? 1 : 0;
    if (!found)
      found = selected((is_away ? "cvt.rna.*." : "cvt.*.") + pair, InstructionClass::conversion,
                       packed_flags(flags));
  }
  if (found) {
    found->loose_result = type_bits(types[0]) < 32 && is_integer(types[0]);
    found->loose_source = type_bits(types[1]) < 32;
  }
  return found;
}

std::optional<PackedFlags> packed_flags_of(const std::string& opcode, const Modifiers& modifiers) {
  using C = PackedComparison;
  static const std::map<std::string_view, C> comparisons = {
      {"eq", C::eq}, {"ne", C::ne}, {"lt", C::lt}, {"le", C::le}, {"gt", C::gt}, {"ge", C::ge}};
  PackedFlags flags;
  std::vector<std::string> types;
  for (const std::string& modifier : modifiers) {
    if (modifier == "sat")
      flags.saturate = 1;
    else if (modifier == "add")
      flags.accumulate = 1;
    else if (comparisons.contains(modifier))
      flags.comparison = comparisons.at(modifier);
    else if (is_type(modifier))
      types.push_back(modifier);
    else
      return std::nullopt;
  }
  const bool is_set = opcode.substr(0, 4) == "vset";
  if (types.size() != (is_set ? 2U : 3U)) return std::nullopt;
  // vset has no result type: its results are 0 and 1.
  const std::size_t first = is_set ? 0 : 1;
  flags.d_signed = !is_set && types[0][0] == 's' ? 1 : 0;
  flags.a_signed = types[first][0] == 's' ? 1 : 0;
  flags.b_signed = types[first + 1][0] == 's' ? 1 : 0;
  return flags;
}

std::optional<Selection> select_packed(const std::string& opcode, const Modifiers& modifiers) {
  auto found = selected(joined(opcode, modifiers), InstructionClass::integer);
  if (!found) {
    const std::optional<PackedFlags> flags = packed_flags_of(opcode, modifiers);
    if (!flags) return std::nullopt;
    found = selected(opcode, InstructionClass::integer, packed_flags(*flags));
  }
  if (found) found->third_is_optional = true;
  return found;
}

std::optional<Selection> select_permutation(const Modifiers& modifiers) {
  static const std::map<std::string_view, PermuteMode> modes = {
      {"f4e", PermuteMode::f4e}, {"b4e", PermuteMode::b4e}, {"rc8", PermuteMode::rc8},
      {"ecl", PermuteMode::ecl}, {"ecr", PermuteMode::ecr}, {"rc16", PermuteMode::rc16}};
  PermuteFlags flags;
  for (const std::string& modifier : modifiers) {
    const auto found = modes.find(modifier);
    if (found != modes.end())
      flags.mode = found->second;
    else if (modifier != "b32")
      return std::nullopt;
  }
  return selected("prmt.b32", InstructionClass::logic, packed_flags(flags));
}

std::optional<Selection> select_property(const Modifiers& modifiers, const std::string& type) {
  static const std::map<std::string_view, Property> properties = {
      {"finite", Property::finite}, {"infinite", Property::infinite},
      {"number", Property::number}, {"notanumber", Property::nan},
      {"normal", Property::normal}, {"subnormal", Property::subnormal}};
  const auto found = properties.find(modifiers.front());
  if (found == properties.end()) return std::nullopt;
  PropertyFlags flags;
  flags.property = found->second;
  return selected("testp." + type, InstructionClass::compare, packed_flags(flags));
}

std::optional<Selection> select_exchange(const std::string& opcode, const Modifiers& modifiers) {
  Modifiers kept;
  for (const std::string& modifier : modifiers) {
    if (modifier != "sync") kept.push_back(modifier);
  }
  auto found = selected(joined(opcode, kept), InstructionClass::shuffle);
  if (found) found->needs_second_result = opcode == "elect";
  return found;
}

}  // namespace

int type_bits(std::string_view type) {
  static const std::map<std::string_view, int> bits = {
      {"u8", 8},      {"s8", 8},      {"b8", 8},      {"u16", 16},    {"s16", 16},
      {"b16", 16},    {"f16", 16},    {"bf16", 16},   {"u32", 32},    {"s32", 32},
      {"b32", 32},    {"f32", 32},    {"f16x2", 32},  {"bf16x2", 32}, {"u16x2", 32},
      {"s16x2", 32},  {"u64", 64},    {"s64", 64},    {"b64", 64},    {"f64", 64},
      {"b128", 128},  {"pred", 1},    {"tf32", 32},   {"f32x2", 64},  {"e4m3x2", 16},
      {"e5m2x2", 16}, {"e3m2x2", 16}, {"e2m3x2", 16}, {"e2m1x2", 8},  {"ue8m0x2", 16}};
  const auto found = bits.find(type);
  return found == bits.end() ? 0 : found->second;
}

bool is_type(std::string_view modifier) { return type_bits(modifier) != 0; }

std::string full_name(const ptx::Instruction& instruction) {
  return joined(instruction.opcode, instruction.modifiers);
}

std::optional<Selection> select_from_lower_bits(const ptx::Instruction& instruction) {
  auto found = selected(joined("cvt.low", instruction.modifiers), InstructionClass::conversion);
  if (!found) return std::nullopt;
  found->loose_result = type_bits(instruction.modifiers.front()) < 32;
  found->is_integer_conversion = true;
  return found;
}

std::optional<Selection> select(const ptx::Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  const Modifiers& modifiers = instruction.modifiers;
  if (opcode == "setp" || opcode == "set") return select_comparison(opcode, modifiers);
  if (opcode == "cvt") return select_conversion(modifiers);
  if (opcode == "prmt") return select_permutation(modifiers);
  if (opcode == "shfl" || opcode == "vote" || opcode == "match" || opcode == "redux" ||
      opcode == "activemask" || opcode == "elect") {
    return select_exchange(opcode, modifiers);
  }
  static const std::set<std::string_view> video = {
      "vadd2",     "vadd4", "vsub2", "vsub4", "vavrg2", "vavrg4", "vabsdiff2",
      "vabsdiff4", "vmin2", "vmin4", "vmax2", "vmax4",  "vset2",  "vset4"};
  if (video.contains(opcode)) return select_packed(opcode, modifiers);

  std::string type;
  for (const std::string& modifier : modifiers) {
    if (is_type(modifier)) type = modifier;
  }
  if (type.empty()) return std::nullopt;
  if (opcode == "mov" || opcode == "selp") {
    return modifiers.size() == 1 ? selected(opcode + "." + untyped(type), InstructionClass::move)
                                 : std::nullopt;
  }
  if (opcode == "slct") {
    const bool flushes = modifiers.front() == "ftz";
    if (modifiers.size() != (flushes ? 3U : 2U) || !is_type(modifiers[flushes ? 1 : 0]))
      return std::nullopt;
    return selected(
        (flushes ? "slct.ftz." : "slct.") + untyped(modifiers[flushes ? 1 : 0]) + "." + type,
        InstructionClass::move);
  }
  if (opcode == "testp") return select_property(modifiers, type);
  if (opcode == "copysign") return selected("copysign." + type, InstructionClass::logic);
  if (is_half(type)) return select_half(opcode, modifiers, type);
  if (is_wide_float(type)) return select_floating(opcode, modifiers, type);

  static const std::set<std::string_view> logic = {"and",  "or",  "xor", "not", "cnot",
                                                   "lop3", "shf", "shl", "shr"};
  const InstructionClass c =
      logic.contains(opcode) ? InstructionClass::logic : InstructionClass::integer;
  if (has(modifiers, "cc") || opcode == "addc" || opcode == "subc" || opcode == "madc") {
    return select_carry(opcode, modifiers, type);
  }
  // Accepts "min.s32.relu" for "min.relu.s32".
  Modifiers ordered;
  for (const std::string& modifier : modifiers) {
    if (!is_type(modifier)) ordered.push_back(modifier);
  }
  for (const std::string& modifier : modifiers) {
    if (is_type(modifier)) ordered.push_back(modifier);
  }
  const bool dot = opcode == "dp4a" || opcode == "dp2a";
  auto found = selected(joined(opcode, ordered), dot ? InstructionClass::integer : c);
  if (!found && (opcode == "mul24" || opcode == "mad24"))
    found = selected(joined(opcode, modifiers), c);
  return found;
}

}  // namespace warpwise::emulator
