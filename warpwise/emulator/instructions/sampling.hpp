#pragma once

// Internal to the emulator: what textures and surfaces are to the instructions that read them.

#include <array>
#include <cstdint>
#include <string>

#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/instructions/geometry.hpp"

namespace warpwise::emulator {

/// A result: four channels, as the bits of their registers.
using TexelWords = std::array<std::uint32_t, 4>;

/// A read at coordinates, by the texture's filter and address modes.
TexelWords sample(const BoundTexture& bound, const Geometry& geometry,
                  const std::array<float, 3>& at, std::uint32_t layer);

/// One channel of the four texels of a plane that a linear read would weigh, without weights: left
/// below, right below, right above, left above (below: of the larger y).
TexelWords gather(const BoundTexture& bound, const std::array<float, 3>& at, int channel);

/// A read by index, which knows no filter and no address mode: 0 outside, in two dimensions too as
/// measured.
TexelWords fetch(const BoundTexture& bound, const Geometry& geometry,
                 const std::array<std::int32_t, 3>& at, std::uint32_t layer);

/// The texture of a handle, looked up once for each worker of a launch; without texels if there is
/// none.
const BoundTexture& find_texture(Worker& worker, std::uint64_t handle);

/// Whether an instruction that states a geometry fits a texture.
bool is_of(const Geometry& geometry, const Texture& texture);

/// What is wrong with a texture for this geometry; empty if nothing is.
std::string refusal(const BoundTexture& bound, std::uint64_t handle, const Geometry& geometry);

}  // namespace warpwise::emulator
