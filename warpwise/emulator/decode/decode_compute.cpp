#include "warpwise/emulator/decode/decoder.hpp"

// Moves, arithmetic, comparisons, conversions, textures, matrices.

#include <map>
#include <string_view>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/decode/select.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"
#include "warpwise/emulator/instructions/matrices/tensor.hpp"
#include "warpwise/emulator/instructions/textures/surface.hpp"
#include "warpwise/emulator/instructions/textures/texture.hpp"
#include "warpwise/emulator/instructions/warp_operations.hpp"

namespace warpwise::emulator {
namespace {

/// Returns the flags of an instruction whose result register has this width. A conversion to an
/// integer cuts its result to 16 bits if the register has no more.
std::uint32_t flags_for_result(const Selection& selection, Width width) {
  const bool narrow = width == Width::w16;
  if (selection.is_integer_conversion)
    return packed_flags(IntegerConversionFlags{narrow ? 0xffffU : 0xffffffffU});
  if (!selection.loose_result || !narrow) return selection.flags;
  auto flags = unpacked_flags<FloatFlags>(selection.flags);
  flags.narrow_result = 1;
  return packed_flags(flags);
}

}  // namespace

void Decoder::decode_move() {
  const Operand& to = operand(0);
  const Operand& from = operand(1);
  if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) {
    decode_pack(to, from);
    return;
  }
  if (from.kind == Operand::Kind::name) {
    static const std::map<std::string_view, std::string_view> clocks = {
        {"%clock", "clock"}, {"%clock64", "clock64"}, {"%globaltimer", "globaltimer"}};
    const auto clock = clocks.find(from.name);
    if (clock != clocks.end()) {
      const Entry& entry = warp_operations().find(clock->second)->second;
      const std::int32_t result = write(to, entry.widths[0]);
      emit(entry.handler, InstructionClass::special).dst = result;
      return;
    }
    if (lookup(from.name) == nullptr) {
      if (!from.name.empty() && from.name[0] == '%') refuse("special register " + from.name);
    }
  }
  decode_selected();
}

void Decoder::decode_pack(const Operand& to, const Operand& from) {
  const bool packs = from.kind == Operand::Kind::vector;
  const Operand& parts = packs ? from : to;
  const int bits = type_bits(type()) / static_cast<int>(parts.elements.size());
  const std::string key = std::string(packs ? "pack." : "unpack.") + std::to_string(bits) + "x" +
                          std::to_string(parts.elements.size());
  const auto found = lane_operations().find(key);
  if (found == lane_operations().end()) refuse("");
  const Width part = bits == 32 ? Width::w32 : Width::w16;
  std::vector<std::int32_t> list;
  std::int32_t whole = Operation::none;
  if (packs) {
    for (const Operand& e : parts.elements) list.push_back(read(e, part));
    whole = write(to, width_of_type(type()));
  } else {
    whole = read(from, width_of_type(type()));
    for (const Operand& e : parts.elements) {
      list.push_back(e.kind == Operand::Kind::sink ? Operation::none : write(e, part));
    }
  }
  Operation& op = emit(found->second.handler, InstructionClass::move);
  (packs ? op.dst : op.a) = whole;
  op.list = new_list(list);
}

void Decoder::decode_selected() {
  std::optional<Selection> selection = select(*current_);
  if (selection && current_->opcode == "cvt" && selection->entry.widths[2] != Width::w64 &&
      register_width(operand(1)) == Width::w64) {
    selection = select_from_lower_bits(*current_);
  }
  if (!selection) refuse("");
  const auto& widths = selection->entry.widths;
  std::int32_t fields[6] = {Operation::none, Operation::none, Operation::none,
                            Operation::none, Operation::none, Operation::none};
  std::uint32_t flags = selection->flags;
  bool negated[6] = {};
  std::size_t next = 0;
  // Results: one, or a pair `a|b`.
  if (widths[0] != Width::none) {
    const Operand& result = operand(next++);
    if (result.kind == Operand::Kind::pair) {
      if (widths[1] == Width::none || result.elements.size() != 2)
        malformed("has too many results");
      fields[0] = write(result.elements[0], widths[0]);
      fields[1] = write(result.elements[1], widths[1]);
    } else {
      if (selection->needs_second_result) malformed("has one result too few");
      fields[0] = write(result, widths[0], selection->loose_result);
      flags = flags_for_result(*selection, register_width(result));
    }
  }
  for (std::size_t field = 2; field < 6; ++field) {
    if (widths[field] == Width::none) continue;
    if (next >= current_->operands.size()) {
      if (field == 4 && selection->third_is_optional) continue;
      malformed("has too few operands");
    }
    const Operand& source = operand(next++);
    fields[field] = read(source, widths[field], selection->loose_source);
    if (source.negated) {
      if (widths[field] != Width::predicate) malformed("negates an operand that is no predicate");
      negated[field] = true;
    }
  }
  if (next < current_->operands.size()) malformed("has too many operands");
  // The handler ignores a missing optional source, but the operand must be a register.
  if (selection->third_is_optional && fields[4] == Operation::none) fields[4] = fields[2];
  Operation& op = emit(selection->entry.handler, selection->instruction_class);
  op.dst = fields[0];
  op.dst2 = fields[1];
  op.a = fields[2];
  op.b = fields[3] != Operation::none ? fields[3] : fields[2];
  op.c = fields[4];
  op.d = fields[5];
  op.a_negated = negated[2];
  op.b_negated = negated[3];
  op.c_negated = negated[4];
  op.flags = flags;
  if (has("sync")) {
    op.control = Control::converge;
    // The member mask is the last operand.
    for (std::size_t field = 2; field < 6; ++field) {
      if (widths[field] != Width::none) op.members = fields[field];
    }
  }
}

void Decoder::decode_address_conversion() {
  std::string key = full_name(*current_);
  const std::size_t cta = key.find("::cta");
  if (cta != std::string::npos) key.erase(cta, 5);
  const auto found = lane_operations().find(key);
  if (found == lane_operations().end()) refuse("");
  if (current_->opcode == "isspacep") {
    const std::int32_t result = write(operand(0), Width::predicate);
    const std::int32_t a = read(operand(1), Width::w64);
    Operation& op = emit(found->second.handler, InstructionClass::compare);
    op.dst = result;
    op.a = op.b = a;
    return;
  }
  const std::int32_t result = write(operand(0), Width::w64);
  const std::int32_t a = read(operand(1), Width::w64);
  Operation& op = emit(found->second.handler, InstructionClass::integer);
  op.dst = result;
  op.a = a;
}

void Decoder::decode_listed(const ListedOperation& listed) {
  std::optional<Address> at;
  if (listed.address != nullptr)
    at = address(*listed.address, stated_space().value_or(Space::generic));
  Operation& op = emit(listed.handler, listed.kind);
  op.list = new_list(listed.list);
  op.flags = listed.flags;
  op.count = static_cast<std::uint8_t>(listed.list.size());
  if (at)
    set_address(op, *at, listed.kind);
  else if (listed.kind == InstructionClass::texture)
    op.site = new_site(InstructionClass::texture);
  if (has("sync")) {
    op.control = Control::converge;
    op.members = constant(all_lanes, Width::w32);
  }
}

bool Decoder::decode_texture_or_tensor() {
  const OperandReader take = [&](const Operand& o, Width w, bool is_result) {
    return is_result ? write(o, w) : read(o, w);
  };
  std::optional<ListedOperation> found = texture_operation(*current_, observers_, take);
  if (!found) found = surface_operation(*current_, observers_, take);
  if (!found) found = tensor_operation(*current_, observers_, take);
  if (found) decode_listed(*found);
  return found.has_value();
}

}  // namespace warpwise::emulator
