#include "warpwise/emulator/decode/decoder.hpp"

// Decodes instructions into several simpler ones. Splits vector registers and registers of 128 bits
// into virtual registers, one for each part.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "warpwise/emulator/decode/refusals.hpp"
#include "warpwise/emulator/decode/select.hpp"

namespace warpwise::emulator {
namespace {

using Modifiers = std::vector<std::string>;

Operand named(std::string name) {
  Operand result;
  result.name = std::move(name);
  return result;
}

Operand vector_of(std::vector<Operand> elements) {
  Operand result;
  result.kind = Operand::Kind::vector;
  result.elements = std::move(elements);
  return result;
}

bool is_scalar_half(std::string_view type) { return type == "f16" || type == "bf16"; }

Modifiers without(Modifiers modifiers, const std::set<std::string_view>& left_out) {
  std::erase_if(modifiers, [&](const std::string& each) { return left_out.contains(each); });
  return modifiers;
}

}  // namespace

void Decoder::decode_as(std::string opcode, Modifiers modifiers, std::vector<Operand> operands) {
  ptx::Instruction part;
  part.opcode = std::move(opcode);
  part.modifiers = std::move(modifiers);
  part.operands = std::move(operands);
  part.guard = current_->guard;
  part.guard_negated = current_->guard_negated;
  part.source = current_->source;
  part.ptx_line = current_->ptx_line;
  const ptx::Instruction* whole = std::exchange(current_, &part);
  Accesses own = std::exchange(accesses_, {});
  decode_instruction(0);
  accesses_ = std::move(own);
  current_ = whole;
}

Operand Decoder::temporary(Width width) {
  Symbol symbol;
  symbol.width = width;
  symbol.reg = new_register(width);
  // The space in this name keeps it apart from PTX names, which contain no space.
  const std::string name = "temporary " + std::to_string(symbol.reg);
  frame_->symbols[name] = symbol;
  return named(name);
}

/// Returns the parts of a vector register, of a register of 128 bits, or of a special register like
/// %tid; none for other operands.
std::vector<Operand> Decoder::parts_of(const Operand& operand) {
  static const std::set<std::string_view> special = {"%tid", "%ntid", "%ctaid", "%nctaid"};
  if (operand.kind != Operand::Kind::name || operand.name.empty()) return {};
  static constexpr std::array<const char*, 4> suffixes = {".x", ".y", ".z", ".w"};
  std::size_t count = 0;
  const auto found = frame_->symbols.find(operand.name);
  if (found != frame_->symbols.end())
    count = found->second.parts;
  else if (current_->opcode == "mov" && special.contains(operand.name))
    count = 3;
  if (count < 2) return {};
  std::vector<Operand> parts;
  for (std::size_t i = 0; i < count; ++i) parts.push_back(named(operand.name + suffixes[i]));
  if (count == 3) parts.push_back(integer_operand(0));
  return parts;
}

bool Decoder::decode_parts() {
  if (!frame_->has_parts && current_->opcode != "mov") return false;
  const auto& stated = current_->operands;
  const auto has_parts = [&](const Operand& each) { return !parts_of(each).empty(); };
  if (std::none_of(stated.begin(), stated.end(), has_parts)) return false;
  std::vector<Operand> operands = stated;
  for (Operand& each : operands) {
    std::vector<Operand> parts = parts_of(each);
    if (!parts.empty()) each = vector_of(std::move(parts));
  }
  Modifiers modifiers = current_->modifiers;
  const auto whole = std::find(modifiers.begin(), modifiers.end(), "b128");
  const bool moves = current_->opcode == "ld" || current_->opcode == "st";
  if (whole != modifiers.end() && moves) {
    *whole = "b64";
    modifiers.insert(modifiers.end() - 1, "v2");
  }
  decode_as(current_->opcode, std::move(modifiers), std::move(operands));
  return true;
}

/// Decodes mov between vectors. All elements are read before any element is written.
void Decoder::decode_vector_move() {
  const auto& to = operand(0).elements;
  const auto& from = operand(1).elements;
  if (to.size() != from.size()) malformed("has vectors of different lengths");
  Modifiers modifiers = without(current_->modifiers, {"v2", "v4"});
  if (modifiers == Modifiers{"b128"}) modifiers = {"b64"};
  if (modifiers.size() != 1) refuse("");
  std::vector<Operand> values;
  for (const Operand& each : from) {
    values.push_back(temporary(width_of_type(modifiers[0])));
    decode_as("mov", modifiers, {values.back(), each});
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i].kind != Operand::Kind::sink) decode_as("mov", modifiers, {to[i], values[i]});
}

/// Decodes lop3.or.b32 d|p, a, b, c, table, q: p becomes (d != 0) or q.
void Decoder::decode_logic_test() {
  const Operand& result = operand(0);
  if (result.kind != Operand::Kind::pair || current_->operands.size() != 6) refuse("");
  const bool is_sink = result.elements[0].kind == Operand::Kind::sink;
  const Operand word = is_sink ? temporary(Width::w32) : result.elements[0];
  const std::string& combination = current_->modifiers[0];
  decode_as("lop3", {"b32"}, {word, operand(1), operand(2), operand(3), operand(4)});
  decode_as("setp", {"ne", combination, "b32"},
            {result.elements[1], word, integer_operand(0), operand(5)});
}

/// Decodes min.f32 d, a, b, c.
void Decoder::decode_extreme_of_three() {
  const Operand least = temporary(Width::w32);
  const Modifiers modifiers = without(current_->modifiers, {"abs"});
  std::array<Operand, 3> values = {operand(1), operand(2), operand(3)};
  if (has("abs")) {
    for (Operand& each : values) {
      const Operand magnitude = temporary(Width::w32);
      decode_as("and", {"b32"}, {magnitude, each, integer_operand(0x7fffffff)});
      each = magnitude;
    }
  }
  decode_as(current_->opcode, modifiers, {least, values[0], values[1]});
  decode_as(current_->opcode, modifiers, {operand(0), least, values[2]});
}

/// Decodes set.lt.f16.u32 d, a, b: the comparison, then the selection of 1 or 0 as a half.
void Decoder::decode_set_half() {
  Modifiers modifiers = current_->modifiers;
  const auto half = std::find_if(modifiers.begin(), modifiers.end(), is_scalar_half);
  const std::uint64_t one = *half == "f16" ? 0x3c00 : 0x3f80;
  modifiers.erase(half);
  const Operand& result = operand(0);
  const Operand holds = temporary(Width::predicate);
  std::vector<Operand> operands = current_->operands;
  operands[0] = holds;
  decode_as("setp", std::move(modifiers), std::move(operands));
  decode_as("selp", {"b16"}, {result, integer_operand(one), integer_operand(0), holds});
}

/// Decodes add.f32.f16 d, a, c and fma.f32.f16 d, a, b, c. All sources but the last are halves.
void Decoder::decode_mixed_arithmetic() {
  Modifiers modifiers = current_->modifiers;
  const std::string half = modifiers.back();
  modifiers.pop_back();
  std::vector<Operand> operands = current_->operands;
  for (std::size_t i = 1; i + 1 < operands.size(); ++i) {
    const Operand single = temporary(Width::w32);
    decode_as("cvt", {"f32", half}, {single, operands[i]});
    operands[i] = single;
  }
  decode_as(current_->opcode, std::move(modifiers), std::move(operands));
}

/// Decodes mov from a special register that is half of another or narrower than the destination.
bool Decoder::decode_special_half() {
  const std::string& name = operand(1).name;
  static const std::map<std::string_view, std::pair<const char*, bool>> halves = {
      {"%clock_hi", {"%clock64", true}},
      {"%globaltimer_lo", {"%globaltimer", false}},
      {"%globaltimer_hi", {"%globaltimer", true}}};
  const auto found = halves.find(name);
  if (found != halves.end()) {
    const Operand whole = temporary(Width::w64);
    Operand unused;
    unused.kind = Operand::Kind::sink;
    decode_as("mov", {"u64"}, {whole, named(found->second.first)});
    decode_as(
        "mov", {"b64"},
        {found->second.second ? vector_of({unused, operand(0)}) : vector_of({operand(0), unused}),
         whole});
    return true;
  }
  if (name != "%gridid" || !has("u64")) return false;
  const Operand lower = temporary(Width::w32);
  decode_as("mov", {"u32"}, {lower, operand(1)});
  decode_as("cvt", {"u64", "u32"}, {operand(0), lower});
  return true;
}

/// Refuses a video instruction whose operands are parts of registers: vadd2 %r1.h0, %r2.h20, ...
void Decoder::refuse_selected_parts() {
  for (const Operand& each : current_->operands) {
    const bool is_part = each.kind == Operand::Kind::name &&
                         each.name.find('.') != std::string::npos && lookup(each.name) == nullptr;
    if (is_part) {
      const std::string reason = refusal_of(*current_);
      refuse(reason.empty() ? "selected parts of operands are not modelled" : reason);
    }
  }
}

bool Decoder::decode_composed() {
  const std::string& opcode = current_->opcode;
  const std::size_t count = current_->operands.size();
  if (decode_parts()) return true;
  if (opcode[0] == 'v') refuse_selected_parts();
  if (opcode == "mov" && count == 2) {
    if (operand(0).kind == Operand::Kind::vector && operand(1).kind == Operand::Kind::vector) {
      decode_vector_move();
      return true;
    }
    return operand(1).kind == Operand::Kind::name && decode_special_half();
  }
  if (opcode == "lop3" && (has("or") || has("and"))) {
    decode_logic_test();
    return true;
  }
  if ((opcode == "min" || opcode == "max") && count == 4 && has("f32")) {
    decode_extreme_of_three();
    return true;
  }
  const Modifiers& modifiers = current_->modifiers;
  const bool adds = opcode == "add" || opcode == "sub" || opcode == "fma";
  if (adds && has("f32") && is_scalar_half(modifiers.back())) {
    decode_mixed_arithmetic();
    return true;
  }
  if (opcode == "set" && (has("f16") || has("bf16")) && !is_scalar_half(modifiers.back())) {
    decode_set_half();
    return true;
  }
  // PTX for GPUs before CC 7.0 may omit the member mask of votes and shuffles. All lanes that
  // execute the instruction then take part.
  const bool old = (opcode == "vote" && count == 2) || (opcode == "shfl" && count == 4);
  if (old && !has("sync")) {
    std::vector<Operand> operands = current_->operands;
    operands.push_back(integer_operand(all_lanes));
    decode_as(opcode, modifiers, std::move(operands));
    return true;
  }
  return false;
}

}  // namespace warpwise::emulator
