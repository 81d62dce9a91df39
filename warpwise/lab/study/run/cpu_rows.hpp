#pragma once

#include <functional>

#include "warpwise/lab/study/run/study_run.hpp"

namespace warpwise::lab {

/// Times the computation of a ladder's problem on the CPU. The rows are
/// - the reference's plain loops, which are skipped if they would take more than a few seconds,
/// - the library with one thread and with all threads, and
/// - the library with as many threads as the CPU in the source document (docs/sources.md) used.
/// \param row  template of all rows: it has their size and parameters
/// \param add  called with each finished row
void run_on_cpu(const StudyTable& table, const RungRow& row, const ladders::Problem& problem,
                const std::function<void(RungRow)>& add);

}  // namespace warpwise::lab
