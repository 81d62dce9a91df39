#include "warpwise/emulator/decode/select.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/instructions/numbers.hpp"

namespace warpwise::emulator {
namespace {

using Modifiers = std::vector<std::string>;

bool has(const Modifiers& modifiers, std::string_view which) {
  return std::find(modifiers.begin(), modifiers.end(), which) != modifiers.end();
}

const Entry* find(std::string_view key) {
  for (const Table* table :
       {&lane_operations(), &number_operations(), &half_operations(), &warp_operations()}) {
    const auto found = table->find(key);
    if (found != table->end()) return &found->second;
  }
  return nullptr;
}

bool is_half(std::string_view type) {
  return type.substr(0, 3) == "f16" || type.substr(0, 4) == "bf16";
}
bool is_single_or_double(std::string_view type) { return type == "f32" || type == "f64"; }

/// The bit type of as many bits: "f32" -> "b32".
std::string untyped(const std::string& type) {
  return type == "pred" ? type : "b" + std::to_string(type_bits(type));
}

std::optional<std::uint32_t> rounding_of(const Modifiers& modifiers) {
  static const std::map<std::string_view, std::uint32_t> names = {
      {"rn", 0}, {"rz", 1}, {"rm", 2}, {"rp", 3}, {"rni", 0}, {"rzi", 1}, {"rmi", 2}, {"rpi", 3}};
  for (const std::string& modifier : modifiers) {
    const auto found = names.find(modifier);
    if (found != names.end()) return found->second;
  }
  return std::nullopt;
}

std::uint32_t flags_of(const Modifiers& modifiers) {
  std::uint32_t flags = rounding_of(modifiers).value_or(0);
  if (has(modifiers, "ftz")) flags |= flush_subnormals;
  if (has(modifiers, "sat")) flags |= saturate;
  if (has(modifiers, "relu")) flags |= relu;
  if (has(modifiers, "NaN")) flags |= propagate_nan;
  return flags;
}

std::optional<Selection> selected(const std::string& key, InstructionClass c,
                                  std::uint32_t variant = 0) {
  const Entry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  Selection selection;
  selection.entry = *entry;
  selection.variant = variant;
  selection.instruction_class = c;
  return selection;
}

std::string joined(const std::string& opcode, const Modifiers& modifiers) {
  std::string key = opcode;
  for (const std::string& modifier : modifiers) key += "." + modifier;
  return key;
}

// What an opcode's modifiers may be besides its type; another one makes the instruction unknown.
bool only(const Modifiers& modifiers, const std::set<std::string_view>& known) {
  return std::all_of(modifiers.begin(), modifiers.end(), [&](const std::string& modifier) {
    return is_type(modifier) || known.contains(modifier);
  });
}

std::optional<Selection> select_floating(const std::string& opcode, const Modifiers& modifiers,
                                         const std::string& type) {
  static const std::set<std::string_view> known = {"rn",  "rz",     "rm",   "rp",  "ftz",
                                                   "sat", "approx", "full", "NaN", "relu"};
  if (!only(modifiers, known)) return std::nullopt;
  const std::uint32_t flags = flags_of(modifiers);
  if (has(modifiers, "approx") || has(modifiers, "full")) {
    const std::string kind = has(modifiers, "full") ? ".full." : ".approx.";
    return selected(opcode + kind + type, InstructionClass::special, flags);
  }
  const bool is_double = type == "f64";
  const bool slow = opcode == "div" || opcode == "sqrt" || opcode == "rcp";
  const InstructionClass c = slow        ? InstructionClass::special
                             : is_double ? InstructionClass::float64
                                         : InstructionClass::float32;
  const std::string operation = opcode == "mad" ? "fma" : opcode;
  if ((flags & propagate_nan) != 0)
    return selected(operation + ".nan." + type, c, flags & ~propagate_nan);
  if (flags == 0) return selected(operation + "." + type, c);
  if (flags == flush_subnormals) {
    if (auto found = selected(operation + ".ftz." + type, c)) return found;
  }
  return selected(operation + ".*." + type, c, flags);
}

std::optional<Selection> select_half(const std::string& opcode, const Modifiers& modifiers,
                                     const std::string& type) {
  static const std::set<std::string_view> known = {"rn", "ftz", "sat", "approx", "NaN", "relu"};
  if (!only(modifiers, known)) return std::nullopt;
  const bool special = opcode == "ex2" || opcode == "tanh";
  return selected(opcode + "." + type, special ? InstructionClass::special : InstructionClass::half,
                  flags_of(modifiers));
}

std::optional<Selection> select_carry(const std::string& opcode, const Modifiers& modifiers,
                                      const std::string& type) {
  const bool reads = opcode == "addc" || opcode == "subc" || opcode == "madc";
  const bool writes = has(modifiers, "cc");
  if (!reads && !writes) return std::nullopt;
  const std::uint32_t variant = (reads ? 1U : 0U) | (writes ? 2U : 0U);
  const std::string bits = std::to_string(type_bits(type));
  if (opcode == "add" || opcode == "addc")
    return selected("addc.b" + bits, InstructionClass::integer, variant);
  if (opcode == "sub" || opcode == "subc")
    return selected("subc.b" + bits, InstructionClass::integer, variant);
  const std::string half = has(modifiers, "hi") ? "hi." : "lo.";
  return selected("madc." + half + type, InstructionClass::integer, variant);
}

/// setp and set: comparison, perhaps a combination with a predicate, perhaps .ftz, types.
std::optional<Selection> select_comparison(const std::string& opcode, const Modifiers& modifiers) {
  std::uint32_t variant = 0;
  std::string key = opcode;
  std::vector<std::string> types;
  for (const std::string& modifier : modifiers) {
    if (modifier == "and")
      variant |= 1;
    else if (modifier == "or")
      variant |= 2;
    else if (modifier == "xor")
      variant |= 3;
    else if (modifier == "ftz")
      variant |= 16;
    else if (is_type(modifier))
      types.push_back(modifier);
    else
      key += "." + modifier;
  }
  for (const std::string& type : types) key += "." + type;
  return selected(key, InstructionClass::compare, variant);
}

std::optional<Selection> select_conversion(const Modifiers& modifiers) {
  std::vector<std::string> types;
  for (const std::string& modifier : modifiers) {
    if (is_type(modifier)) types.push_back(modifier);
  }
  if (has(modifiers, "pack")) {
    // cvt.pack.sat.u8.s32.b32: the last type is that of the third source.
    if (types.size() < 2 || !has(modifiers, "sat")) return std::nullopt;
    return selected("cvt.pack." + types[0], InstructionClass::conversion);
  }
  static const std::set<std::string_view> known = {"rn",  "rz",  "rm",  "rp",  "rni", "rzi",
                                                   "rmi", "rpi", "ftz", "sat", "relu"};
  if (types.size() != 2 || !only(modifiers, known)) return std::nullopt;
  const std::string pair = types[0] + "." + types[1];
  const auto is_integer = [](const std::string& type) { return type[0] == 'u' || type[0] == 's'; };
  std::optional<Selection> found;
  if (is_integer(types[0]) && is_integer(types[1])) {
    found = selected((has(modifiers, "sat") ? "cvt.sat." : "cvt.") + pair,
                     InstructionClass::conversion);
  } else {
    found = selected(joined("cvt", modifiers), InstructionClass::conversion);
    std::uint32_t flags = flags_of(modifiers);
    const auto integer_rounding = [](const std::string& m) {
      return m.size() == 3 && m[0] == 'r' && m[2] == 'i';
    };
    const bool to_integral = std::any_of(modifiers.begin(), modifiers.end(), integer_rounding);
    if (to_integral && !is_integer(types[0])) flags |= round_to_integer;
    if (!found) found = selected("cvt.*." + pair, InstructionClass::conversion, flags);
  }
  if (found) {
    found->loose_result = type_bits(types[0]) < 32 && is_integer(types[0]);
    found->loose_source = type_bits(types[1]) < 32;
  }
  return found;
}

std::optional<Selection> select_packed(const std::string& opcode, const Modifiers& modifiers) {
  if (auto found = selected(joined(opcode, modifiers), InstructionClass::integer)) return found;
  static const std::map<std::string_view, std::uint32_t> comparisons = {
      {"eq", 0}, {"ne", 1}, {"lt", 2}, {"le", 3}, {"gt", 4}, {"ge", 5}};
  std::uint32_t variant = 0;
  std::vector<std::string> types;
  for (const std::string& modifier : modifiers) {
    if (modifier == "sat")
      variant |= 8;
    else if (modifier == "add")
      variant |= 16;
    else if (comparisons.contains(modifier))
      variant |= comparisons.at(modifier) << 8;
    else if (is_type(modifier))
      types.push_back(modifier);
    else
      return std::nullopt;
  }
  const bool is_set = opcode.substr(0, 4) == "vset";
  if (types.size() != (is_set ? 2U : 3U)) return std::nullopt;
  // vset has no result type: its results are 0 and 1.
  const std::size_t first = is_set ? 0 : 1;
  if (!is_set && types[0][0] == 's') variant |= 4;
  if (types[first][0] == 's') variant |= 1;
  if (types[first + 1][0] == 's') variant |= 2;
  return selected(opcode, InstructionClass::integer, variant);
}

std::optional<Selection> select_permutation(const Modifiers& modifiers) {
  static const std::vector<std::string> modes = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  std::uint32_t mode = 0;
  for (const std::string& modifier : modifiers) {
    const auto found = std::find(modes.begin(), modes.end(), modifier);
    if (found != modes.end())
      mode = static_cast<std::uint32_t>(found - modes.begin());
    else if (modifier != "b32")
      return std::nullopt;
  }
  return selected("prmt.b32", InstructionClass::logic, mode);
}

std::optional<Selection> select_exchange(const std::string& opcode, const Modifiers& modifiers) {
  Modifiers kept;
  for (const std::string& modifier : modifiers) {
    if (modifier != "sync") kept.push_back(modifier);
  }
  return selected(joined(opcode, kept), InstructionClass::shuffle);
}

}  // namespace

int type_bits(std::string_view type) {
  static const std::map<std::string_view, int> bits = {
      {"u8", 8},     {"s8", 8},      {"b8", 8},     {"u16", 16},   {"s16", 16}, {"b16", 16},
      {"f16", 16},   {"bf16", 16},   {"u32", 32},   {"s32", 32},   {"b32", 32}, {"f32", 32},
      {"f16x2", 32}, {"bf16x2", 32}, {"u16x2", 32}, {"s16x2", 32}, {"u64", 64}, {"s64", 64},
      {"b64", 64},   {"f64", 64},    {"b128", 128}, {"pred", 1},   {"tf32", 32}};
  const auto found = bits.find(type);
  return found == bits.end() ? 0 : found->second;
}

bool is_type(std::string_view modifier) { return type_bits(modifier) != 0; }

std::string full_name(const ptx::Instruction& instruction) {
  return joined(instruction.opcode, instruction.modifiers);
}

std::optional<Selection> select_from_lower_bits(const ptx::Instruction& instruction) {
  auto found = selected(joined("cvt.low", instruction.modifiers), InstructionClass::conversion);
  if (found) found->loose_result = type_bits(instruction.modifiers.front()) < 32;
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
    if (modifiers.size() < 2 || !is_type(modifiers.front())) return std::nullopt;
    return selected("slct." + untyped(modifiers.front()) + "." + type, InstructionClass::move);
  }
  if (opcode == "testp") {
    static const std::vector<std::string> properties = {"finite",     "infinite", "number",
                                                        "notanumber", "normal",   "subnormal"};
    const auto found = std::find(properties.begin(), properties.end(), modifiers.front());
    if (found == properties.end()) return std::nullopt;
    return selected("testp." + type, InstructionClass::compare,
                    static_cast<std::uint32_t>(found - properties.begin()));
  }
  if (opcode == "copysign") return selected("copysign." + type, InstructionClass::logic);
  if (is_half(type)) return select_half(opcode, modifiers, type);
  if (is_single_or_double(type)) return select_floating(opcode, modifiers, type);

  static const std::set<std::string_view> logic = {"and",  "or",  "xor", "not", "cnot",
                                                   "lop3", "shf", "shl", "shr"};
  const InstructionClass c =
      logic.contains(opcode) ? InstructionClass::logic : InstructionClass::integer;
  if (has(modifiers, "cc") || opcode == "addc" || opcode == "subc" || opcode == "madc") {
    return select_carry(opcode, modifiers, type);
  }
  // "min.s32.relu" is "min.relu.s32".
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
