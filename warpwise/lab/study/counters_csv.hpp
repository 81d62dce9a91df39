#pragma once

#include <string>
#include <vector>

#include "warpwise/lab/study/study_run.hpp"

// A GPU's counters as columns of CSV.
namespace warpwise::lab {

/// What was read in a run: first the counters that stand beside counts, at the size of these, then
/// each metric at a row's own size. None without counters.
class CounterColumns {
 public:
  explicit CounterColumns(const StudyRun& run);

  /// "gpu_global_load_sectors", "not_comparable", and the metrics under their own names.
  std::vector<std::string> names() const;

  /// As many fields as names(). \param counts  of the row; may be null
  std::vector<std::string> fields_of(const RungRow& row, const RungCounts* counts) const;

 private:
  bool empty() const { return metrics_.empty() && compared_.empty(); }

  std::vector<std::string> metrics_;
  std::vector<std::string> compared_;  // names of counts
};

}  // namespace warpwise::lab
