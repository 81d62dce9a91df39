#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/testbench/outcome.hpp"

namespace warpwise::testbench {

/// Source lines that an expectation concerns.
struct Where {
  int line = 0;           ///< 0: every line
  std::string file = {};  ///< the end of its path, such as "blur.cuh"; empty: every file
};

/// A launch that has ended, with its counts and the expectations that can be checked on it. The
/// text of a failed expectation has a line for each fault or source line that violates it. An
/// expectation of counts also fails if nothing in the launch could have violated it:
/// - nothing was counted,
/// - `where` names no line of the kernel, or
/// - the lines executed no access or branch that the expectation concerns.
///
/// A GPU has no counts. Expectations of counts are skipped there, and Testbench::skipped() gives
/// their number.
class WARPWISE_EXPORT Launch {
 public:
  /// Returns the counts, the faults and the output of printf. The result is empty on a GPU.
  const emulator::LaunchResult& result() const { return result_; }

  /// Expects no fault, such as an access out of bounds or a race. Testbench::options selects the
  /// checks. On a GPU, expects that CUDA reports no error.
  Outcome expect_no_faults() const;

  /// Expects that each source line needs, on average, at most this many sectors of 32 bytes per
  /// request. A request is one load, store or atomic of global memory by a warp. If each of 32
  /// lanes accesses 4 bytes of its own, a request needs at least 4 sectors.
  Outcome expect_sectors_per_request(double at_most, const Where& where = {}) const;
  /// Expects that no access to shared memory takes more passes than its bytes need.
  Outcome expect_no_bank_conflicts(const Where& where = {}) const;
  /// Expects that no branch is divergent: all active lanes of a warp take the same path.
  Outcome expect_no_divergence(const Where& where = {}) const;
  /// Expects no access to local memory, for example to an array that is indexed at run time.
  /// Spills of registers arise in machine code, so they are not counted here.
  Outcome expect_no_local_memory(const Where& where = {}) const;

 private:
  friend class Kernel;
  friend class Testbench;
  struct Skips;
  Launch(std::string kernel, emulator::LaunchResult result, std::shared_ptr<Skips> skips)
      : kernel_(std::move(kernel)), result_(std::move(result)), skips_(std::move(skips)) {}
  template <class Check>
  Outcome check_lines(const char* what, const Where& where, const Check& check) const;
  Outcome nothing_found(const char* what, const Where& where, bool has_line) const;
  std::string gpu_of(std::size_t i) const;

  std::string kernel_;
  emulator::LaunchResult result_;
  std::string error_;  // the error that a GPU reports
  bool counted_ = true;
  std::vector<rules::ComputeCapability> counted_for_;  // GPUs, in the order of result_.memory
  std::shared_ptr<Skips> skips_;                       // shared by the Testbench's launches
};

}  // namespace warpwise::testbench
