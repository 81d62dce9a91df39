// Follows undefined values through textures and surfaces.

#include <algorithm>
#include <bit>
#include <cstring>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/instructions/textures/sampling.hpp"
#include "warpwise/emulator/observe/init.hpp"

namespace warpwise::emulator {
namespace {

/// Returns the shadow of a texture's memory; null if all of it counts as defined.
std::byte* shadow_of(const Warp& warp, const BoundTexture& bound) {
  if (bound.texels == nullptr) return nullptr;
  const AllocationView view = warp.worker->device->find(bound.texture.data);
  return view.shadow == nullptr ? nullptr : view.shadow + (bound.texture.data - view.begin);
}

}  // namespace

void Init::on_texture_read(Warp& warp, const Operation& op, const TextureRead& read) {
  if (!is_on_) return;
  if (read.places != nullptr)
    move_texels(warp, op, read);
  else
    sample_shadow(warp, op, read);
}

/// Returns a texture's shadow as a texture; null if the texture is entirely defined.
const BoundTexture* Init::texture_shadow(const Warp& warp, std::uint64_t handle) {
  const auto [found, is_new] = textures_.try_emplace(handle);
  BoundTexture& own = found->second;
  if (is_new) {
    own = find_texture(*warp.worker, handle);
    own.texels = shadow_of(warp, own);
    own.texture.border_color = {};  // a border is defined
    own.texture.srgb = false;
    if (own.texels != nullptr) {
      const std::uint64_t bytes = bytes_of(own.texture);
      if (std::all_of(own.texels, own.texels + bytes, [](auto b) { return b == std::byte{}; }))
        own.texels = nullptr;
    }
  }
  return own.texels == nullptr ? nullptr : &own;
}

/// Samples the shadow as the texture is sampled. A defined texel has shadow 0, and so does a
/// filtered value of defined texels.
void Init::sample_shadow(Warp& warp, const Operation& op, const TextureRead& read) {
  const std::int32_t* list = code_->lists.data() + op.list;
  const auto flags = flags_of<GeometryFlags>(op);
  const Geometry geometry{static_cast<int>(flags.dimensions), flags.layered != 0, flags.cube != 0};
  const bool by_index = code_->names[op.index].ends_with(".s32");
  const auto* layers = source<std::uint32_t>(warp, list[8]);
  std::array<Mask, 4> undefined{};
  std::array<Mask, 4> copies{};
  Origins origins{};
  for (Mask left = read.lanes; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const BoundTexture* bound = texture_shadow(warp, read.handles[i]);
    if (bound == nullptr) continue;
    std::array<std::int32_t, 3> index{};
    std::array<float, 3> place{};
    for (std::size_t d = 0; d < 3; ++d) {
      index[d] = source<std::int32_t>(warp, list[5 + d])[i];
      place[d] = std::bit_cast<float>(index[d]);
    }
    const bool gathers = flags.gathers != 0;
    const TexelWords words = gathers    ? gather(*bound, place, static_cast<int>(flags.channel))
                             : by_index ? fetch(*bound, geometry, index, layers[i])
                                        : sample(*bound, geometry, place, layers[i]);
    const Texture& t = bound->texture;
    const bool copies_bits = (t.filter == FilterMode::point || gathers) && !t.normalized_float;
    for (std::size_t c = 0; c < 4; ++c) {
      if ((!gathers && c >= static_cast<std::size_t>(t.channels)) || words[c] == 0) continue;
      (copies_bits ? copies : undefined)[c] |= Mask{1} << i;
    }
    origins[static_cast<std::size_t>(i)] = {true, Space::global, unwritten, t.data};
  }
  for (std::size_t c = 0; c < 4; ++c) {
    if ((undefined[c] | copies[c]) == 0) continue;
    const RegisterPlace result = written(op, list[c]);
    poison(warp, result, undefined[c] | copies[c], origins);
    set_shadow(warp, result, copies[c], unwritten);
  }
}

/// Moves the shadow of a surface's texels between memory and registers, together with the texels.
void Init::move_texels(Warp& warp, const Operation& op, const TextureRead& read) {
  const std::int32_t* list = code_->lists.data() + op.list;
  const auto flags = flags_of<GeometryFlags>(op);
  const std::size_t bytes = std::size_t{1} << flags.log_bytes;
  Mask told = 0;
  Origins origins = origins_of(warp, op);
  for (Mask left = read.lanes; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const auto lane = static_cast<std::size_t>(i);
    if (read.places[i] == nullptr) continue;
    const BoundTexture& bound = find_texture(*warp.worker, read.handles[i]);
    std::byte* shadow = shadow_of(warp, bound);
    auto* own = reinterpret_cast<std::uint8_t*>(shadow) +
                (shadow != nullptr ? read.places[i] - bound.texels : 0);
    for (std::size_t e = 0; e < flags.elements; ++e, own += bytes) {
      if (flags.is_store == 0) {
        if (shadow == nullptr) break;
        const RegisterPlace to = written(op, list[e]);
        std::memcpy(shadow_at(warp, to) + lane * lane_bytes(to.width), own, bytes);
        origins[lane] = {
            true, Space::global, own[0],
            bound.texture.data + static_cast<std::uint64_t>(read.places[i] - bound.texels)};
        state_of(warp).origins[to.offset][lane] = origins[lane];
        continue;
      }
      const RegisterPlace from = list[e] >= 0 ? operand(op, list[e]) : RegisterPlace{};
      for (std::size_t k = 0; k < bytes; ++k) {
        std::uint8_t state = 0;
        if (from.width != Width::none && poison_flag(warp, from) != 0)
          state = shadow_at(warp, from)[lane * lane_bytes(from.width) + k];
        if (is_computed(state)) {
          told |= Mask{1} << i;
          state = 0;
        }
        if (shadow != nullptr) own[k] = kept_in_memory(state, true);
      }
    }
  }
  if (told != 0) report(warp, op, told, origins, "a value written to a surface");
  if (flags.is_store != 0) return;
  for (const std::int32_t v : code_->accesses[op.index].writes) count_poison(warp, place_of(v));
}

}  // namespace warpwise::emulator
