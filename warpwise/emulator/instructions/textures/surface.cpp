// Reads and writes of surfaces. Texels are moved as stored in memory, and x counts bytes.

#include "warpwise/emulator/instructions/textures/surface.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "warpwise/base/counted.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/instructions/textures/sampling.hpp"
#include "warpwise/emulator/observe/sets.hpp"

namespace warpwise::emulator {
namespace {

using SurfaceCoordinates = std::array<std::int64_t, 3>;

/// Returns the address of an access in a surface; null for an access that does nothing. `outside`
/// becomes true if the access is a fault.
std::byte* place_of(const BoundTexture& bound, const GeometryFlags& flags, SurfaceCoordinates at,
                    std::int64_t layer, std::int64_t bytes, bool& outside) {
  const Texture& t = bound.texture;
  const auto row = static_cast<std::int64_t>(t.width * t.texel_bytes());
  std::array<std::int64_t, 4> most = {row - bytes, 0, 0, 0};
  if (flags.dimensions > 1) most[1] = static_cast<std::int64_t>(t.height) - 1;
  if (flags.dimensions > 2) most[2] = static_cast<std::int64_t>(t.depth) - 1;
  if (flags.layered != 0) most[3] = static_cast<std::int64_t>(t.depth) - 1;
  std::array<std::int64_t, 4> all = {at[0], flags.dimensions > 1 ? at[1] : 0,
                                     flags.dimensions > 2 ? at[2] : 0,
                                     flags.layered != 0 ? layer : 0};
  outside = false;
  for (std::size_t d = 0; d < 4; ++d) {
    if (all[d] >= 0 && all[d] <= most[d]) continue;
    if (flags.boundary == SurfaceBoundary::zero) return nullptr;
    outside = outside || flags.boundary == SurfaceBoundary::trap;
    all[d] = std::clamp<std::int64_t>(all[d], 0, std::max<std::int64_t>(most[d], 0));
  }
  if (outside || most[0] < 0) return nullptr;
  return bound.texels + static_cast<std::uint64_t>(all[2] + all[3]) * t.slice_bytes +
         static_cast<std::uint64_t>(all[1]) * t.pitch_bytes + static_cast<std::uint64_t>(all[0]);
}

/// Returns the text for an access outside of a surface, with its place and the surface's size.
std::string text_of_outside(const Texture& t, const GeometryFlags& flags, SurfaceCoordinates at,
                            std::int64_t layer, std::int64_t bytes) {
  std::string place =
      counted(static_cast<std::uint64_t>(bytes), "byte") + " at byte " + std::to_string(at[0]);
  std::string size = counted(t.width * t.texel_bytes(), "byte");
  const auto add = [&](std::string_view unit, std::int64_t coordinate, std::uint64_t number) {
    const std::string name(unit);
    place += " of " + name + " " + std::to_string(coordinate);
    size = std::to_string(number) + " " + name + (number == 1 ? " of " : "s of ") + size;
  };
  if (flags.dimensions > 1) add("row", at[1], t.height);
  if (flags.dimensions > 2) add("slice", at[2], t.depth);
  if (flags.layered != 0) add("layer", layer, t.depth);
  return "an access outside of a surface: " + place + ", and the surface has " + size;
}

/// Returns the error of an access; empty if there is none.
std::string wrong(const BoundTexture& bound, std::uint64_t handle, const GeometryFlags& flags) {
  if (!bound.exists)
    return "a surface access through handle " + std::to_string(handle) +
           ", which is no surface object";
  if (bound.texels == nullptr) return "an access to a surface whose memory has been freed";
  const Texture& t = bound.texture;
  const std::uint32_t dimensions = t.height == 0 ? 1 : t.is_volume() ? 3 : 2;
  if (dimensions != flags.dimensions || (t.layered || t.cube) != (flags.layered != 0))
    return "an access with other dimensions or layers than the surface has";
  return {};
}

/// Copies a lane's elements between memory and its registers.
void move_elements(Warp& warp, const std::int32_t* list, const GeometryFlags& flags, int lane,
                   std::byte* place) {
  const std::size_t bytes = std::size_t{1} << flags.log_bytes;
  const std::size_t wide = std::max<std::size_t>(bytes, 4);  // a narrow register takes 32 bits too
  const std::size_t offset = wide * static_cast<std::size_t>(lane);
  for (std::size_t e = 0; e < flags.elements; ++e) {
    if (flags.is_store != 0) {
      if (place != nullptr)
        std::memcpy(place + e * bytes, source<std::byte>(warp, list[e]) + offset, bytes);
      continue;
    }
    std::byte* to = destination<std::byte>(warp, list[e]) + offset;
    std::memset(to, 0, wide);
    if (place != nullptr) std::memcpy(to, place + e * bytes, bytes);
  }
}

// Operands: four elements, the handle, x, y, z and the layer.
template <class Observers>
void access_surface(Warp& warp, const Operation& op) {
  const auto flags = flags_of<GeometryFlags>(op);
  const std::int32_t* list = list_of(warp, op);
  const auto* handles = source<std::uint64_t>(warp, list[4]);
  const auto bytes = static_cast<std::int64_t>(flags.elements) << flags.log_bytes;
  if (flags.is_store != 0) warp.wrote = true;
  // A read's results may overwrite its coordinates, so all addresses are computed first.
  std::array<std::byte*, warp_lanes> places{};
  Mask valid = 0;
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const BoundTexture& bound = find_texture(*warp.worker, handles[i]);
    const std::string why = wrong(bound, handles[i], flags);
    if (!why.empty()) {
      record_fault(warp, op, FaultKind::out_of_bounds, i, why);
      continue;
    }
    const auto at = [&](int k) { return std::int64_t{source<std::int32_t>(warp, list[k])[i]}; };
    if (at(5) % bytes != 0) {
      record_fault(warp, op, FaultKind::misaligned, i,
                   "an access to a surface at byte " + std::to_string(at(5)) +
                       " of a row: the byte must be a multiple of the access size, " +
                       std::to_string(bytes));
      continue;
    }
    bool outside = false;
    const SurfaceCoordinates coordinates = {at(5), at(6), at(7)};
    places[static_cast<std::size_t>(i)] =
        place_of(bound, flags, coordinates, at(8), bytes, outside);
    if (outside)
      record_fault(warp, op, FaultKind::out_of_bounds, i,
                   text_of_outside(bound.texture, flags, coordinates, at(8), bytes));
    else
      valid |= Mask{1} << i;
  }
  if constexpr (Observers::any) {
    if (valid != 0) Observers::of(warp).on_texture_read(warp, op, {valid, handles, places.data()});
  }
  for (Mask left = warp.active; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    move_elements(warp, list, flags, i, places[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

std::optional<ListedOperation> surface_operation(const ptx::Instruction& instruction,
                                                 ObserverSet observers, const OperandReader& read) {
  using Kind = ptx::Operand::Kind;
  const bool is_store = instruction.opcode == "sust";
  if (!is_store && instruction.opcode != "suld") return std::nullopt;
  // Modifiers: b, geometry, [v2 | v4,] type, handling of outside coordinates
  std::vector<std::string> m = instruction.modifiers;
  if (m.size() == 4) m.insert(m.begin() + 2, "v1");
  if (m.size() != 5 || m[0] != "b" || instruction.operands.size() != 2) return std::nullopt;
  const Geometry geometry = Geometry::of(m[1]);
  if (geometry.dimensions == 0 || geometry.cube) return std::nullopt;
  GeometryFlags flags = flags_for(geometry);
  flags.is_store = is_store ? 1 : 0;
  flags.elements = m[2] == "v1" ? 1U : m[2] == "v2" ? 2U : m[2] == "v4" ? 4U : 0U;
  const std::array<std::string, 4> types = {"b8", "b16", "b32", "b64"};
  const auto type = std::find(types.begin(), types.end(), m[3]);
  if (flags.elements == 0 || type == types.end()) return std::nullopt;
  flags.log_bytes = static_cast<std::uint32_t>(type - types.begin()) & 3U;
  if (m[4] != "trap" && m[4] != "clamp" && m[4] != "zero") return std::nullopt;
  flags.boundary = m[4] == "trap"    ? SurfaceBoundary::trap
                   : m[4] == "clamp" ? SurfaceBoundary::clamp
                                     : SurfaceBoundary::zero;
  const ptx::Operand& place = instruction.operands[is_store ? 0 : 1];
  const ptx::Operand& value = instruction.operands[is_store ? 1 : 0];
  if (place.kind != Kind::address || place.elements.size() != 2) return std::nullopt;
  const std::vector<ptx::Operand> elements =
      value.kind == Kind::vector ? value.elements : std::vector{value};
  if (elements.size() != flags.elements) return std::nullopt;
  ListedOperation found;
  found.kind = InstructionClass::texture;
  found.flags = packed_flags(flags);
  found.handler = with_observers(
      observers, [](auto set) { return Handler{access_surface<typename decltype(set)::type>}; });
  const Width width = flags.log_bytes < 2    ? Width::w16
                      : flags.log_bytes == 2 ? Width::w32
                                             : Width::w64;
  for (std::size_t e = 0; e < 4; ++e)
    found.list.push_back(e < elements.size() ? read(elements[e], width, !is_store)
                                             : found.list.back());
  found.list.push_back(read(place.elements[0], Width::w64, false));
  if (!read_coordinates(place.elements[1], geometry, read, found.list)) return std::nullopt;
  return found;
}

}  // namespace warpwise::emulator
