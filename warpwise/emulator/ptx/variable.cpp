#include "warpwise/emulator/ptx/variable.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <utility>

namespace warpwise::ptx {
namespace {

// Limits of the memory that a short text can request. A compiler uses each register that it
// declares, so a module has fewer registers than bytes of text. Handwritten code may declare more.
constexpr std::uint64_t spare_registers = std::uint64_t{1} << 16;
constexpr std::uint64_t max_initial_bytes = std::uint64_t{1} << 28;
constexpr std::uint64_t max_initial_elements = std::uint64_t{1} << 40;
constexpr std::size_t max_dimensions = 16;

struct Type {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<Type, 25> types{
    {{"b8", 1},     {"b16", 2},     {"b32", 4},  {"b64", 8},        {"b128", 16},
     {"u8", 1},     {"u16", 2},     {"u32", 4},  {"u64", 8},        {"s8", 1},
     {"s16", 2},    {"s32", 4},     {"s64", 8},  {"f16", 2},        {"f16x2", 4},
     {"bf16", 2},   {"bf16x2", 4},  {"f32", 4},  {"f64", 8},        {"pred", 1},
     {"texref", 8}, {"surfref", 8}, {"tf32", 4}, {"samplerref", 8}, {"e4m3", 1}}};

constexpr std::array<std::string_view, 8> spaces{".reg",   ".sreg",  ".const",  ".global",
                                                 ".local", ".param", ".shared", ".tex"};

}  // namespace

bool Declarations::at_space() const {
  return tokens_.at(Token::Kind::directive) &&
         std::find(spaces.begin(), spaces.end(), tokens_.current().text) != spaces.end();
}

bool Declarations::read_attribute() {
  bool is_managed = false;
  tokens_.expect("(");
  for (int depth = 1; depth > 0;) {
    if (tokens_.at(Token::Kind::end)) tokens_.fail_expected("')'");
    depth += tokens_.at("(") ? 1 : tokens_.at(")") ? -1 : 0;
    is_managed = is_managed || tokens_.at(".managed");
    tokens_.take();
  }
  return is_managed;
}

Declarations::Declared Declarations::read_type() {
  if (!at_space()) tokens_.fail_expected("a state space such as .param");
  Declared result;
  Variable& variable = result.variable;
  variable.space = tokens_.take().text.substr(1);
  while (tokens_.at(Token::Kind::directive)) {
    const std::string_view word = tokens_.current().text.substr(1);
    const auto* const type = std::find_if(types.begin(), types.end(),
                                          [&](const Type& each) { return each.name == word; });
    if (type != types.end() && variable.type.empty()) {
      variable.type = type->name;
      result.element_bytes = type->bytes;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      result.vector = static_cast<std::uint64_t>(word[1] - '0');
    } else if (word != "align" && word != "attribute" && word != "ptr") {
      tokens_.fail_expected("a type such as .b32");
    }
    tokens_.take();
    if (word == "attribute" && read_attribute()) variable.is_managed = true;
    if (word == "ptr") read_pointer();
    if (word == "align") {
      variable.alignment = read_integer(tokens_);
      if (!std::has_single_bit(variable.alignment))
        tokens_.fail("an .align that is no power of two");
    }
  }
  if (variable.type.empty()) tokens_.fail_expected("a type such as .b32");
  if (variable.alignment == 0) variable.alignment = result.element_bytes * result.vector;
  return result;
}

/// Skips the space and alignment of a pointer's target, which do not apply to the parameter.
void Declarations::read_pointer() {
  while (tokens_.at(".global") || tokens_.at(".shared") || tokens_.at(".const") ||
         tokens_.at(".local") || tokens_.at(".param")) {
    tokens_.take();
  }
  if (tokens_.accept(".align")) read_integer(tokens_);
}

void Declarations::read_extents(Declared& declared) {
  while (tokens_.accept("[")) {
    const bool is_open = tokens_.at("]");
    if (is_open && !declared.extents.empty()) tokens_.fail_expected("a dimension's size");
    const std::uint64_t extent = is_open ? 0 : read_integer(tokens_);
    if (extent == 0 && !declared.extents.empty()) tokens_.fail("an inner dimension of size 0");
    tokens_.expect("]");
    declared.extents.push_back(extent);
    if (declared.extents.size() > max_dimensions) tokens_.fail("an array of too many dimensions");
  }
  declared.variable.is_array = !declared.extents.empty();
}

void Declarations::set_size(Declared& declared) {
  std::uint64_t bytes = declared.element_bytes * declared.vector;
  for (const std::uint64_t extent : declared.extents) {
    if (__builtin_mul_overflow(bytes, extent, &bytes) ||
        bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
      tokens_.fail("'" + declared.variable.name + "' has more than 2^63 bytes");
    }
  }
  declared.variable.bytes = bytes;
}

void Declarations::read_registers(std::vector<Variable>& into, const Declared& declared) {
  const Constant count = read_literal(tokens_);
  const std::uint64_t most = spare_registers + tokens_.text_bytes();
  if (!count.is_integer() || count.bits > most || registers_ + count.bits > most) {
    tokens_.fail("more than " + std::to_string(most) + " registers in a text of this size");
  }
  tokens_.expect(">");
  registers_ += count.bits;
  for (std::uint64_t i = 0; i < count.bits; ++i) {
    into.push_back(declared.variable);
    into.back().name += std::to_string(i);
  }
}

void Declarations::read(std::vector<Variable>& into, const Linkage& linkage) {
  const Declared type = read_type();
  do {
    Declared declared = type;
    Variable& variable = declared.variable;
    variable.is_extern = linkage.is_extern;
    variable.is_weak = linkage.is_weak;
    variable.is_common = linkage.is_common;
    variable.ptx_line = tokens_.current().line;
    variable.name = tokens_.expect(Token::Kind::name, "a variable's name").text;
    set_size(declared);
    if (variable.space == "reg" && tokens_.accept("<")) {
      read_registers(into, declared);
      continue;
    }
    read_extents(declared);
    set_size(declared);
    if (tokens_.accept("=")) read_initial(declared);
    into.push_back(std::move(variable));
  } while (tokens_.accept(","));
  if (!tokens_.accept(";")) tokens_.fail_expected("',' or ';'");
}

void Declarations::read_list(std::vector<Variable>& into) {
  tokens_.expect("(");
  if (tokens_.accept(")")) return;
  do {
    Declared declared = read_type();
    declared.variable.name = tokens_.expect(Token::Kind::name, "a parameter's name").text;
    read_extents(declared);
    set_size(declared);
    into.push_back(std::move(declared.variable));
  } while (tokens_.accept(","));
  if (!tokens_.accept(")")) tokens_.fail_expected("',' or ')'");
}

void Declarations::read_initial(Declared& declared) {
  Variable& variable = declared.variable;
  if (variable.space != "global" && variable.space != "const") {
    tokens_.fail(
        "a ." + variable.space +
        " variable has an initial value, which only .global and .const variables can have");
  }
  std::vector<std::uint64_t> extents = declared.extents;
  if (declared.vector > 1 || extents.empty()) extents.push_back(declared.vector);
  Initialiser initialiser{variable, declared, std::vector<std::uint64_t>(extents.size(), 1)};
  // The first extent is 0 for `[]`. In that case set_size() has not checked the other extents.
  for (std::size_t i = extents.size() - 1; i > 0; --i) {
    if (__builtin_mul_overflow(initialiser.strides[i], extents[i], &initialiser.strides[i - 1]) ||
        initialiser.strides[i - 1] > max_initial_elements) {
      tokens_.fail("an initial value of too large an array");
    }
  }
  const bool is_open = extents.front() == 0;
  if (tokens_.accept("{")) {
    const std::uint64_t end =
        is_open ? max_initial_elements : variable.bytes / declared.element_bytes;
    const std::uint64_t taken = read_braces(initialiser, 0, 0, end);
    const std::uint64_t stride = initialiser.strides.front();
    if (is_open) declared.extents.front() = (taken + stride - 1) / stride;
    set_size(declared);
  } else {
    if (variable.is_array) tokens_.fail_expected("'{'");
    read_item(initialiser, 0);
  }
}

std::uint64_t Declarations::read_braces(Initialiser& initialiser, std::size_t level,
                                        std::uint64_t begin, std::uint64_t end) {
  const Nested nested(tokens_);
  const std::uint64_t stride = initialiser.strides[level];
  std::uint64_t next = begin;
  while (!tokens_.accept("}")) {
    const bool is_inner = tokens_.at("{");
    if (is_inner && (level + 1 == initialiser.strides.size() || (next - begin) % stride != 0)) {
      tokens_.fail_expected("an element");
    }
    const std::uint64_t after = next + (is_inner ? stride : 1);
    if (after > end) {
      tokens_.fail("more initial values than '" + initialiser.variable.name + "' has elements");
    }
    if (is_inner) {
      tokens_.take();
      read_braces(initialiser, level + 1, next, after);
    } else {
      read_item(initialiser, next);
    }
    next = after;
    if (!tokens_.at("}") && !tokens_.accept(",")) tokens_.fail_expected("',' or '}'");
  }
  return next;
}

void Declarations::read_item(Initialiser& initialiser, std::uint64_t index) {
  const std::uint64_t bytes = initialiser.declared.element_bytes;
  const std::uint64_t offset = index * bytes;
  std::vector<std::uint8_t>& initial = initialiser.variable.initial;
  if (offset + bytes > initial.size()) {
    initial_bytes_ += offset + bytes - initial.size();
    if (initial_bytes_ > max_initial_bytes) {
      tokens_.fail("more than " + std::to_string(max_initial_bytes) + " bytes of initial values");
    }
    initial.resize(offset + bytes);
  }
  const bool is_masked = tokens_.at(Token::Kind::number) && tokens_.ahead().text == "(";
  if (is_masked || !at_constant(tokens_)) {
    read_relocation(initialiser, offset);
    return;
  }
  const std::uint64_t value = converted(read_constant(tokens_), initialiser.declared);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(bytes, sizeof(value)); ++i) {
    initial[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

/// Reads `name`, `name+4`, `generic(name)`, `generic(name)+4`. In a variable of bytes,
/// `0xFF00(name)` stands for one byte of the address.
void Declarations::read_relocation(Initialiser& initialiser, std::uint64_t offset) {
  Variable::Relocation result;
  result.offset = offset;
  result.bytes = static_cast<int>(initialiser.declared.element_bytes);
  std::uint64_t mask = 0;
  const bool is_masked = tokens_.at(Token::Kind::number);
  if (is_masked) {
    mask = read_literal(tokens_).bits;
    tokens_.expect("(");
  }
  result.name = tokens_.expect(Token::Kind::name, "an initial value").text;
  if (result.name == "generic" && tokens_.accept("(")) {
    result.generic = true;
    result.name = tokens_.expect(Token::Kind::name, "a variable's name").text;
    tokens_.expect(")");
  }
  if (tokens_.at("+") || tokens_.at("-")) {
    result.addend = static_cast<std::int64_t>(read_integer(tokens_));
  }
  std::vector<Variable::Relocation>& all = initialiser.variable.relocations;
  if (!is_masked) {
    if (result.bytes != 4 && result.bytes != 8) {
      tokens_.fail("the address of '" + result.name + "' needs 4 or 8 bytes, but the element has " +
                   std::to_string(result.bytes));
    }
    all.push_back(std::move(result));
    return;
  }
  tokens_.expect(")");
  if (result.bytes != 1)
    tokens_.fail("0xFF(name) selects one byte of an address, but the element has several");
  result.first_byte = std::countr_zero(mask) / 8;
  if (mask == 0 || mask != std::uint64_t{0xff} << (8 * result.first_byte))
    tokens_.fail("a mask that does not select one whole byte");
  const bool continues = !all.empty() && all.back().name == result.name &&
                         all.back().generic == result.generic &&
                         all.back().addend == result.addend &&
                         all.back().first_byte + all.back().bytes == result.first_byte &&
                         all.back().offset + static_cast<std::uint64_t>(all.back().bytes) == offset;
  if (continues)
    ++all.back().bytes;
  else
    all.push_back(std::move(result));
}

/// Converts a value to the bits of an element of the declared type.
std::uint64_t Declarations::converted(const Constant& value, const Declared& declared) const {
  const std::string& type = declared.variable.type;
  if (type == "f32") {
    if (value.kind == Constant::Kind::f32) return value.bits;
    return std::bit_cast<std::uint32_t>(static_cast<float>(to_double(value)));
  }
  if (type == "f64") {
    return value.kind == Constant::Kind::f64 ? value.bits
                                             : std::bit_cast<std::uint64_t>(to_double(value));
  }
  const std::uint64_t needed = value.kind == Constant::Kind::f32 ? 4 : 8;
  const bool is_bits = type == (needed == 4 ? "b32" : "b64");
  if (!value.is_integer() && !is_bits) {
    tokens_.fail("a floating-point value of a ." + type + " variable");
  }
  return value.bits;
}

}  // namespace warpwise::ptx
