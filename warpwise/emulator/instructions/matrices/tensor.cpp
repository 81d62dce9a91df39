// Supported matrix instructions and their operands.

#include "warpwise/emulator/instructions/matrices/tensor.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/wmma.hpp"
#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"

namespace warpwise::emulator {
namespace {

using namespace tensor;

using HandlerOf = Handler (*)(ObserverSet);

/// Returns the same handler for every set of observers, because a product accesses no memory.
template <Handler handler>
Handler unobserved(ObserverSet) {
  return handler;
}

struct Form {
  HandlerOf handler = nullptr;
  InstructionClass kind = InstructionClass::tensor;
  std::uint32_t flags = 0;  ///< packed by packed_flags()
  /// A vector of registers: the index of its operand, its number of registers, and true if the
  /// instruction writes it. Vectors are in the order of Operation::list.
  struct Vector {
    std::size_t operand = 0;
    std::size_t registers = 0;
    bool is_result = false;
  };
  std::vector<Vector> vectors;
  Width width = Width::w32;            ///< of the registers
  std::optional<std::size_t> address;  ///< index of the operand
  std::optional<std::size_t> stride;  ///< index of the optional operand, which is first in the list
};

using Modifiers = std::vector<std::string>;

/// Compares modifiers with a pattern, in which "*" matches any modifier.
bool match(const Modifiers& m, std::initializer_list<std::string_view> pattern) {
  return m.size() == pattern.size() &&
         std::equal(m.begin(), m.end(), pattern.begin(),
                    [](const auto& x, auto p) { return p == "*" || x == p; });
}

std::optional<Form> form_of_float_product(const Modifiers& m) {
  // sync.aligned.shape.row.col.d.a.b.c
  if (!match(m, {"sync", "aligned", "*", "row", "col", "*", "*", "*", "*"})) return std::nullopt;
  if (m[2] != "m16n8k8" && m[2] != "m16n8k16") return std::nullopt;
  const bool bfloat = m[6] == "bf16";
  if (m[6] != m[7] || (!bfloat && m[6] != "f16")) return std::nullopt;
  if (m[5] != m[8] || (m[5] != "f32" && (bfloat || m[5] != "f16"))) return std::nullopt;
  const std::size_t depth = m[2] == "m16n8k8" ? 8 : 16;
  const bool half = m[5] == "f16";
  ProductFlags flags;
  flags.depth = static_cast<std::uint32_t>(depth) & 63;
  flags.sixteen_rows = 1;
  flags.bfloats = bfloat ? 1 : 0;
  flags.half_result = flags.half_addend = half ? 1 : 0;
  Form form;
  form.handler = unobserved<multiply_floats>;
  form.flags = packed_flags(flags);
  const std::size_t sums = half ? 2 : 4;
  form.vectors = {{0, sums, true}, {1, depth / 4, false}, {2, depth / 8, false}, {3, sums, false}};
  return form;
}

std::optional<Form> form_of_narrow_product(const Modifiers& m) {
  // sync.aligned.shape.row.col.d.a.b.c
  if (!match(m, {"sync", "aligned", "*", "row", "col", "*", "*", "*", "*"})) return std::nullopt;
  const auto is_narrow = [](std::string_view type) { return type == "e4m3" || type == "e5m2"; };
  if (m[2] != "m16n8k16" && m[2] != "m16n8k32") return std::nullopt;
  if (!is_narrow(m[6]) || !is_narrow(m[7]) || m[5] != m[8]) return std::nullopt;
  if (m[5] != "f32" && m[5] != "f16") return std::nullopt;
  const std::size_t depth = m[2] == "m16n8k16" ? 16 : 32;
  const bool half = m[5] == "f16";
  ProductFlags flags;
  flags.depth = static_cast<std::uint32_t>(depth) & 63;
  flags.sixteen_rows = 1;
  flags.half_result = flags.half_addend = half ? 1 : 0;
  flags.a_coarse = m[6] == "e5m2" ? 1 : 0;
  flags.b_coarse = m[7] == "e5m2" ? 1 : 0;
  Form form;
  form.handler = unobserved<multiply_narrow_floats>;
  form.flags = packed_flags(flags);
  const std::size_t sums = half ? 2 : 4;
  form.vectors = {{0, sums, true}, {1, depth / 8, false}, {2, depth / 16, false}, {3, sums, false}};
  return form;
}

std::optional<Form> form_of_integer_product(Modifiers m) {
  // sync.aligned.shape.row.col[.satfinite].s32.a.b.s32
  ProductFlags flags;
  if (m.size() == 10 && m[5] == "satfinite") {
    flags.saturate = 1;
    m.erase(m.begin() + 5);
  }
  if (!match(m, {"sync", "aligned", "*", "row", "col", "s32", "*", "*", "s32"}))
    return std::nullopt;
  for (const std::size_t type : {6U, 7U}) {
    if (m[type] != "s8" && m[type] != "u8") return std::nullopt;
  }
  flags.a_signed = m[6] == "s8" ? 1 : 0;
  flags.b_signed = m[7] == "s8" ? 1 : 0;
  std::size_t depth = 16;
  std::size_t tall = 2;
  if (m[2] == "m16n8k32")
    depth = 32;
  else if (m[2] == "m8n8k16")
    tall = 1;
  else if (m[2] != "m16n8k16")
    return std::nullopt;
  flags.sixteen_rows = tall == 2 ? 1 : 0;
  flags.depth = static_cast<std::uint32_t>(depth) & 63;
  Form form;
  form.handler = unobserved<multiply_integers>;
  form.flags = packed_flags(flags);
  form.vectors = {{0, 2 * tall, true},
                  {1, tall * depth / 16, false},
                  {2, depth / 16, false},
                  {3, 2 * tall, false}};
  return form;
}

/// Returns the element type of a name, if multiply_elements() computes it.
std::optional<Element> element_of(std::string_view name) {
  if (name == "tf32") return Element::tf32;
  if (name == "f64") return Element::f64;
  if (name == "s4") return Element::s4;
  if (name == "u4") return Element::u4;
  if (name == "b1") return Element::b1;
  return std::nullopt;
}

/// Returns the depth of a shape, "m16n8k64", if it is valid for these elements.
std::optional<int> depth_of(std::string_view shape, Element element) {
  const bool tall = shape.starts_with("m16n8k");
  const std::string_view stated = shape.substr(tall ? 6 : std::min<std::size_t>(5, shape.size()));
  if (!tall && !shape.starts_with("m8n8k")) return std::nullopt;
  const int unit = bits_of(element) == 1 ? 128 : bits_of(element) == 4 ? 32 : 4;
  for (const int depth : {4, 8, 16, 32, 64, 128, 256}) {
    if (stated != std::to_string(depth)) continue;
    // Shapes of 8 rows have only the least depth, and do not exist for tf32. Shapes of 16 rows may
    // also have twice the least depth, and for doubles four times the least depth.
    const int most = element == Element::f64 ? 4 : 2;
    const bool fits = depth == unit ? tall || element != Element::tf32
                                    : tall && depth > unit && depth <= most * unit;
    return fits ? std::optional(depth) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Form> form_of_element_product(Modifiers m) {
  // sync.aligned.shape.row.col[.satfinite].d.a.b.c[.xor.popc]
  ElementProductFlags flags;
  if (m.size() == 10 && m[5] == "satfinite") {
    flags.saturate = 1;
    m.erase(m.begin() + 5);
  }
  const bool counts = m.size() == 11 && m[10] == "popc" && (m[9] == "xor" || m[9] == "and");
  if (counts) {
    flags.conjunction = m[9] == "and" ? 1 : 0;
    m.resize(9);
  }
  if (!match(m, {"sync", "aligned", "*", "row", "col", "*", "*", "*", "*"})) return std::nullopt;
  const auto a = element_of(m[6]);
  const auto b = element_of(m[7]);
  if (!a || !b || bits_of(*a) != bits_of(*b)) return std::nullopt;
  const bool is_integer = bits_of(*a) < 32;
  const std::string_view sum = is_integer ? "s32" : *a == Element::f64 ? "f64" : "f32";
  const auto depth = depth_of(m[2], *a);
  if (m[5] != sum || m[8] != sum || !depth || counts != (*a == Element::b1) ||
      (flags.saturate != 0 && bits_of(*a) != 4))
    return std::nullopt;
  const std::size_t tall = m[2][1] == '8' ? 1 : 2;
  flags.a = *a;
  flags.b = *b;
  flags.depth = static_cast<std::uint32_t>(*depth) & 511;
  flags.sixteen_rows = tall == 2 ? 1 : 0;
  // Four lanes share a row of A or a column of B. One register of all four lanes holds 4 x 32 bits
  // of the row or column, or 4 doubles.
  const auto groups = static_cast<std::size_t>(*depth * std::min(bits_of(*a), 32) / 128);
  Form form;
  form.handler = unobserved<multiply_elements>;
  form.flags = packed_flags(flags);
  form.width = *a == Element::f64 ? Width::w64 : Width::w32;
  form.vectors = {
      {0, 2 * tall, true}, {1, tall * groups, false}, {2, groups, false}, {3, 2 * tall, false}};
  return form;
}

bool is_shared(std::string_view modifier) {
  return modifier == "shared" || modifier == "shared::cta";
}

std::optional<Form> form_of_matrix_move(Modifiers m, bool loads) {
  // sync.aligned.m8n8.num[.trans][.shared].b16; the number may precede the shape.
  MatrixFlags flags;
  if (m.size() > 3 && m[3] == "m8n8") std::swap(m[2], m[3]);
  if (m.size() > 4 && m[4] == "trans") {
    flags.transposed = 1;
    m.erase(m.begin() + 4);
  }
  if (m.size() > 4 && is_shared(m[4])) m.erase(m.begin() + 4);
  if (!match(m, {"sync", "aligned", "m8n8", "*", "b16"})) return std::nullopt;
  if (m[3] != "x1" && m[3] != "x2" && m[3] != "x4") return std::nullopt;
  const auto count = static_cast<std::size_t>(m[3][1] - '0');
  flags.matrices = static_cast<std::uint32_t>(count) & 7;
  Form form;
  form.handler = loads ? load_matrices : store_matrices;
  form.kind = loads ? InstructionClass::load : InstructionClass::store;
  form.flags = packed_flags(flags);
  form.vectors = {{loads ? 0U : 1U, count, loads}};
  form.address = loads ? 1 : 0;
  return form;
}

std::optional<Form> form_of_transposition(const Modifiers& m) {
  if (!match(m, {"sync", "aligned", "m8n8", "trans", "b16"})) return std::nullopt;
  Form form;
  form.handler = unobserved<transpose_matrix>;
  form.vectors = {{0, 1, true}, {1, 1, false}};
  return form;
}

std::optional<Form> form_of_fragment_move(Modifiers m) {
  // load.{a,b,c} or store.d, then sync.aligned.layout.m16n16k16[.space].type
  if (m.size() == 8 && (is_shared(m[6]) || m[6] == "global")) m.erase(m.begin() + 6);
  if (!match(m, {"*", "*", "sync", "aligned", "*", "m16n16k16", "*"})) return std::nullopt;
  const bool loads = m[0] == "load";
  if (m[4] != "row" && m[4] != "col") return std::nullopt;
  FragmentFlags flags;
  std::size_t registers = 8;
  if (loads && (m[1] == "a" || m[1] == "b") && m[6] == "f16") {
    flags.fragment = m[1] == "a" ? Fragment::a : Fragment::b;
  } else if (m[1] == (loads ? "c" : "d") && (m[6] == "f16" || m[6] == "f32")) {
    registers = m[6] == "f16" ? 4 : 8;
    flags.fragment = m[6] == "f16" ? Fragment::half_sum : Fragment::float_sum;
  } else {
    return std::nullopt;
  }
  flags.by_columns = m[4] == "col" ? 1 : 0;
  Form form;
  form.handler = loads ? load_fragment : store_fragment;
  form.kind = loads ? InstructionClass::load : InstructionClass::store;
  form.flags = packed_flags(flags);
  form.vectors = {{loads ? 0U : 1U, registers, loads}};
  form.address = loads ? 1 : 0;
  form.stride = 2;
  return form;
}

std::optional<Form> form_of_fragment_product(const Modifiers& m) {
  // mma.sync.aligned.layout.layout.m16n16k16.d.c. A and B were loaded with these layouts.
  if (!match(m, {"mma", "sync", "aligned", "*", "*", "m16n16k16", "*", "*"})) return std::nullopt;
  for (const std::size_t type : {6U, 7U}) {
    if (m[type] != "f16" && m[type] != "f32") return std::nullopt;
  }
  ProductFlags flags;
  flags.half_result = m[6] == "f16" ? 1 : 0;
  flags.half_addend = m[7] == "f16" ? 1 : 0;
  Form form;
  form.handler = unobserved<multiply_fragments>;
  form.flags = packed_flags(flags);
  form.vectors = {{0, m[6] == "f16" ? 4U : 8U, true},
                  {1, 8, false},
                  {2, 8, false},
                  {3, m[7] == "f16" ? 4U : 8U, false}};
  return form;
}

std::optional<Form> form_of(const ptx::Instruction& instruction) {
  const Modifiers& m = instruction.modifiers;
  if (instruction.opcode == "mma") {
    std::optional<Form> form = form_of_float_product(m);
    if (!form) form = form_of_narrow_product(m);
    if (!form) form = form_of_integer_product(m);
    return form ? form : form_of_element_product(m);
  }
  if (instruction.opcode == "ldmatrix") return form_of_matrix_move(m, true);
  if (instruction.opcode == "stmatrix") return form_of_matrix_move(m, false);
  if (instruction.opcode == "movmatrix") return form_of_transposition(m);
  if (instruction.opcode == "wmma" && !m.empty()) {
    return m[0] == "mma" ? form_of_fragment_product(m) : form_of_fragment_move(m);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ListedOperation> tensor_operation(const ptx::Instruction& instruction,
                                                ObserverSet observers, const OperandReader& read) {
  const std::optional<Form> form = form_of(instruction);
  if (!form) {
    if (instruction.opcode != "wmma") return std::nullopt;
    return wmma_operation(instruction, observers, read);
  }
  const auto& operands = instruction.operands;
  const std::size_t least = form->vectors.size() + (form->address ? 1 : 0);
  if (operands.size() != least && !(form->stride && operands.size() == least + 1))
    return std::nullopt;
  ListedOperation found;
  found.handler = form->handler(observers);
  found.kind = form->kind;
  found.flags = form->flags;
  if (form->address) found.address = &operands[*form->address];
  if (form->stride) {
    const bool is_given = operands.size() > *form->stride;
    found.list.push_back(is_given ? read(operands[*form->stride], Width::w32, false)
                                  : Operation::none);
  }
  for (const Form::Vector& vector : form->vectors) {
    const ptx::Operand& operand = operands[vector.operand];
    // A single register may lack braces.
    const bool is_vector = operand.kind == ptx::Operand::Kind::vector;
    if ((is_vector ? operand.elements.size() : 1) != vector.registers) return std::nullopt;
    for (std::size_t i = 0; i < vector.registers; ++i) {
      found.list.push_back(
          read(is_vector ? operand.elements[i] : operand, form->width, vector.is_result));
    }
  }
  return found;
}

}  // namespace warpwise::emulator
