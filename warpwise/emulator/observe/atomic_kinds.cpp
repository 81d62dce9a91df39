#include "warpwise/emulator/observe/atomic_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>

namespace warpwise::emulator {
namespace {

using Registers = std::vector<bool>;

bool differs_between_lanes(Special special) {
  switch (special) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
    case Special::laneid:
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt: return true;
    default: return false;
  }
}

// Returns the virtual registers that may differ between a warp's lanes. It follows only values, and
// ignores that lanes may take different branches.
Registers different_registers(const Code& code) {
  Registers differs(code.virtual_registers, false);
  std::set<std::int32_t> slots;
  for (const Code::SpecialRegister& special : code.specials)
    if (differs_between_lanes(special.which)) slots.insert(special.slot);
  for (std::size_t v = 0; v < code.places.size(); ++v)
    differs[v] = slots.count(code.places[v].offset) != 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < code.operations.size(); ++i) {
      const InstructionClass kind = code.classes[i];
      const bool loads = kind == InstructionClass::load && !code.names[i].starts_with("ld.param");
      const bool is_source = loads || kind == InstructionClass::atomic ||
                             kind == InstructionClass::texture || kind == InstructionClass::shuffle;
      const bool any = is_source || std::ranges::any_of(code.accesses[i].reads, [&](auto v) {
                         return differs[static_cast<std::size_t>(v)];
                       });
      if (!any) continue;
      for (const std::int32_t v : code.accesses[i].writes) {
        changed |= !differs[static_cast<std::size_t>(v)];
        differs[static_cast<std::size_t>(v)] = true;
      }
    }
  }
  return differs;
}

bool contains_any(const std::string& name, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(
      parts, [&](const char* each) { return name.find(each) != std::string::npos; });
}

// Returns true if the value that an operation adds is the constant 1.
bool adds_one(const Code& code, const Operation& op) {
  if (op.b >= 0 || op.b == Operation::none) return false;
  std::uint32_t value = 0;
  std::memcpy(&value, code.constants.data() + static_cast<std::size_t>(~op.b), sizeof(value));
  return value == 1;
}

}  // namespace

std::vector<AtomicKind> atomic_kinds(const Code& code) {
  const bool has_any = std::ranges::count(code.classes, InstructionClass::atomic) > 0;
  std::vector<AtomicKind> kinds(code.operations.size());
  if (!has_any) return kinds;
  const Registers differs = different_registers(code);
  Registers read(code.virtual_registers, false);
  for (const Accesses& each : code.accesses)
    for (const std::int32_t v : each.reads) read[static_cast<std::size_t>(v)] = true;
  for (std::size_t i = 0; i < code.operations.size(); ++i) {
    if (code.classes[i] != InstructionClass::atomic) continue;
    const std::string& name = code.names[i];
    const Operation& op = code.operations[i];
    const Accesses& accesses = code.accesses[i];
    AtomicKind& kind = kinds[i];
    kind.is_integer = !contains_any(name, {".f", ".bf"});
    kind.is_swap = contains_any(name, {".cas."});
    const bool is_known = std::ranges::all_of(accesses.reads, [&](std::int32_t v) {
      return code.places[static_cast<std::size_t>(v)].offset != op.a ||
             !differs[static_cast<std::size_t>(v)];
    });
    kind.is_reduced = kind.is_integer && is_known &&
                      contains_any(name, {".add.", ".min.", ".max.", ".and.", ".or.", ".xor."});
    kind.is_loop =
        !contains_any(name, {".cas.", ".exch."}) && contains_any(name, {".f", ".bf", "64"});
    const bool is_used = std::ranges::any_of(
        accesses.writes, [&](std::int32_t v) { return read[static_cast<std::size_t>(v)]; });
    kind.counts_lanes =
        contains_any(name, {".add.u32", ".add.s32"}) && !is_used && adds_one(code, op);
  }
  return kinds;
}

}  // namespace warpwise::emulator
