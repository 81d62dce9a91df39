#pragma once

#include "warpwise/lab/study/run/study_run.hpp"

// Compares a row of a run with the step before it, the first rung, and the document.
namespace warpwise::lab {

/// Returns true if `parameters` are the table's defaults, apart from those that the rung fixes.
bool is_default(const StudyTable& table, const Rung& rung, const ladders::Variables& parameters);

/// Sets the figures of a row that compare it with the rows before it, and the document's figures
/// for the row. run_study() calls it for each rung that ran.
void compare(const StudyTable& table, const StudyRun& before, RungRow& row);

}  // namespace warpwise::lab
