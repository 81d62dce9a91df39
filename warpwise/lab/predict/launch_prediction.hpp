#pragma once

#include <functional>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/sample_model.hpp"
#include "warpwise/lab/predict/bounds.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Predicts the time of a launch on a GPU that need not be present, and the gain of a change.
namespace warpwise::lab {

/// A launch on a profile's GPU, modelled from a sample of its blocks.
struct LaunchPrediction {
  DeviceProfile profile;
  std::string why_not;  ///< reason why there is no prediction; the fields below are then unused
  emulator::LaunchResult sample;
  LaunchFacts facts;
  Bounds bounds;
};

/// Bytes of a launch's buffers, and of those that textures read.
struct MemoryBytes {
  std::uint64_t all = 0;
  std::uint64_t textures = 0;
};

/// Returns the bytes of a rung's problem.
MemoryBytes memory_of(const ladders::Problem& problem, const Rung& rung);

/// Runs a sample of a launch with these options. The run may change memory, which is not used
/// afterwards.
using RunSample = std::function<emulator::LaunchResult(const emulator::LaunchOptions&)>;

/// Returns how the emulator samples a launch, so that its time on this GPU can be predicted.
emulator::SampleModel sample_model(const DeviceProfile& profile);

/// A kernel's machine code, and the PTX that it was made from. Without operations, PTX instructions
/// are counted.
struct BuiltCode {
  std::vector<MachineOperation> operations;
  std::string ptx;
};

/// Predicts a launch of `facts.blocks` blocks of `threads` threads.
LaunchPrediction predict_launch(const DeviceProfile& profile, std::uint64_t threads,
                                LaunchFacts facts, const BuiltCode& code, const RunSample& run);

/// A change of a kernel: the shares of the whole kernel's costs that it would save, from 0 to 1.
struct Change {
  double bytes = 0;  ///< bytes that accesses to global and local memory move
  /// Bytes that L1 or L2 moves repeatedly. DRAM does not move them again.
  double repeated_bytes = 0;
  double passes = 0;        ///< passes of shared memory
  double instructions = 0;  ///< instructions of all kinds
  double loads = 0;         ///< instructions that load or store
  double barriers = 0;      ///< barriers of a block
  double waiting = 0;       ///< time that a block would take alone
  double starts = 0;        ///< blocks that have to be started
  double doubles = 0;       ///< arithmetic in double precision: it becomes single precision
  double divisions = 0;     ///< all but the first machine instruction of each division or root
  double spills = 0;        ///< accesses to spilled values
  double atomics = 0;       ///< atomic operations on global memory
  int blocks_per_sm = 0;    ///< resident blocks with the change; 0: unchanged

  Change& operator+=(const Change& other);
};

/// Returns how many times as fast a change makes the launch; below 1, slower. The launch is
/// enlarged until it fills the GPU, because a small grid takes mostly launch overhead.
double gain_of(const LaunchPrediction& prediction, const Change& change);

Range gain_range_of(const LaunchPrediction& prediction, const Change& change);

/// Returns the launch's time at the throughput of a full GPU, without launch overhead. It is the
/// time of the launch enlarged by larger_to_fill(), divided by that factor.
double filled_us(const LaunchPrediction& prediction);

/// Returns how many times as large the launch must be to fill the GPU; 1 if it fills the GPU now.
double larger_to_fill(const LaunchPrediction& prediction);

/// Returns the bounds of a launch that is `larger` times as large, with memory in proportion.
Bounds bounds_when_larger(const LaunchPrediction& prediction, double larger);

/// Returns the bounds of the launch, enlarged by larger_to_fill().
Bounds bounds_when_full(const LaunchPrediction& prediction);

}  // namespace warpwise::lab
