#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/runtime/reports/launch_record.hpp"

// Follows the pace of a sample of a launch, for its predicted time.
namespace warpwise::emulator::runtime {

/// A sample of a launch. It runs in a copy of this process, while the launch itself runs here. The
/// copy has the memory as it was before the launch, and changes nothing here.
class PaceSample {
 public:
  /// Starts the sample. \param options  of the launch: its cluster, its stack and its heap are the
  /// sample's too
  PaceSample(Program& program, const std::string& kernel, Dim3 grid, Dim3 block,
             std::uint64_t dynamic_shared_bytes, std::span<const std::byte> parameters,
             const SampleModel& model, const LaunchOptions& options);
  /// Ends the copy if it still runs.
  ~PaceSample();
  PaceSample(const PaceSample&) = delete;
  PaceSample& operator=(const PaceSample&) = delete;

  /// Waits for the end of the sample. Returns json_of_launch() of it, or an object with
  /// `unavailable`, the reason why there is none.
  RecordJson result();

 private:
  void wait();

  int file_ = -1;
  pid_t copy_ = -1;
  std::string why_not_;
};

}  // namespace warpwise::emulator::runtime
