#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/predict/bounds.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/study/study_table.hpp"

// How long the rungs of a study would take on a GPU that need not be there.
namespace warpwise::lab {

/// A rung at one point, with the times that its launches need on the profile's GPU.
struct PredictedRow {
  std::string rung;
  Size size;
  ladders::Variables parameters;
  ladders::Variables axes;  ///< constants that the run's axes set
  emulator::Dim3 block;
  std::string skipped;  ///< why, in words; nothing below is known then
  std::vector<Bounds> launches;
  std::optional<int> registers;  ///< of a thread of the first launch, by the compiler at hand
  int blocks_per_sm = 0;         ///< of the first launch
  std::uint64_t blocks = 0;      ///< of all launches
  std::uint64_t sampled = 0;     ///< of these, that the emulator ran

  /// Sums over the launches.
  double time_us() const;
  double least_us() const;
  double most_us() const;
  double of(Resource resource) const;
  /// The resource whose sum is the longest.
  Resource rules() const;
};

struct PredictionRequest {
  std::vector<std::string> rungs;
  std::optional<Experiment> experiment;  ///< its rungs are `rungs`
  std::optional<Size> size;              ///< in place of the table's or the experiment's
  /// Is asked before each point; true ends it with the rows that it has.
  std::function<bool()> stop = [] { return false; };
};

/// Predicts each rung at each point, as run_study() would time it: cold, its operands in DRAM. Runs
/// a sample of each launch's blocks in the emulator; verifies nothing.
/// \param done  is told of each row when it is there
/// \throws InvalidArgument, CompileError, OutOfMemory  as RungRun
std::vector<PredictedRow> predict(const StudyTable& table, const PredictionRequest& request,
                                  const DeviceProfile& profile,
                                  const std::function<void(const PredictedRow&)>& done);

}  // namespace warpwise::lab
