#include "warpwise/emulator/decode/decoder.hpp"

// Bulk copies and reductions, of bytes and of a tensor map's tiles.

#include <algorithm>
#include <map>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/copies/copy_bulk.hpp"
#include "warpwise/emulator/instructions/copies/copy_tensor.hpp"
#include "warpwise/emulator/instructions/memory/reductions.hpp"

namespace warpwise::emulator {

Reduction Decoder::stated_reduction() const {
  static const std::map<std::string_view, Reduction> names = {
      {"add", Reduction::add},        {"min", Reduction::minimum},
      {"max", Reduction::maximum},    {"inc", Reduction::increment},
      {"dec", Reduction::decrement},  {"and", Reduction::conjunction},
      {"or", Reduction::disjunction}, {"xor", Reduction::exclusive}};
  for (const std::string& modifier : current_->modifiers) {
    if (const auto found = names.find(modifier); found != names.end()) return found->second;
  }
  return Reduction::none;
}

ElementType Decoder::reduced_type() const {
  using T = ElementType;
  static const std::map<std::string_view, T> types = {
      {"u32", T::u32}, {"b32", T::u32}, {"s32", T::s32},   {"u64", T::u64}, {"b64", T::u64},
      {"s64", T::s64}, {"f16", T::f16}, {"bf16", T::bf16}, {"f32", T::f32}, {"f64", T::f64}};
  const auto found = types.find(type());
  if (found == types.end()) refuse("");
  return found->second;
}

/// Returns the operand of a multicast's mask, which follows the copy's own operands.
std::int32_t Decoder::multicast_mask(std::size_t at) {
  return has("multicast::cluster") ? read(operand(at), Width::w16, true) : Operation::none;
}

void Decoder::decode_copy_bulk() {
  BulkFlags flags;
  const auto& modifiers = current_->modifiers;
  const auto names = [&](const char* a, const char* b) {
    const auto found = std::adjacent_find(
        modifiers.begin(), modifiers.end(), [&](const std::string& x, const std::string& y) {
          return x.rfind(a, 0) == 0 && x.find("::bytes") == std::string::npos && y.rfind(b, 0) == 0;
        });
    return found != modifiers.end();
  };
  if (has("cp_mask")) refuse("copies of some bytes of each 16 are not modelled");
  if (names("global", "shared"))
    flags.to_global = 1;
  else if (names("shared", "shared"))
    flags.from_shared = 1;
  else if (!names("shared", "global"))
    refuse("");
  if (current_->opcode == "cp" && has("reduce")) {
    flags.reduction = stated_reduction();
    flags.type = reduced_type();
    if (!can_reduce(flags.reduction, flags.type)) refuse("");
  }
  flags.multicast = has("multicast::cluster") ? 1 : 0;
  const Space to = flags.to_global != 0 ? Space::global : Space::cluster;
  const Space from = flags.to_global != 0 || flags.from_shared != 0 ? Space::shared : Space::global;
  std::vector<std::int32_t> list;
  list.push_back(address_value(address(operand(0), to)));
  list.push_back(address_value(address(operand(1), from)));
  list.push_back(read(operand(2), Width::w32));
  list.push_back(flags.to_global != 0 ? Operation::none
                                      : address_value(address(operand(3), Space::shared)));
  list.push_back(multicast_mask(4));
  emit_bulk(copy_bulk_handler(observers_), list, packed_flags(flags), to);
}

void Decoder::emit_bulk(Handler handler, const std::vector<std::int32_t>& list, std::uint32_t flags,
                        Space to) {
  Operation& op = emit(handler, InstructionClass::load);
  op.list = new_list(list);
  op.flags = flags;
  op.space = to;
  op.site = new_site(InstructionClass::store);
  new_site(InstructionClass::load);
  new_site(InstructionClass::atomic);
}

void Decoder::decode_copy_tensor() {
  for (const char* mode :
       {"im2col", "im2col::w", "im2col::w::128", "tile::gather4", "tile::scatter4"}) {
    if (has(mode)) refuse("only tiles are supported");
  }
  TensorCopyFlags flags;
  for (const std::string& modifier : current_->modifiers) {
    if (modifier.size() == 2 && modifier[1] == 'd' && modifier[0] >= '1' && modifier[0] <= '5')
      flags.dimensions = static_cast<std::uint32_t>(modifier[0] - '0');
  }
  flags.to_global = has("bulk_group") ? 1 : 0;
  flags.multicast = has("multicast::cluster") ? 1 : 0;
  flags.reduction = stated_reduction();
  // The map and its coordinates come first if they are the destination.
  const std::size_t map_at = flags.to_global != 0 ? 0 : 1;
  const Operand& map = operand(map_at);
  const Operand& shared = operand(1 - map_at);
  if (map.elements.size() != 2 || map.elements[1].elements.size() != flags.dimensions)
    malformed("has no coordinate for each dimension");
  std::vector<std::int32_t> list;
  list.push_back(address_value(address(shared, Space::cluster)));
  list.push_back(address_value(address(map, Space::generic)));
  list.push_back(flags.to_global != 0 ? Operation::none
                                      : address_value(address(operand(2), Space::cluster)));
  list.push_back(multicast_mask(3));
  for (const Operand& coordinate : map.elements[1].elements)
    list.push_back(read(coordinate, Width::w32));
  emit_bulk(copy_tensor_handler(observers_), list, packed_flags(flags),
            flags.to_global != 0 ? Space::global : Space::cluster);
}

}  // namespace warpwise::emulator
