#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "bench/gpu_harness.hpp"
#include "bench/verdict.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/primitives/shared/tuning_file.hpp"

// Times the choices of tunables on the cases of the bench, each verified first.
namespace warpwise::bench {

/// Result of comparing a configuration's time with the built-in one's, for the tuning file.
struct Judgement {
  std::string verdict;  ///< as in tuning::Entry
  double gain = 0;
  std::string why;
};

/// \param highest_clock_mhz  seen while this case was measured. A time at a clock more than 5 %
/// below it, or at another clock than the time it is compared with, is throttled and decides
/// nothing
Judgement judge(const lab::Measurement& with, const lab::Measurement& built_in,
                double highest_clock_mhz);

/// Returns the first case of each primitive, then the second of each, and so on, so that a short
/// run covers every primitive.
std::vector<Case> in_turn(std::vector<Case> cases);

/// The tuning file. `tune` appends to it.
class TuningFile {
 public:
  /// Creates the file, with the folders above it, if it is missing.
  /// \throws IoError  it cannot be written, or holds something else
  explicit TuningFile(std::filesystem::path path);

  /// Says whether a case was measured on this GPU, by these sources, without throttling.
  bool holds(const Case& work, const tuning::Gpu& gpu) const;

  /// \throws IoError
  void add(std::span<const tuning::Entry> entries);

 private:
  std::filesystem::path path_;
  std::vector<tuning::Line> lines_;
};

/// Work for tune(), and callbacks that report it.
struct TuneRequest {
  std::vector<Case> cases;  ///< of ours
  double seconds = 0;       ///< time limit: after it no case is begun and no configuration timed
  std::function<bool()> stop;
  /// Called before each case.
  std::function<void(std::size_t done, const Case& work)> begin;
  std::function<void(const tuning::Entry& entry)> show;
  /// Called for a case that could not be measured.
  std::function<void(const Case& work, const std::string& why)> skip;
};

/// Measures what the file does not have yet, on the current GPU, and adds the results of each case
/// once it is done. Returns how many cases are done now.
/// \throws NoCudaDevice, CudaError, IoError  and as lab::GpuTimer
std::size_t tune(const TuneRequest& request, TuningFile& file);

}  // namespace warpwise::bench
