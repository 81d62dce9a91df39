#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "bench/gpu_harness.hpp"
#include "bench/verdict.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/primitives/shared/tuning_file.hpp"

// Times what tunables may be set to on the cases of the bench, each verified first.
namespace warpwise::bench {

/// What of a configuration's time beside the built-in one's goes into the tuning file.
struct Judgement {
  std::string verdict;  ///< as tuning::Entry has it
  double gain = 0;
  std::string why;
};

/// \param highest_clock_mhz  that was seen while this case was measured: a time at a clock more
/// than 5 % below it, or at another one than the time beside it, is throttled, and says nothing
Judgement judge(const lab::Measurement& with, const lab::Measurement& built_in,
                double highest_clock_mhz);

/// The first case of each primitive, then the second of each, and so on: so that a short run has
/// something of each.
std::vector<Case> in_turn(std::vector<Case> cases);

/// The tuning file, of which `tune` adds to the end.
class TuningFile {
 public:
  /// Makes it, with the folders above it, where it is missing.
  /// \throws IoError  it cannot be written, or holds something else
  explicit TuningFile(std::filesystem::path path);

  /// Whether a case was measured on this GPU, by these sources, and nothing was throttled.
  bool holds(const Case& work, const tuning::Gpu& gpu) const;

  /// \throws IoError
  void add(std::span<const tuning::Entry> entries);

 private:
  std::filesystem::path path_;
  std::vector<tuning::Line> lines_;
};

/// What tune() is to do, and who looks on.
struct TuneRequest {
  std::vector<Case> cases;  ///< of ours
  double seconds = 0;       ///< after which no further case is begun, nor a configuration timed
  std::function<bool()> stop;
  /// Before each case.
  std::function<void(std::size_t done, const Case& work)> begin;
  std::function<void(const tuning::Entry& entry)> show;
  /// Of a case that could not be measured.
  std::function<void(const Case& work, const std::string& why)> skip;
};

/// Measures on the current GPU what the file does not hold yet, and adds what each case gave once
/// the case is done. Returns how many cases are done now.
/// \throws NoCudaDevice, CudaError, IoError  and as lab::GpuTimer
std::size_t tune(const TuneRequest& request, TuningFile& file);

}  // namespace warpwise::bench
