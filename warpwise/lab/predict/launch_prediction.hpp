#pragma once

#include <functional>
#include <string>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/predict/bounds.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/study/study_table.hpp"

// What a launch would take on a GPU that need not be there, and what it would gain by a change.
namespace warpwise::lab {

/// A launch on a profile's GPU, modelled from a sample of its blocks.
struct LaunchPrediction {
  DeviceProfile profile;
  std::string why_not;  ///< why it is not known; nothing below is then
  emulator::LaunchResult sample;
  LaunchFacts facts;
  Bounds bounds;
};

/// What a launch's buffers have, and of these those that textures read.
struct MemoryBytes {
  std::uint64_t all = 0;
  std::uint64_t textures = 0;
};

/// Of a rung's problem.
MemoryBytes memory_of(const ladders::Problem& problem, const Rung& rung);

/// Runs a sample of a launch with these options. It may change memory: what it changes is not used
/// any more.
using RunSample = std::function<emulator::LaunchResult(const emulator::LaunchOptions&)>;

/// Predicts a launch of `facts.blocks` blocks of `threads` threads.
LaunchPrediction predict_launch(const DeviceProfile& profile, std::uint64_t threads,
                                LaunchFacts facts, const RunSample& run);

/// A change of a kernel by what it would save: shares of what the whole kernel has of each, from 0
/// to 1.
struct Change {
  double bytes = 0;         ///< moved by accesses to global and local memory
  double again = 0;         ///< the same, of bytes that were moved before: DRAM gives as many
  double passes = 0;        ///< of shared memory
  double instructions = 0;  ///< of all kinds
  double loads = 0;         ///< instructions that load or store
  double waiting = 0;       ///< of the time that a block would take alone
  int blocks_per_sm = 0;    ///< that would be resident; 0: as many as now

  /// Both changes at once.
  Change& operator+=(const Change& other);
};

/// How many times as fast the launch would be, on a GPU that it fills: a small grid's time is that
/// of its launch, whatever its kernel does. At least 1.
double gain_of(const LaunchPrediction& prediction, const Change& change);

/// What the launch takes of a GPU's time where others like it fill it.
double filled_us(const LaunchPrediction& prediction);

/// How many times as large the launch must be to fill the GPU; 1 if it does.
double larger_to_fill(const LaunchPrediction& prediction);

/// The bounds of a launch that is so many times as large, as its memory is.
Bounds bounds_when_larger(const LaunchPrediction& prediction, double larger);

/// The bounds on a GPU that the launch fills.
Bounds bounds_when_full(const LaunchPrediction& prediction);

}  // namespace warpwise::lab
