#include "warpwise/emulator/decode/decoder.hpp"

// tensormap.replace, which changes a field of a tensor map, and tensormap.cp_fenceproxy, which
// copies a map. The emulator's maps are TensorMap structures in memory. The instructions are
// therefore decoded as loads and stores.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise::emulator {
namespace {

/// A member of TensorMap that tensormap.replace sets to the value of an operand.
struct Field {
  std::string_view name;
  std::size_t offset;
  std::size_t bytes;
  int added = 0;         ///< number added to the stated value
  bool is_list = false;  ///< one element for each dimension
};

constexpr Field fields[] = {
    {"global_address", offsetof(TensorMap, address), 8},
    {"rank", offsetof(TensorMap, last_dimension), 1},
    {"box_dim", offsetof(TensorMap, box), 2, 0, true},
    {"global_dim", offsetof(TensorMap, last), 4, -1, true},
    {"global_stride", offsetof(TensorMap, strides), 8, 0, true},
    {"element_stride", offsetof(TensorMap, steps), 1, 0, true},
};

/// A member of TensorMap that tensormap.replace sets to a constant, and the constant.
struct Constant {
  std::size_t offset;
  std::size_t bytes;
  std::uint64_t value;
};

/// Returns the member of TensorMap and the constant for a field that PTX sets to a code. For
/// example, swizzle_mode 3 is a swizzle of 128 bytes. Returns nothing for an unsupported code.
std::optional<Constant> constant_of(std::string_view name, std::uint64_t number) {
  using E = ElementType;
  constexpr std::array elements = {E::u8,  E::u16, E::u32, E::s32,  E::u64, E::s64, E::f16,
                                   E::f32, E::f32, E::f64, E::bf16, E::f32, E::f32};
  constexpr std::array<std::uint64_t, 4> swizzles = {0, 32, 64, 128};
  if (name == "elemtype" && number < elements.size())
    return Constant{offsetof(TensorMap, type), 4, static_cast<std::uint64_t>(elements[number])};
  if (name == "swizzle_mode" && number < swizzles.size())
    return Constant{offsetof(TensorMap, swizzled_bytes), 4, swizzles[number]};
  if (name == "fill_mode" && number < 2)
    return Constant{offsetof(TensorMap, fills_with_nan), 1, number};
  return std::nullopt;
}

Operand moved(Operand address, std::size_t bytes) {
  address.offset += static_cast<std::int64_t>(bytes);
  return address;
}

}  // namespace

void Decoder::decode_tensor_map() {
  if (has("cp_fenceproxy")) {
    copy_tensor_map();
    return;
  }
  std::vector<std::string> modifiers;
  for (const char* space : {"global", "shared::cta", "shared"})
    if (has(space)) modifiers = {space};
  const auto store = [&](std::size_t offset, std::size_t bytes, const Operand& value) {
    modifiers.push_back("b" + std::to_string(8 * bytes));
    decode_as("st", modifiers, {moved(operand(0), offset), value});
  };
  for (const Field& field : fields) {
    if (!has(field.name)) continue;
    Operand value = operand(field.is_list ? 2 : 1);
    const std::size_t index = field.is_list ? operand(1).value : 0;
    if (index >= TensorMap::most_dimensions) malformed("names a dimension that does not exist");
    if (field.added != 0) {
      const Operand sum = temporary(Width::w32);
      const auto added = static_cast<std::uint32_t>(field.added);
      decode_as("add", {"u32"}, {sum, value, integer_operand(added)});
      value = sum;
    }
    store(field.offset + index * field.bytes, field.bytes, value);
    return;
  }
  const std::uint64_t number = operand(1).value;
  if ((has("interleave_layout") || has("swizzle_atomicity")) && number == 0) {
    emit_nothing(InstructionClass::control);
    return;
  }
  for (const char* name : {"elemtype", "swizzle_mode", "fill_mode"}) {
    if (!has(name)) continue;
    const std::optional<Constant> found = constant_of(name, number);
    if (!found) refuse("");
    store(found->offset, found->bytes, integer_operand(found->value));
    return;
  }
  refuse("");
}

/// Decodes tensormap.cp_fenceproxy: copies a whole map, 16 bytes at a time.
void Decoder::copy_tensor_map() {
  for (std::size_t at = 0; at < sizeof(TensorMap); at += 16) {
    Operand words;
    words.kind = Operand::Kind::vector;
    for (int i = 0; i < 4; ++i) words.elements.push_back(temporary(Width::w32));
    decode_as("ld", {"shared", "v4", "b32"}, {words, moved(operand(1), at)});
    decode_as("st", {"global", "v4", "b32"}, {moved(operand(0), at), words});
  }
}

}  // namespace warpwise::emulator
