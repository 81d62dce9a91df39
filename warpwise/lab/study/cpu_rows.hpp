#pragma once

#include <functional>

#include "warpwise/lab/study/study_run.hpp"

namespace warpwise::lab {

/// Times a ladder's problem on the CPU: the plain loops where they take a few seconds at most, and
/// the library with one thread, with all, and with as many as the document's CPU had.
/// \param row  what all rows have in common: the size and the parameters
/// \param add  is given each row when it is there
void run_on_cpu(const StudyTable& table, const RungRow& row, const ladders::Problem& problem,
                const std::function<void(RungRow)>& add);

}  // namespace warpwise::lab
