#pragma once

#include "warpwise/lab/study/study_run.hpp"

// What a row of a run is compared with: the step before it, the first rung, the document.
namespace warpwise::lab {

/// Whether these are the table's own parameters, but for those that the rung fixes.
bool is_default(const StudyTable& table, const Rung& rung, const ladders::Variables& parameters);

/// Fills in the figures that compare a row with the rows before it, and those of the document that
/// belong to it. run_study() does so with each row.
void compare(const StudyTable& table, const StudyRun& before, RungRow& row);

}  // namespace warpwise::lab
