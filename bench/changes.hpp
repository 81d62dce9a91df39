#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/gpu_run.hpp"

namespace warpwise::bench {

/// A time of ours beside what was recorded of the same work.
struct Change {
  Case work;
  double before_us = 0;
  double now_us = 0;
  Comparison since;  ///< above 1: it has become faster
};

/// A run of `warpwise bench` that was kept by --json.
class Recorded {
 public:
  /// \throws IoError          the file cannot be read
  /// \throws InvalidArgument  it is no record of a bench with samples
  explicit Recorded(const std::filesystem::path& file);

  /// \throws InvalidArgument  it was recorded on another GPU
  void require_gpu(const std::string& name) const;

  /// Of each row of ours that both have.
  std::vector<Change> changes_to(const Run& run) const;

 private:
  struct Entry {
    Case work;
    std::vector<lab::Sample> samples;
  };
  std::string file_;
  std::string gpu_;
  std::vector<Entry> entries_;
};

/// Whether it takes longer than before by more than `percent` with 99 %. Samples that are too few,
/// or of another clock, say nothing.
bool is_regression(const Change& change, double percent);

std::string line_of(const Change& change);

}  // namespace warpwise::bench
