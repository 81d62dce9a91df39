#pragma once

#include <functional>

#include "warpwise/lab/study/run/study_run.hpp"

namespace warpwise::lab {

/// Times a ladder's problem on the CPU. Runs the plain loops if they take at most a few seconds.
/// Runs the library with one thread, with all threads, and with the source document's number of
/// threads.
/// \param row  a row with the size and parameters that all rows get
/// \param add  called with each finished row
void run_on_cpu(const StudyTable& table, const RungRow& row, const ladders::Problem& problem,
                const std::function<void(RungRow)>& add);

}  // namespace warpwise::lab
