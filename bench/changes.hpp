#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/gpu_run.hpp"

namespace warpwise::bench {

/// Warpwise's time of one case in this run, compared with its time in a recorded run.
struct Change {
  Case work;
  double before_us = 0;
  double now_us = 0;
  Comparison since;  ///< a ratio above 1 means that it is faster now
};

/// A run that `warpwise bench --out` has recorded.
class Recorded {
 public:
  /// \throws IoError          the file cannot be read
  /// \throws InvalidArgument  the file is no record of a bench with samples
  explicit Recorded(const std::filesystem::path& file);

  /// \throws InvalidArgument  the record was made on another GPU
  void require_gpu(const std::string& name) const;

  /// Returns the changes of Warpwise's own cases that have times in both runs.
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

/// Returns true if the time has grown by more than `percent`, with 99 % confidence. Returns false
/// if there are too few samples or their clocks differ.
bool is_regression(const Change& change, double percent);

std::string line_of(const Change& change);

}  // namespace warpwise::bench
