#pragma once

#include <string>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/exercise/exercise.hpp"

// Figures of a launch that an exercise limits.
namespace warpwise::lab {

/// The numbers from which counted() computes the figures of one launch.
struct CountedLaunch {
  const emulator::LaunchResult& result;  ///< counted for CC 9.0
  double elements = 1;                   ///< value of Exercise::elements
  int threads = 0;                       ///< threads of a block
  std::uint64_t shared_bytes = 0;        ///< bytes of shared memory of a block
  double block_cycles = 0;               ///< mean cycles of a block, modelled for an H200
};

/// A figure's value, and the line that contributes most to it; 0 if there is no such line.
struct Counted {
  double value = 0;
  int line = 0;
};

/// Computes any figure except gpu_time_ratio.
Counted counted(Figure figure, const CountedLaunch& launch);

/// Returns the figure's name in a sentence: "instructions per pixel". \param element  "pixel"
std::string words_of(Figure figure, const std::string& element);

/// Describes the counts of a line that make up a figure. Returns an empty text if there are none.
std::string counts_of(Figure figure, const CountedLaunch& launch, int line);

/// Formats a figure's value: with at most four digits below 1000, and as a whole number otherwise.
std::string to_text(double value);

}  // namespace warpwise::lab
