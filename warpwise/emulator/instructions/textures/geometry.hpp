#pragma once

// Internal to the emulator: shapes of textures and surfaces in instructions.

#include <string>

namespace warpwise::emulator {

/// The shape that an instruction states.
struct Geometry {
  int dimensions = 1;  ///< number of coordinates within a layer; 3 for a direction
  bool layered = false;
  bool cube = false;

  /// Parses an instruction's word for its geometry: "1d", "a2d", "cube", …; unknown words give 0
  /// dimensions.
  static Geometry of(const std::string& word);
};

}  // namespace warpwise::emulator
