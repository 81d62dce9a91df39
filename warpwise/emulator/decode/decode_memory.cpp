#include "warpwise/emulator/decode/decoder.hpp"

// Loads, stores, atomics.

#include <algorithm>
#include <string>

#include "warpwise/emulator/decode/select.hpp"
#include "warpwise/emulator/instructions/cluster.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"
#include "warpwise/emulator/instructions/memory/atomics.hpp"
#include "warpwise/emulator/instructions/memory/load_store.hpp"

namespace warpwise::emulator {

bool Decoder::is_inside_parameters(std::uint64_t offset, int bytes, std::size_t elements) const {
  const auto& info = code_.info;
  const std::uint64_t end = info.parameter_offsets.back() + info.parameter_bytes.back();
  const std::uint64_t wanted = static_cast<std::uint64_t>(bytes) * elements;
  return offset <= end && wanted <= end - offset && offset % wanted == 0;
}

Decoder::Address Decoder::address(const Operand& operand, Space space) {
  if (operand.kind != Operand::Kind::address || operand.elements.empty())
    malformed("has no address operand");
  const Operand& base = operand.elements[0];
  Address result;
  result.space = space;
  result.offset = operand.offset + base.offset;
  if (base.kind == Operand::Kind::integer) {
    result.base = constant(base.value, Width::w64);
    return result;
  }
  const Symbol* symbol = base.kind == Operand::Kind::name ? lookup(base.name) : nullptr;
  if (symbol == nullptr) malformed("has an address that the emulator cannot take");
  if (symbol->kind == Symbol::Kind::reg) {
    if (symbol->width != Width::w64 && symbol->width != Width::w32)
      malformed("has an address of another width");
    result.is_32_bits = symbol->width == Width::w32;
    result.base = symbol->reg;
    accesses_.reads.push_back(symbol->reg);
    return result;
  }
  const auto added = static_cast<std::uint64_t>(result.offset);
  if (symbol->in_frame) {
    result.base = frame_register();
    result.offset = static_cast<std::int64_t>(symbol->offset + added);
  } else {
    result.base = address_constant(*symbol, result.offset, Width::w64);
    result.offset = 0;
  }
  switch (symbol->kind) {
    case Symbol::Kind::shared: result.space = Space::shared; break;  // the block's own memory
    case Symbol::Kind::local: result.space = Space::local; break;
    case Symbol::Kind::parameter:
      result.space = Space::parameter;
      result.parameter = symbol->offset + added;
      break;
    case Symbol::Kind::argument:
      result.space = Space::local;
      result.compiler_local = true;
      break;
    default:
      if (space == Space::generic) result.space = Space::global;
  }
  return result;
}

void Decoder::require_writable(const Address& at) const {
  if (at.parameter) malformed("writes a parameter of the kernel, which is only read");
}

std::optional<Space> Decoder::stated_space() const {
  std::optional<Space> space;
  for (const std::string& modifier : current_->modifiers) {
    if (modifier == "global")
      space = Space::global;
    else if (modifier == "const")
      space = Space::constant;
    else if (modifier == "shared" || modifier == "shared::cta")
      space = Space::shared;
    else if (modifier == "shared::cluster")
      space = Space::cluster;
    else if (modifier == "local")
      space = Space::local;
    else if (modifier == "param" || modifier == "param::entry" || modifier == "param::func")
      space = Space::parameter;
  }
  return space;
}

void Decoder::set_address(Operation& op, const Address& at, InstructionClass kind) {
  op.a = at.base;
  op.offset = at.offset;
  op.space = at.space;
  op.short_address = at.is_32_bits;
  op.site = new_site(kind, at.compiler_local);
}

bool Decoder::is_strong() const {
  return has("volatile") || has("relaxed") || has("acquire") || has("release") || has("mmio");
}

// Returns true if a strong access orders only threads of its block (scope `.cta`). Cluster scope
// counts as device scope, because checks do not distinguish a cluster's blocks.
bool Decoder::is_narrow() const { return has("cta"); }

void Decoder::set_order(Operation& op) const {
  op.narrow = is_narrow();
  op.releases = has("release") || has("acq_rel");
  op.is_volatile = has("volatile");
}

void Decoder::decode_access(bool is_load) {
  const std::string element = type();
  const std::size_t value_at = is_load ? 0 : 1;
  const Address at = address(operand(is_load ? 1 : 0), stated_space().value_or(Space::generic));
  if (!is_load) require_writable(at);
  const Operand& value = operand(value_at);
  std::vector<const Operand*> elements;
  if (value.kind == Operand::Kind::vector) {
    for (const Operand& e : value.elements) elements.push_back(&e);
  } else {
    elements.push_back(&value);
  }
  const int bytes = type_bits(element) / 8;
  if (bytes == 0) malformed("has a type that memory does not hold");
  const std::size_t stated = has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1;
  if (elements.size() != stated) malformed("has a vector of another length than it states");
  if (elements.size() > 8 || bytes * static_cast<int>(elements.size()) > 32)
    refuse("only vectors of at most 32 bytes are supported");
  Width width = Width::none;
  for (const Operand* e : elements) {
    const Width own = register_width(*e);
    if (own != Width::none) width = own;
  }
  if (width == Width::none) width = std::max(width_of_type(element), Width::w16);
  const bool is_parameter =
      is_load && at.parameter && is_inside_parameters(*at.parameter, bytes, elements.size());
  const Space space = is_parameter ? Space::parameter : Space::generic;
  const Handler handler = is_load ? load_handler(observers_, element, width, space)
                                  : store_handler(observers_, element, width);
  if (handler == nullptr) malformed("has registers that do not fit its type");
  std::vector<std::int32_t> list;
  for (const Operand* e : elements) list.push_back(is_load ? write(*e, width) : read(*e, width));
  const InstructionClass kind = is_load ? InstructionClass::load : InstructionClass::store;
  Operation& op = emit(handler, kind);
  if (at.compiler_local || at.space == Space::parameter)
    code_.classes.back() = InstructionClass::move;
  op.list = new_list(list);
  op.count = static_cast<std::uint8_t>(elements.size());
  op.bytes = static_cast<std::uint8_t>(bytes);
  op.strong = is_strong();
  set_order(op);
  set_address(op, at, kind);
  if (is_parameter) op.offset = static_cast<std::int64_t>(*at.parameter);
}

namespace {

/// Returns why PTX forbids the vector of an atomic, or its absence; empty if it does not. Handlers
/// rely on the limit of 8 elements.
/// \param stated  length that the instruction states; 1 without a vector
/// \param elements  length of its operand
std::string wrong_vector(std::size_t stated, std::size_t elements, const std::string& operation,
                         const std::string& type, bool is_global) {
  if (elements != stated) return "has a vector of another length than it states";
  const bool is_half = type.starts_with("f16") || type.starts_with("bf16");
  if (stated == 1) {
    const bool needs_vector = is_half && (operation == "min" || operation == "max");
    return needs_vector ? "needs a vector, as PTX has no single minimum or maximum of its type"
                        : "";
  }
  if (!is_half && (type != "f32" || operation != "add")) return "takes no vector";
  const std::size_t longest = is_half && !type.ends_with("x2") ? 8 : 4;
  if (stated > longest)
    return "takes a vector of at most " + std::to_string(longest) + " elements of its type";
  return is_global ? "" : "takes a vector only in global memory";
}

}  // namespace

void Decoder::decode_atomic(bool has_result) {
  std::string key;
  for (const char* operation :
       {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}) {
    if (has(operation)) key = operation;
  }
  if (key.empty()) refuse("");
  const std::string operation = key;
  if (has("noftz")) key += ".noftz";
  key += "." + type();
  const Table& operations = atomic_operations(observers_);
  const auto found = operations.find(key);
  if (found == operations.end()) refuse("");
  const auto& widths = found->second.widths;
  const std::size_t first = has_result ? 1 : 0;
  const Operand& old = operand(0);
  const Operand& value = operand(first + 1);
  const Address at = address(operand(first), stated_space().value_or(Space::generic));
  require_writable(at);
  const auto elements_of = [](const Operand& operand) {
    return operand.kind == Operand::Kind::vector ? operand.elements : std::vector{operand};
  };
  std::vector<std::int32_t> values;
  for (const Operand& each : elements_of(value)) values.push_back(read(each, widths[3]));
  const std::size_t stated = has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1;
  if (type() != "b128") {
    const bool is_global = at.space == Space::global || at.space == Space::generic;
    const std::string wrong = wrong_vector(stated, values.size(), operation, type(), is_global);
    if (!wrong.empty()) malformed(wrong);
  }
  constexpr std::size_t halves_of_b128 = 2;
  if (type() == "b128" && values.size() != halves_of_b128)
    malformed("has registers that do not fit its type");
  // The last operand may be a cache policy, or the mbarrier of red.async.
  const bool has_more = has("L2::cache_hint") || has("async");
  const std::size_t count = current_->operands.size() - (has_more ? 1 : 0);
  if (count != first + (has("cas") ? 3 : 2)) malformed("has too few or too many operands");
  std::vector<std::int32_t> swapped;
  if (has("cas")) {
    for (const Operand& each : elements_of(operand(first + 2)))
      swapped.push_back(read(each, widths[4]));
    if (swapped.size() != values.size()) malformed("has vectors of different lengths");
  }
  std::vector<std::int32_t> results(values.size(), Operation::none);
  if (has_result && old.kind != Operand::Kind::sink) {
    const std::vector<Operand> olds = elements_of(old);
    if (olds.size() != values.size()) malformed("has vectors of different lengths");
    for (std::size_t i = 0; i < olds.size(); ++i)
      if (olds[i].kind != Operand::Kind::sink) results[i] = write(olds[i], widths[0]);
  }
  Operation& op = emit(found->second.handler, InstructionClass::atomic);
  op.dst = results[0];
  op.b = values[0];
  op.c = swapped.empty() ? values[0] : swapped[0];
  op.count = static_cast<std::uint8_t>(values.size());
  if (values.size() > 1) {
    values.insert(values.end(), swapped.begin(), swapped.end());
    values.insert(values.end(), results.begin(), results.end());
    op.list = new_list(values);
  }
  op.bytes = static_cast<std::uint8_t>(type_bits(type()) / 8);
  op.strong = true;
  op.system = has("sys");
  set_order(op);
  set_address(op, at, InstructionClass::atomic);
}

/// Decodes st.bulk [a], bytes, 0.
void Decoder::decode_fill() {
  const Address at = address(operand(0), stated_space().value_or(Space::generic));
  const std::int32_t bytes = read(operand(1), Width::w64);
  Operation& op = emit(fill_handler(observers_), InstructionClass::store);
  op.b = bytes;
  op.bytes = sizeof(std::uint64_t);
  set_address(op, at, InstructionClass::store);
}

/// Decodes createpolicy. A cache policy changes no result, so any value will do.
void Decoder::decode_policy() {
  const std::int32_t result = write(operand(0), Width::w64);
  const std::int32_t policy = has("cvt") ? read(operand(1), Width::w64) : constant(0, Width::w64);
  Operation& op = emit(lane_operations().at("mov.b64").handler, InstructionClass::move);
  op.dst = result;
  op.a = policy;
}

void Decoder::decode_cluster_address() {
  const bool maps = current_->opcode == "mapa";
  const Width wide = has("u64") ? Width::w64 : Width::w32;
  const std::int32_t result = write(operand(0), maps ? wide : Width::w32);
  const std::int32_t a = read(operand(1), wide);
  const std::int32_t rank = maps ? read(operand(2), Width::w32) : Operation::none;
  const Handler handler = maps ? map_address_handler(wide) : rank_of_address_handler(wide);
  Operation& op = emit(handler, InstructionClass::integer);
  op.dst = result;
  op.a = a;
  op.b = rank;
}

}  // namespace warpwise::emulator
