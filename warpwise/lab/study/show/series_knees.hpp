#pragma once

#include <vector>

#include "warpwise/lab/study/run/study_run.hpp"
#include "warpwise/lab/study/show/knee.hpp"

// Finds the knees of an experiment's curves. A curve has the rows that differ in one axis alone.
namespace warpwise::lab {

/// Returns a knee for each series of rows that were timed, in the order of their first rows.
/// \param question  member `of` must be cold_us or batch_us
std::vector<SeriesKnee> find_knees(const KneeQuestion& question, const std::vector<RungRow>& rows);

/// Returns true if the row is a point of this knee's series.
bool is_of_series(const RungRow& row, const SeriesKnee& series, const std::string& axis);

}  // namespace warpwise::lab
