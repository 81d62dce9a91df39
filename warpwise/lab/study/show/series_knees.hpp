#pragma once

#include <vector>

#include "warpwise/lab/study/run/study_run.hpp"
#include "warpwise/lab/study/show/knee.hpp"

// Finds the knees of an experiment's curves. The rows of a curve differ in one axis alone.
namespace warpwise::lab {

/// Returns the knee of each curve whose rows were timed, in the order of the curves' first rows.
/// \param question  its member `of` must be cold_us or batch_us
std::vector<SeriesKnee> find_knees(const KneeQuestion& question, const std::vector<RungRow>& rows);

/// Returns true if the row is a point of this curve.
bool is_of_series(const RungRow& row, const SeriesKnee& series, const std::string& axis);

}  // namespace warpwise::lab
