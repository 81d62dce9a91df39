#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/predict/bounds.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/study/run/study_run.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Predicts the times of a study's rungs on a GPU that need not be present.
namespace warpwise::lab {

/// A rung at one point (size, parameters, axes, block), with its launches' times on the GPU.
struct PredictedRow {
  std::string rung;
  Size size;
  ladders::Variables parameters;
  ladders::Variables axis_constants;  ///< constants that the run's axes set
  emulator::Dim3 block;
  std::string skipped;  ///< reason for skipping the rung; nothing below is set then
  std::vector<Bounds> launches;
  std::optional<int> registers;  ///< registers per thread of the first launch
  int blocks_per_sm = 0;         ///< resident blocks of the first launch
  std::uint64_t blocks = 0;      ///< blocks of all launches
  std::uint64_t sampled = 0;     ///< number of these blocks that the emulator ran

  /// Returns the sum over the launches.
  double time_us() const;
  double least_us() const;
  double most_us() const;
  double of(Resource resource) const;
  /// Returns the resource with the longest sum: the bottleneck.
  Resource bottleneck_resource() const;
};

/// Returns the model by which `lab run` in the emulator predicts a row's time, as predict() does.
TimeModel time_model(const DeviceProfile& profile);

struct PredictionRequest {
  std::vector<std::string> rungs;
  std::optional<Experiment> experiment;  ///< experiment with the rungs above
  std::optional<Size> size;              ///< replaces the table's or the experiment's
  /// Returns true to end the prediction with the rows that are finished. It is called before each
  /// point, and after a signal (Ctrl-C) has stopped a running compiler.
  std::function<bool()> stop = [] { return false; };
};

/// Predicts each rung at each point as run_study() would time it: cold, with operands in DRAM. Runs
/// a sample of each launch's blocks in the emulator. Verifies nothing.
/// \param done  called with each finished row
/// \throws InvalidArgument, CompileError, OutOfMemory  as RungRun
std::vector<PredictedRow> predict(const StudyTable& table, const PredictionRequest& request,
                                  const DeviceProfile& profile,
                                  const std::function<void(const PredictedRow&)>& done);

}  // namespace warpwise::lab
