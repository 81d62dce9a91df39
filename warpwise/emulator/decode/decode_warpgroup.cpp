#include "warpwise/emulator/decode/decoder.hpp"

// wgmma: matrix products that four warps compute together.

#include <charconv>
#include <map>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/matrices/warpgroup_product.hpp"

namespace warpwise::emulator {
namespace {

/// Returns the number of columns of a shape: 128 for "m64n128k16", 0 for an invalid one.
unsigned columns_of(std::string_view shape) {
  if (shape.substr(0, 4) != "m64n") return 0;
  unsigned columns = 0;
  std::from_chars(shape.data() + 4, shape.data() + shape.size(), columns);
  return columns % 8 == 0 && columns <= 256 ? columns : 0;
}

struct Shape {
  std::string_view name;
  std::vector<std::string_view> types;  ///< of D, A and B
};

Shape shape_of(const ptx::Instruction& instruction) {
  Shape shape;
  for (const std::string& modifier : instruction.modifiers) {
    if (columns_of(modifier) != 0)
      shape.name = modifier;
    else if (!shape.name.empty() && modifier != "satfinite")
      shape.types.push_back(modifier);
  }
  return shape;
}

}  // namespace

WarpgroupProductFlags Decoder::warpgroup_flags() const {
  static const std::map<std::string_view, Element> elements = {
      {"f16", Element::f16},   {"bf16", Element::bf16}, {"tf32", Element::tf32},
      {"e4m3", Element::e4m3}, {"e5m2", Element::e5m2}, {"s8", Element::s8},
      {"u8", Element::u8}};
  const Shape shape = shape_of(*current_);
  if (shape.types.size() != 3 || has("sp")) refuse("");
  const auto a = elements.find(shape.types[1]);
  const auto b = elements.find(shape.types[2]);
  if (a == elements.end() || b == elements.end()) refuse("");
  WarpgroupProductFlags flags;
  flags.a = a->second;
  flags.b = b->second;
  flags.eight_columns = columns_of(shape.name) / 8;
  flags.half_result = shape.types[0] == "f16" ? 1 : 0;
  flags.saturate = has("satfinite") ? 1 : 0;
  const auto is_byte = [](Element e) { return e == Element::s8 || e == Element::u8; };
  const auto is_small = [](Element e) { return e == Element::e4m3 || e == Element::e5m2; };
  const bool is_pair = flags.a == flags.b || (is_byte(flags.a) && is_byte(flags.b)) ||
                       (is_small(flags.a) && is_small(flags.b));
  // The depth k of an instruction is the number of elements in 32 bytes of a row.
  const char* const depth = is_byte(flags.a) || is_small(flags.a) ? "k32"
                            : flags.a == Element::tf32            ? "k8"
                                                                  : "k16";
  if (!shape.name.ends_with(depth)) malformed("has a shape that does not fit its types");
  if (!is_pair || is_byte(flags.a) != (shape.types[0] == "s32")) refuse("");
  return flags;
}

void Decoder::decode_warpgroup() {
  if (has("fence")) {
    emit_nothing(InstructionClass::control);
    return;
  }
  if (has("commit_group") || has("wait_group")) {
    decode_async_group(Asynchronous::product);
    return;
  }
  if (!has("mma_async")) refuse("");
  WarpgroupProductFlags flags = warpgroup_flags();
  const std::size_t registers = 4 * flags.eight_columns / (1 + flags.half_result);
  const auto& results = operand(0).elements;
  if (results.size() != registers) malformed("has a number of results that does not fit its shape");
  std::vector<std::int32_t> list;
  for (const Operand& result : results) {
    read(result, Width::w32);
    list.push_back(write(result, Width::w32));
  }
  flags.a_in_registers = operand(1).kind == Operand::Kind::vector ? 1 : 0;
  if (flags.a_in_registers != 0) {
    if (operand(1).elements.size() != 4)
      malformed("needs four registers for A, not " + std::to_string(operand(1).elements.size()));
    for (const Operand& part : operand(1).elements) list.push_back(read(part, Width::w32));
  } else {
    list.push_back(read(operand(1), Width::w64));
  }
  list.push_back(read(operand(2), Width::w64));
  list.push_back(read(operand(3), Width::predicate));
  const auto immediate = [&](std::size_t at) -> std::int64_t {
    const Operand& given = operand(at);
    if (given.kind != Operand::Kind::integer)
      malformed("needs a literal for its scales and layouts, not a register");
    return static_cast<std::int64_t>(given.value);
  };
  const bool is_integer = flags.a == Element::s8 || flags.a == Element::u8;
  if (!is_integer) {
    flags.a_negated = immediate(4) == -1 ? 1 : 0;
    flags.b_negated = immediate(5) == -1 ? 1 : 0;
  }
  if (flags.a == Element::f16 || flags.a == Element::bf16) {
    std::size_t next = 6;
    if (flags.a_in_registers == 0) flags.a_transposed = immediate(next++) != 0 ? 1 : 0;
    flags.b_transposed = immediate(next) != 0 ? 1 : 0;
  }
  Operation& op = emit(warpgroup_product_handler(observers_), InstructionClass::tensor);
  op.control = Control::warpgroup;
  op.list = new_list(list);
  op.flags = packed_flags(flags);
}

}  // namespace warpwise::emulator
