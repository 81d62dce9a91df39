#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/study/run/study_run.hpp"

// Writes a GPU's counters as columns of CSV.
namespace warpwise::lab {

/// Columns of CSV for the hardware counters of a run; none if the run has no counters. The first
/// columns are counters that have an emulator's count beside them, read at the count's problem
/// size. The other columns are all metrics, read at each row's own size.
class CounterColumns {
 public:
  explicit CounterColumns(const StudyRun& run);

  /// Returns the columns: "gpu_global_load_sectors", "not_comparable", and the metrics' own names.
  std::vector<std::string> names() const;

  /// Returns the fields of a row, one for each column. \param counts  the row's counts; may be null
  std::vector<std::string> fields_of(const RungRow& row, const RungCounts* counts) const;

 private:
  bool empty() const { return metrics_.empty() && compared_.empty(); }

  std::vector<std::string> metrics_;
  std::vector<std::string> compared_;  // names of counts
};

}  // namespace warpwise::lab
