#pragma once

#include <functional>

#include "warpwise/lab/study/run/study_run.hpp"

namespace warpwise::lab {

/// Times a ladder's problem on the CPU. It runs the plain loops if they take a few seconds at most.
/// It runs the library with one thread, with all, and with as many as the document's CPU had.
/// \param row  common part of all rows: the size and the parameters
/// \param add  called with each finished row
void run_on_cpu(const StudyTable& table, const RungRow& row, const ladders::Problem& problem,
                const std::function<void(RungRow)>& add);

}  // namespace warpwise::lab
