#pragma once

// Internal to the emulator: the shapes of textures and surfaces as instructions name them.

#include <string>

namespace warpwise::emulator {

/// The shape that an instruction states.
struct Geometry {
  int dimensions = 1;  ///< of the coordinates within a layer; 3 of a direction
  bool layered = false;
  bool cube = false;

  /// Of the words that instructions have for it: "1d", "a2d", "cube", …; dimensions 0 for another.
  static Geometry of(const std::string& word);
};

}  // namespace warpwise::emulator
