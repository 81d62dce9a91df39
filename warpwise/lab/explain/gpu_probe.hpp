#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "warpwise/lab/explain/arguments.hpp"
#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/measure/counters.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"

// Runs what the emulator counted on the GPU at hand too.
namespace warpwise::lab {

/// Reads the counters of launches that the emulator counted, one for each explanation, and sets
/// them beside the counts. \param run  launches them and waits
void read_counters(Counters& counters, std::span<const ladders::Launch> launches,
                   const std::function<void()>& run, std::span<Explanation> explanations);

/// The GPU that is the current device of the thread that makes it.
class GpuProbe {
 public:
  /// \throws NoCudaDevice  with the reason
  GpuProbe();

  GpuExecutor& executor() { return executor_; }

  /// Code and launches that are ready to run in executor().
  struct Prepared {
    std::shared_ptr<LoadedCode> code;
    std::vector<ladders::Launch> launches;
    std::function<void()> restore;  ///< memory as it was before the first launch
  };

  /// Runs the launches, reads their counters, times each by itself, and fills in `gpu` of the
  /// explanations, one for each. What did not run in the emulator without a fault, or prints, is
  /// not run: the report says so, as it does where the GPU or its driver refuses.
  void measure(std::span<Explanation> explanations, const std::function<Prepared()>& prepare);

 private:
  void run(const Prepared& prepared, std::span<Explanation> explanations);
  void count(const Prepared& prepared, std::span<Explanation> explanations);
  void time(const Prepared& prepared, std::span<Explanation> explanations);

  GpuExecutor executor_;
};

/// A kernel of a file with its arguments in the GPU's memory; `memory` outlives what is made ready.
GpuProbe::Prepared prepared_file(GpuExecutor& executor, const Explanation& explanation,
                                 std::vector<std::byte> parameters,
                                 const std::vector<Arguments::Memory>& memory);

}  // namespace warpwise::lab
