#pragma once

// Internal to the emulator: shapes of textures and surfaces in instructions.

#include <string>

namespace warpwise::emulator {

/// The shape of a texture or surface, as an instruction's modifier states it.
struct Geometry {
  int dimensions = 1;  ///< number of coordinates without the layer; 3 for a cube
  bool layered = false;
  bool cube = false;

  /// Parses the modifier for the geometry: "1d", "a2d", "cube", …. An unknown modifier gives 0
  /// dimensions.
  static Geometry of(const std::string& word);
};

}  // namespace warpwise::emulator
