// Forms of wmma that tensor.cpp does not support, and their operands.

#include "warpwise/emulator/instructions/matrices/wmma.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/instructions/matrices/wmma_form.hpp"

namespace warpwise::emulator::tensor {
namespace {

using Modifiers = std::vector<std::string>;

struct NamedElement {
  std::string_view name;
  Element element;
};
constexpr NamedElement elements[] = {
    {"f16", Element::f16}, {"bf16", Element::bf16}, {"tf32", Element::tf32}, {"f64", Element::f64},
    {"s8", Element::s8},   {"u8", Element::u8},     {"s4", Element::s4},     {"u4", Element::u4},
    {"b1", Element::b1},   {"f32", Element::f32},   {"s32", Element::s32}};

std::optional<Element> element_of(std::string_view name) {
  const auto* found = std::ranges::find(elements, name, &NamedElement::name);
  if (found == std::end(elements)) return std::nullopt;
  return found->element;
}

std::optional<std::size_t> shape_of(std::string_view name) {
  const auto* found = std::ranges::find(
      wmma_shapes, name, [](const WmmaShape& s) { return std::string_view(s.name); });
  if (found == std::end(wmma_shapes)) return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(wmma_shapes));
}

/// Returns true if A and B of a shape can have this element type.
bool has_operands(const WmmaShape& shape, Element element) {
  switch (element) {
    case Element::f16:
    case Element::bf16:
    case Element::s8:
    case Element::u8: return shape.depth == 16;
    case Element::tf32: return shape.depth == 8;
    case Element::f64: return shape.depth == 4;
    case Element::s4:
    case Element::u4: return shape.depth == 32;
    case Element::b1: return shape.depth == 128;
    default: return false;
  }
}

bool has_sums(const WmmaShape& shape, Element element) {
  switch (element) {
    case Element::f16: return shape.depth == 16;
    case Element::f32: return shape.depth == 16 || shape.depth == 8;
    case Element::f64: return shape.depth == 4;
    case Element::s32: return shape.depth == 16 || shape.depth > 16;
    default: return false;
  }
}

bool is_integer(Element element) {
  return element == Element::s8 || element == Element::u8 || element == Element::s4 ||
         element == Element::u4 || element == Element::b1;
}

/// Returns true if products of `operand` elements may be added to `sum` elements.
bool fits(Element operand, Element sum) {
  if (operand == Element::f16) return sum == Element::f16 || sum == Element::f32;
  if (operand == Element::f64) return sum == Element::f64;
  return sum == (is_integer(operand) ? Element::s32 : Element::f32);
}

struct Form {
  Handler handler = nullptr;
  InstructionClass kind = InstructionClass::tensor;
  WmmaFlags flags;
  struct Vector {
    std::size_t operand = 0;
    WmmaMatrix matrix;
    std::size_t registers = 0;
    bool is_result = false;
  };
  std::vector<Vector> vectors;
  std::optional<std::size_t> address;
};

std::optional<Form> form_of_move(Modifiers m, ObserverSet observers) {
  // load.{a,b,c} or store.d, then sync.aligned.layout.shape[.space].type
  if (m.size() == 8 && (m[6] == "shared" || m[6] == "shared::cta" || m[6] == "global"))
    m.erase(m.begin() + 6);
  if (m.size() != 7 || m[2] != "sync" || m[3] != "aligned") return std::nullopt;
  const bool loads = m[0] == "load";
  const auto shape = shape_of(m[5]);
  const auto element = element_of(m[6]);
  if (!shape || !element || (m[4] != "row" && m[4] != "col")) return std::nullopt;
  Form form;
  form.flags.role = m[1] == "a" ? Role::a : m[1] == "b" ? Role::b : Role::sum;
  if (form.flags.role == Role::sum ? m[1] != (loads ? "c" : "d") : !loads) return std::nullopt;
  form.flags.shape = static_cast<std::uint32_t>(*shape) & 7;
  form.flags.element = *element;
  form.flags.by_columns = m[4] == "col" ? 1 : 0;
  const WmmaShape& its = wmma_shapes[*shape];
  if (!(form.flags.role == Role::sum ? has_sums(its, *element) : has_operands(its, *element)))
    return std::nullopt;
  // Elements of less than a byte must be contiguous along the depth.
  const bool along = (form.flags.role == Role::b) == (m[4] == "col");
  if (bits_of(*element) < 8 && !along) return std::nullopt;
  form.handler = loads ? load_wmma(observers) : store_wmma(observers);
  form.kind = loads ? InstructionClass::load : InstructionClass::store;
  const WmmaMatrix matrix(its, form.flags.role, *element);
  form.vectors = {{loads ? 0U : 1U, matrix, stated_registers(matrix, form.flags.role), loads}};
  form.address = loads ? 1 : 0;
  return form;
}

std::optional<Form> form_of_product(Modifiers m) {
  // mma[.op.popc].sync.aligned.layout.layout.shape.d[.a.b].c[.rn|.satfinite]
  Form form;
  if (m.size() > 2 && m[2] == "popc" && (m[1] == "xor" || m[1] == "and")) {
    form.flags.conjunction = m[1] == "and" ? 1 : 0;
    m.erase(m.begin() + 1, m.begin() + 3);
  } else if (std::ranges::find(m, "b1") != m.end()) {
    return std::nullopt;
  }
  if (m.size() == 11 && m[10] == "satfinite") form.flags.saturate = 1;
  // Sums of doubles may state their rounding; only `.rn` is supported.
  if (m.size() == 11 && (m[10] == "satfinite" || m[10] == "rn")) m.pop_back();
  if (m.size() == 8) m.insert(m.begin() + 7, {"f16", "f16"});  // default types
  if (m.size() != 10 || m[1] != "sync" || m[2] != "aligned") return std::nullopt;
  const auto shape = shape_of(m[5]);
  const auto result = element_of(m[6]);
  const auto a = element_of(m[7]);
  const auto b = element_of(m[8]);
  const auto addend = element_of(m[9]);
  if (!shape || !result || !a || !b || !addend) return std::nullopt;
  const WmmaShape& its = wmma_shapes[*shape];
  const bool same = *a == *b || (is_integer(*a) && is_integer(*b) && bits_of(*a) == bits_of(*b));
  if (!same || !has_operands(its, *a) || !fits(*a, *result) || !fits(*a, *addend))
    return std::nullopt;
  form.handler = multiply_wmma;
  form.flags.shape = static_cast<std::uint32_t>(*shape) & 7;
  form.flags.element = *a;
  form.flags.result = *result;
  form.flags.addend = *addend;
  form.flags.a_signed = *a == Element::s8 || *a == Element::s4 ? 1 : 0;
  form.flags.b_signed = *b == Element::s8 || *b == Element::s4 ? 1 : 0;
  const auto add = [&](std::size_t operand, Role role, Element element) {
    const WmmaMatrix matrix(its, role, element);
    form.vectors.push_back({operand, matrix, stated_registers(matrix, role), operand == 0});
  };
  add(0, Role::sum, *result);
  add(1, Role::a, *a);
  add(2, Role::b, *b);
  add(3, Role::sum, *addend);
  return form;
}

}  // namespace

std::optional<ListedOperation> wmma_operation(const ptx::Instruction& instruction,
                                              ObserverSet observers, const OperandReader& read) {
  const Modifiers& m = instruction.modifiers;
  if (m.size() < 2) return std::nullopt;
  const std::optional<Form> form = m[0] == "mma" ? form_of_product(m) : form_of_move(m, observers);
  if (!form) return std::nullopt;
  const auto& operands = instruction.operands;
  const std::size_t least = form->vectors.size() + (form->address ? 1 : 0);
  const bool has_stride = form->address && operands.size() == least + 1;
  if (operands.size() != least && !has_stride) return std::nullopt;
  ListedOperation found;
  found.handler = form->handler;
  found.kind = form->kind;
  found.flags = packed_flags(form->flags);
  if (form->address) {
    found.address = &operands[*form->address];
    found.list.push_back(has_stride ? read(operands[2], Width::w32, false) : Operation::none);
  }
  for (const Form::Vector& vector : form->vectors) {
    const ptx::Operand& operand = operands[vector.operand];
    const bool is_vector = operand.kind == ptx::Operand::Kind::vector;
    if ((is_vector ? operand.elements.size() : 1) != vector.registers) return std::nullopt;
    const Width width = vector.matrix.register_bits() == 64 ? Width::w64 : Width::w32;
    for (std::size_t i = 0; i < vector.registers; ++i)
      found.list.push_back(
          read(is_vector ? operand.elements[i] : operand, width, vector.is_result));
  }
  return found;
}

}  // namespace warpwise::emulator::tensor
