#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/runtime/reports/launch_record.hpp"

// Runs a sample of a launch with LaunchOptions::pace, to predict the launch's time.
namespace warpwise::emulator::runtime {

/// A sample of a launch. It runs in a fork of this process while the launch runs here. The fork has
/// the memory from before the launch, and changes nothing here.
class PaceSample {
 public:
  /// Starts the sample. \param options  the launch's options; the sample uses their cluster, stack
  /// and heap
  PaceSample(Program& program, const std::string& kernel, Dim3 grid, Dim3 block,
             std::uint64_t dynamic_shared_bytes, std::span<const std::byte> parameters,
             const SampleModel& model, const LaunchOptions& options);
  /// Ends the fork if it still runs.
  ~PaceSample();
  PaceSample(const PaceSample&) = delete;
  PaceSample& operator=(const PaceSample&) = delete;

  /// Waits for the sample's end. Returns json_of_launch() of the sample, or an object whose
  /// `unavailable` states why there is no sample.
  RecordJson result();

 private:
  void wait();

  int file_ = -1;
  pid_t copy_ = -1;
  std::string why_not_;
};

}  // namespace warpwise::emulator::runtime
