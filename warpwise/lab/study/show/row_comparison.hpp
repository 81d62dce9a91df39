#pragma once

#include "warpwise/lab/study/run/study_run.hpp"

// Compares a row with the step before it, with the run's first rung and with the source document.
namespace warpwise::lab {

/// Returns true if `parameters` are the table's defaults, apart from those that the rung fixes.
bool is_default(const StudyTable& table, const Rung& rung, const ladders::Variables& parameters);

/// Sets the figures of a row that compare it with the rows before it, and the document's figures
/// for the row. run_study() calls it for each rung that ran.
void set_comparison_figures(const StudyTable& table, const StudyRun& before, RungRow& row);

}  // namespace warpwise::lab
