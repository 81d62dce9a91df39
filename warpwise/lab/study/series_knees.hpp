#pragma once

#include <vector>

#include "warpwise/lab/study/knee.hpp"
#include "warpwise/lab/study/study_run.hpp"

// The knees of an experiment's curves: of each, the rows that differ in one axis alone.
namespace warpwise::lab {

/// A knee for each series of rows that were timed, in the order of their first rows.
/// \param question  its `of` is cold_us or batch_us
std::vector<SeriesKnee> find_knees(const KneeQuestion& question, const std::vector<RungRow>& rows);

/// Whether the row is a point of the series whose knee this is.
bool is_of_series(const RungRow& row, const SeriesKnee& series, const std::string& axis);

}  // namespace warpwise::lab
