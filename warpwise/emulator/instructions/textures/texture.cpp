// Texture instructions. sampling.cpp computes their results.

#include "warpwise/emulator/instructions/textures/texture.hpp"

#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/instructions/textures/sampling.hpp"
#include "warpwise/emulator/instructions/textures/surface.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

// Operands: four results, the handle, x, y, z and the layer. x stands in for missing ones.
template <class Observers, class Coordinate>
void read_texture(Warp& warp, const Operation& op) {
  const auto flags = flags_of<GeometryFlags>(op);
  const Geometry geometry{static_cast<int>(flags.dimensions), flags.layered != 0, flags.cube != 0};
  const std::int32_t* list = list_of(warp, op);
  const auto* handles = source<std::uint64_t>(warp, list[4]);
  const std::array<const Coordinate*, 3> at = {source<Coordinate>(warp, list[5]),
                                               source<Coordinate>(warp, list[6]),
                                               source<Coordinate>(warp, list[7])};
  const auto* layers = source<std::uint32_t>(warp, list[8]);
  std::array<TexelWords, warp_lanes> out{};
  [[maybe_unused]] std::array<Address, warp_lanes> texels{};
  const BoundTexture* bound = nullptr;
  std::uint64_t handle = 0;
  Mask valid = 0;
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const auto lane = static_cast<std::size_t>(i);
    if (bound == nullptr || handles[i] != handle) {
      handle = handles[i];
      bound = &find_texture(*warp.worker, handle);
    }
    if (bound->texels == nullptr || !is_of(geometry, bound->texture)) {
      record_fault(warp, op, FaultKind::out_of_bounds, i, refusal(*bound, handle, geometry));
      continue;
    }
    valid |= Mask{1} << i;
    const std::array<Coordinate, 3> place = {at[0][i], at[1][i], at[2][i]};
    if constexpr (std::is_same_v<Coordinate, float>) {
      out[lane] = flags.gathers != 0 ? gather(*bound, place, static_cast<int>(flags.channel))
                                     : sample(*bound, geometry, place, layers[i]);
    } else {
      out[lane] = fetch(*bound, geometry, place, layers[i]);
    }
    if constexpr (Observers::follows_texels)
      texels[lane] = texel_address(*bound, geometry, place, layers[i]);
  }
  if constexpr (Observers::any) {
    // The observers are called first, because the results may overwrite the handles.
    if (valid != 0) {
      Observers::of(warp).on_texture_read(
          warp, op,
          {valid, handles, nullptr, texels.data(), static_cast<int>(bound->texture.texel_bytes())});
    }
  }
  for (std::size_t c = 0; c < 4; ++c) {
    auto* to = destination<std::uint32_t>(warp, list[c]);
    for (Mask left = warp.active; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      to[i] = out[static_cast<std::size_t>(i)][c];
    }
  }
}

bool is_known(const std::vector<std::string>& m) {
  // Modifiers after `level` or `base`: geometry, v4, result type, coordinate type
  if (m.size() != 4) return false;
  const bool result = m[2] == "f32" || m[2] == "s32" || m[2] == "u32";
  return Geometry::of(m[0]).dimensions > 0 && m[1] == "v4" && result &&
         (m[3] == "f32" || (m[3] == "s32" && !Geometry::of(m[0]).cube));
}

/// Returns the modifiers without `level` or `base`. The emulator's textures have one mip level.
std::vector<std::string> without_level(const ptx::Instruction& instruction) {
  std::vector<std::string> m = instruction.modifiers;
  if (!m.empty() && (m[0] == "level" || m[0] == "base")) m.erase(m.begin());
  return m;
}

/// Returns the channel of r, g, b, a that tld4 reads; nothing for unsupported forms.
std::optional<std::uint32_t> channel_of(const std::vector<std::string>& m) {
  constexpr std::string_view channels = "rgba";
  if (m.size() != 5 || m[0].size() != 1 || m[1] != "2d" || m[4] != "f32") return std::nullopt;
  const std::size_t found = channels.find(m[0][0]);
  if (found == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(found);
}

}  // namespace

GeometryFlags flags_for(const Geometry& geometry) {
  GeometryFlags flags;
  flags.dimensions = static_cast<std::uint32_t>(geometry.dimensions) & 3U;
  flags.layered = geometry.layered ? 1 : 0;
  flags.cube = geometry.cube ? 1 : 0;
  return flags;
}

bool read_coordinates(const ptx::Operand& at, const Geometry& geometry, const OperandReader& read,
                      std::vector<std::int32_t>& list) {
  const std::vector<ptx::Operand> given =
      at.kind == ptx::Operand::Kind::vector ? at.elements : std::vector{at};
  const std::size_t first = geometry.layered ? 1 : 0;
  const auto count = static_cast<std::size_t>(geometry.dimensions);
  if (given.size() < first + count) return false;
  for (std::size_t d = 0; d < 3; ++d)
    list.push_back(read(given[d < count ? first + d : first], Width::w32, false));
  list.push_back(read(given[0], Width::w32, false));
  return true;
}

std::optional<ListedOperation> texture_operation(const ptx::Instruction& instruction,
                                                 ObserverSet observers, const OperandReader& read) {
  using Kind = ptx::Operand::Kind;
  const bool gathers = instruction.opcode == "tld4";
  if (instruction.opcode != "tex" && !gathers) return std::nullopt;
  std::vector<std::string> m = without_level(instruction);
  const std::optional<std::uint32_t> channel = gathers ? channel_of(m) : std::nullopt;
  if (channel) m.erase(m.begin());
  if (!is_known(m) || gathers != channel.has_value()) return std::nullopt;
  // Operands: {a, b, c, d}, [texture, {x, y}] and a level's number. Other forms (a sampler,
  // offsets, a comparison) have more operands.
  const bool has_level = instruction.modifiers[0] == "level";
  const auto& operands = instruction.operands;
  if (operands.size() != (has_level ? 3U : 2U)) return std::nullopt;
  const ptx::Operand& result = operands[0];
  const ptx::Operand& place = operands[1];
  if (result.kind != Kind::vector || result.elements.size() != 4) return std::nullopt;
  if (place.kind != Kind::address || place.elements.size() != 2) return std::nullopt;
  const Geometry geometry = Geometry::of(m[0]);
  ListedOperation found;
  found.kind = InstructionClass::texture;
  GeometryFlags flags = flags_for(geometry);
  flags.gathers = gathers ? 1 : 0;
  flags.channel = channel.value_or(0) & 3U;
  found.flags = packed_flags(flags);
  found.handler = with_observers(observers, [&](auto set) {
    using Observers = typename decltype(set)::type;
    return m[3] == "s32" ? Handler{read_texture<Observers, std::int32_t>}
                         : Handler{read_texture<Observers, float>};
  });
  for (const ptx::Operand& e : result.elements) found.list.push_back(read(e, Width::w32, true));
  found.list.push_back(read(place.elements[0], Width::w64, false));
  if (!read_coordinates(place.elements[1], geometry, read, found.list)) return std::nullopt;
  return found;
}

}  // namespace warpwise::emulator
