#pragma once

// Internal to the emulator: textures and surfaces, as instructions read them.

#include <array>
#include <cstdint>
#include <string>

#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/instructions/textures/geometry.hpp"

namespace warpwise::emulator {

/// Result of a texel read: the bits of four registers, one for each channel.
using TexelWords = std::array<std::uint32_t, 4>;

/// Reads a texture at coordinates, with its filter and address modes.
TexelWords sample(const BoundTexture& bound, const Geometry& geometry,
                  const std::array<float, 3>& at, std::uint32_t layer);

/// Reads one channel of the four texels that a linear read would weigh. Order: left below, right
/// below, right above, left above; below means larger y.
TexelWords gather(const BoundTexture& bound, const std::array<float, 3>& at, int channel);

/// Reads a texel by its indices, without a filter or an address mode. Returns 0 outside the
/// texture. An H200 did the same in two dimensions.
TexelWords fetch(const BoundTexture& bound, const Geometry& geometry,
                 const std::array<std::int32_t, 3>& at, std::uint32_t layer);

/// Returns the address of the texel that a read returns, or that a filter weighs most. The address
/// assumes a CUDA array, which stores tiles of 8 rows by 64 bytes contiguously. The address is 0
/// for the border colour and for cubes.
Address texel_address(const BoundTexture& bound, const Geometry& geometry,
                      const std::array<float, 3>& at, std::uint32_t layer);
Address texel_address(const BoundTexture& bound, const Geometry& geometry,
                      const std::array<std::int32_t, 3>& at, std::uint32_t layer);

/// Returns the texture of a handle. The texture has no texels if the handle is unknown or its
/// memory is freed. Each worker of a launch looks up each handle once.
const BoundTexture& find_texture(Worker& worker, std::uint64_t handle);

/// Returns true if a texture has the geometry that an instruction states.
bool is_of(const Geometry& geometry, const Texture& texture);

/// Returns the reason why a handle cannot be read with this geometry; empty if it can.
std::string refusal(const BoundTexture& bound, std::uint64_t handle, const Geometry& geometry);

}  // namespace warpwise::emulator
