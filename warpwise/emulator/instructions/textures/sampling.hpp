#pragma once

// Internal to the emulator: textures and surfaces, as instructions read them.

#include <array>
#include <cstdint>
#include <string>

#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/instructions/textures/geometry.hpp"

namespace warpwise::emulator {

/// A texel read: four channels, as the bits of their registers.
using TexelWords = std::array<std::uint32_t, 4>;

/// Reads at coordinates, with the texture's filter and address modes.
TexelWords sample(const BoundTexture& bound, const Geometry& geometry,
                  const std::array<float, 3>& at, std::uint32_t layer);

/// Reads one channel of the four texels that a linear read would weigh. Order: left below, right
/// below, right above, left above; below means larger y.
TexelWords gather(const BoundTexture& bound, const std::array<float, 3>& at, int channel);

/// Reads by index, without a filter or an address mode. Gives 0 outside the texture, as measured
/// also for two dimensions.
TexelWords fetch(const BoundTexture& bound, const Geometry& geometry,
                 const std::array<std::int32_t, 3>& at, std::uint32_t layer);

/// Returns the address of the texel that a read takes, or that a filter weighs most. The address is
/// that in a CUDA array, where 8 rows lie together in pieces of 64 bytes. It is 0 for the border's
/// colour, and for cubes.
Address texel_address(const BoundTexture& bound, const Geometry& geometry,
                      const std::array<float, 3>& at, std::uint32_t layer);
Address texel_address(const BoundTexture& bound, const Geometry& geometry,
                      const std::array<std::int32_t, 3>& at, std::uint32_t layer);

/// Returns the texture of a handle, without texels if there is none. Each worker of a launch looks
/// it up once.
const BoundTexture& find_texture(Worker& worker, std::uint64_t handle);

/// Returns true if a texture has the geometry that an instruction states.
bool is_of(const Geometry& geometry, const Texture& texture);

/// Returns the reason why a texture does not fit this geometry; empty if it fits.
std::string refusal(const BoundTexture& bound, std::uint64_t handle, const Geometry& geometry);

}  // namespace warpwise::emulator
