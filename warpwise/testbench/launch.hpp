#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/base/export.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/testbench/outcome.hpp"

namespace warpwise::testbench {

/// Which source lines an expectation is for.
struct Where {
  int line = 0;           ///< 0: every line
  std::string file = {};  ///< the end of its path, such as "blur.cuh"; empty: every file
};

/// A launch that has ended: what it counted, and what may be expected of it. Each expectation fails
/// with a line for each source line that does not meet it, and also where it could not have been
/// missed: nothing was counted, `where` names no line of the kernel, or what it names executed
/// nothing of the kind, no access or no branch. On a GPU there are no counts: expectations of
/// counts are skipped then, and Testbench::skipped() says how many were.
class WARPWISE_EXPORT Launch {
 public:
  /// Counts, faults, and what printf wrote; on a GPU nothing.
  const emulator::LaunchResult& result() const { return result_; }

  /// No fault: nothing out of bounds, no race …, as Testbench::options had it checked. On a GPU:
  /// no error.
  Outcome expect_no_faults() const;

  /// Loads, stores and atomics of global memory ask for at most so many sectors of 32 bytes, on the
  /// average of a line's requests. A request is one instruction of a warp; 4 is the least for 32
  /// lanes of 4 bytes each.
  Outcome expect_sectors_per_request(double at_most, const Where& where = {}) const;
  /// No access to shared memory takes more passes than its bytes need.
  Outcome expect_no_bank_conflicts(const Where& where = {}) const;
  /// No branch sends the lanes of a warp to different places.
  Outcome expect_no_divergence(const Where& where = {}) const;
  /// Nothing lies in local memory: no array that is indexed at run time. (What machine code spills
  /// is not seen in PTX.)
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
  std::string error_;  // of a GPU
  bool counted_ = true;
  std::vector<rules::ComputeCapability> counted_for_;  // as result_.memory and each line's have it
  std::shared_ptr<Skips> skips_;                       // of the Testbench
};

}  // namespace warpwise::testbench
