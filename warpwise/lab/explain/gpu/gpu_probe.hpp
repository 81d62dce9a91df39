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

// Runs launches on the machine's own GPU after the emulator has counted them.
namespace warpwise::lab {

/// Reads the GPU's counters of the launches, one launch for each explanation, and compares them
/// with the emulator's counts. \param run  runs the launches and waits
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

  /// Runs the launches, reads their counters, and times each launch by itself. Fills in
  /// Explanation::gpu of the explanations, one for each launch. Runs nothing if a launch had a
  /// fault in the emulator, or if its kernel prints. GpuReport::why_not has the reason if nothing
  /// ran or the GPU refused.
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
