#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/explain/launch/arguments.hpp"
#include "warpwise/lab/measure/counters.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"

// Runs launches that the emulator counted on the present GPU too.
namespace warpwise::lab {

/// Reads the counters of launches that the emulator counted, one for each explanation, and puts
/// them beside the counts. \param run  launches them and waits
void read_counters(Counters& counters, std::span<const ladders::Launch> launches,
                   const std::function<void()>& run, std::span<Explanation> explanations);

/// The GPU that is the current device of the constructing thread.
class GpuProbe {
 public:
  /// \throws NoCudaDevice  with the reason
  GpuProbe();

  GpuExecutor& executor() { return executor_; }

  /// Code and launches that are ready to run in executor().
  struct Prepared {
    std::shared_ptr<LoadedCode> code;
    std::vector<ladders::Launch> launches;
    std::function<void()> restore;  ///< restores memory as it was before the first launch
  };

  /// Runs the launches, reads their counters, times each by itself, and fills in `gpu` of the
  /// explanations, one for each. Launches that had a fault in the emulator, or that print, are not
  /// run. The report then has the reason, also if the GPU or its driver refuses.
  void measure(std::span<Explanation> explanations, const std::function<Prepared()>& prepare);

 private:
  void run(const Prepared& prepared, std::span<Explanation> explanations);
  void count(const Prepared& prepared, std::span<Explanation> explanations);
  void time(const Prepared& prepared, std::span<Explanation> explanations);

  GpuExecutor executor_;
};

/// Prepares a kernel of a file, with its arguments in the GPU's memory. `memory` must outlive the
/// result.
GpuProbe::Prepared prepared_file(GpuExecutor& executor, const Explanation& explanation,
                                 std::vector<std::byte> parameters,
                                 const std::vector<Arguments::Memory>& memory);

}  // namespace warpwise::lab
