#pragma once

#include <functional>

#include "warpwise/lab/study/run/study_run.hpp"

namespace warpwise::lab {

/// Times a ladder's problem on the CPU. Runs the plain loops if they take a few seconds at most.
/// Runs the library with one thread, with all threads, and with the thread count of the document.
/// \param row  size and parameters of all rows
/// \param add  called with each finished row
void run_on_cpu(const StudyTable& table, const RungRow& row, const ladders::Problem& problem,
                const std::function<void(RungRow)>& add);

}  // namespace warpwise::lab
